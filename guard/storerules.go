package guard

import "github.com/posixform/terraform-provider-posix/diag"

const (
	rpcValidateStore  = "ValidateStateStoreConfig"
	rpcConfigureStore = "ConfigureStateStore"
	rpcReadBytes      = "ReadStateBytes"
	rpcWriteBytes     = "WriteStateBytes"
	rpcLock           = "LockState"
	rpcUnlock         = "UnlockState"
	rpcGetStates      = "GetStates"
	rpcDeleteState    = "DeleteState"
)

// largestChunk is how many bytes a chunk of a state may have.
const largestChunk = 128 << 20

const (
	storeChunkSize    ID = "STORE-001"
	storeOddChunk     ID = "STORE-002"
	storeRange        ID = "STORE-003"
	storeTotalChanged ID = "STORE-004"
	storeIncomplete   ID = "STORE-005"
	storeNothing      ID = "STORE-006"
	storeUnread       ID = "STORE-007"
	storeNoLock       ID = "STORE-008"
	storeStateIDs     ID = "STORE-009"
)

func storeRules() []Rule {
	return []Rule{
		{
			ID: storeChunkSize, RPC: rpcConfigureStore, Subject: SubjectAnswer, Title: "has no size that a chunk can have",
			Why:    "Terraform refuses a size of zero or above 128 MiB, and crashes later over a negative one.",
			Fix:    "Answer the ChunkSize of the request, or another from 1 to 134217728.",
			Source: "§19, Terraform: \"Failed to negotiate acceptable chunk size\"; a negative size panics",
		},
		{
			ID: storeOddChunk, RPC: rpcReadBytes, Subject: SubjectAnswer, Title: "has a chunk of another size than agreed",
			Why:    "The client made room for chunks of the size that was agreed, and warns of each other one.",
			Fix:    "Send chunks of the size that ConfigureStateStore answered; only the last one may be shorter.",
			Source: "§19, Terraform warns: \"Unexpected size of chunk received\"", Severity: diag.Warning,
		},
		{
			ID: storeRange, RPC: rpcReadBytes, Subject: SubjectAnswer, Title: "has a chunk that is not the next part of the state",
			Why:    "Terraform joins the chunks as they come, whatever they say they are, so the state would be garbled.",
			Fix:    "Send the chunks in order and without gaps; Start and End are both inclusive and count from zero.",
			Source: "§19, neither engine: not checked",
		},
		{
			ID: storeTotalChanged, RPC: rpcReadBytes, Subject: SubjectAnswer, Title: "has chunks that differ in how long the state is",
			Why:    "Parts of two versions of a state, one written while the other was read, would be taken for one state.",
			Fix:    "Read one version of the state, and send its length as TotalLength of each chunk.",
			Source: "§19, neither engine: only the first length is looked at",
		},
		{
			ID: storeIncomplete, RPC: rpcReadBytes, Subject: SubjectAnswer, Title: "has another number of bytes than it says the state has",
			Why:    "What is missing of a state are objects that would be created again.",
			Fix:    "Send all bytes, or an error that says why they cannot be read.",
			Source: "§19, Terraform: \"expected state file of total ...\"",
		},
		{
			ID: storeNothing, RPC: rpcReadBytes, Subject: SubjectAnswer, Title: "has neither chunks nor an error",
			Why:    "It is taken for a state that does not exist, and all objects would be created again.",
			Fix:    "Set Chunks, to a sequence of nothing if there is no state.",
			Source: "§19, Terraform: no bytes and no error mean no state",
		},
		{
			ID: storeUnread, RPC: rpcWriteBytes, Subject: SubjectAnswer, Title: "is that all is well, but the state was not read to its end",
			Why:    "What is stored then is a part of the state, and the rest is lost.",
			Fix:    "Range over all Chunks before the state is replaced; return an error if one of them has an error, or if bytes are missing.",
			Source: "§19, neither engine: the answer is believed",
		},
		{
			ID: storeNoLock, RPC: rpcLock, Subject: SubjectAnswer, Title: "has neither the id of a lock nor an error",
			Why:    "Terraform unlocks only what has an id, so the state would stay locked.",
			Fix:    "Return the id of the lock; a store without locks returns one that it makes up.",
			Source: "§19 and §22, neither engine: never unlocked",
		},
		{
			ID: storeStateIDs, RPC: rpcGetStates, Subject: SubjectAnswer, Title: "names a state twice or not at all",
			Why:    "The names are those of workspaces, which are chosen by them.",
			Fix:    "Return each state once, by the id under which it was written.",
			Source: "§19, neither engine: not checked",
		},
	}
}
