package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateStateStoreConfigRequest asks whether a configuration is lawful.
type ValidateStateStoreConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateStateStoreConfigResponse has the messages.
type ValidateStateStoreConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ConfigureStateStoreRequest gives a store its configuration and proposes how
// many bytes a chunk has.
type ConfigureStateStoreRequest struct {
	TypeName  string
	Config    cty.Value
	ChunkSize int64
}

// ConfigureStateStoreResponse has the number of bytes that a chunk shall have,
// above 0 and at most 128 MiB.
type ConfigureStateStoreResponse struct {
	ChunkSize   int64
	Diagnostics diag.Diagnostics
}

// ReadStateBytesRequest asks for a stored state.
type ReadStateBytesRequest struct {
	TypeName string
	StateID  string
}

// ReadStateBytesResponse has the state in chunks; no bytes and no error mean
// that there is no state. Diagnostics are those that prevent reading; Chunks
// may then be nil.
type ReadStateBytesResponse struct {
	Chunks      iter.Seq[StateChunk]
	Diagnostics diag.Diagnostics
}

// StateChunk is a part of a state: bytes Start to End, both inclusive, of
// TotalLength. Diagnostics are those that arose with it.
type StateChunk struct {
	Bytes       []byte
	TotalLength int64
	Start, End  int64
	Diagnostics diag.Diagnostics
}

// WriteStateBytesRequest stores a state that comes in chunks.
type WriteStateBytesRequest struct {
	TypeName string
	StateID  string
	Chunks   iter.Seq[StateChunk]
}

// WriteStateBytesResponse has the messages.
type WriteStateBytesResponse struct {
	Diagnostics diag.Diagnostics
}

// LockStateRequest locks a state; Operation says for what.
type LockStateRequest struct {
	TypeName  string
	StateID   string
	Operation string
}

// LockStateResponse has the lock's id. It may not be empty on success: clients
// then never unlock.
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

// UnlockStateResponse has the messages.
type UnlockStateResponse struct {
	Diagnostics diag.Diagnostics
}

// GetStatesRequest asks which states there are.
type GetStatesRequest struct {
	TypeName string
}

// GetStatesResponse has their ids.
type GetStatesResponse struct {
	StateIDs    []string
	Diagnostics diag.Diagnostics
}

// DeleteStateRequest removes a state.
type DeleteStateRequest struct {
	TypeName string
	StateID  string
}

// DeleteStateResponse has the messages.
type DeleteStateResponse struct {
	Diagnostics diag.Diagnostics
}
