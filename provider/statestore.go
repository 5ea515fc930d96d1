package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateStateStoreConfigRequest validates a configuration.
type ValidateStateStoreConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateStateStoreConfigResponse has the diagnostics.
type ValidateStateStoreConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ConfigureStateStoreRequest configures a state store and proposes a chunk size
// in bytes.
type ConfigureStateStoreRequest struct {
	TypeName  string
	Config    cty.Value
	ChunkSize int64
}

// ConfigureStateStoreResponse has the chunk size in bytes, greater than 0 and
// at most 128 MiB.
type ConfigureStateStoreResponse struct {
	ChunkSize   int64
	Diagnostics diag.Diagnostics
}

// ReadStateBytesRequest reads a stored state.
type ReadStateBytesRequest struct {
	TypeName string
	StateID  string
}

// ReadStateBytesResponse has the state in chunks. No bytes and no error mean
// that the state does not exist. Diagnostics has the errors that prevent
// reading; Chunks may then be nil.
type ReadStateBytesResponse struct {
	Chunks      iter.Seq[StateChunk]
	Diagnostics diag.Diagnostics
}

// StateChunk is a part of a state of TotalLength bytes: the bytes from Start to
// End, both inclusive, with the diagnostics about the chunk.
type StateChunk struct {
	Bytes       []byte
	TotalLength int64
	Start, End  int64
	Diagnostics diag.Diagnostics
}

// WriteStateBytesRequest writes a state in chunks.
type WriteStateBytesRequest struct {
	TypeName string
	StateID  string
	Chunks   iter.Seq[StateChunk]
}

// WriteStateBytesResponse has the diagnostics.
type WriteStateBytesResponse struct {
	Diagnostics diag.Diagnostics
}

// LockStateRequest locks a state for an operation.
type LockStateRequest struct {
	TypeName  string
	StateID   string
	Operation string
}

// LockStateResponse has the ID of the lock. It must not be empty on success:
// clients would not unlock the state.
type LockStateResponse struct {
	LockID      string
	Diagnostics diag.Diagnostics
}

// UnlockStateRequest releases a lock.
type UnlockStateRequest struct {
	TypeName string
	StateID  string
	LockID   string
}

// UnlockStateResponse has the diagnostics.
type UnlockStateResponse struct {
	Diagnostics diag.Diagnostics
}

// GetStatesRequest lists the stored states.
type GetStatesRequest struct {
	TypeName string
}

// GetStatesResponse has the IDs of the stored states.
type GetStatesResponse struct {
	StateIDs    []string
	Diagnostics diag.Diagnostics
}

// DeleteStateRequest deletes a state.
type DeleteStateRequest struct {
	TypeName string
	StateID  string
}

// DeleteStateResponse has the diagnostics.
type DeleteStateResponse struct {
	Diagnostics diag.Diagnostics
}
