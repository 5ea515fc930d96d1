package demo_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/provider"
)

func TestStateStore(t *testing.T) {
	t.Parallel()
	c := connect(t)
	const typeName = "demo_cabinet"
	config := block(c.schema.StateStores[typeName].Body, nil)
	c.fine(c.p.ValidateStateStoreConfig(t.Context(), provider.ValidateStateStoreConfigRequest{TypeName: typeName, Config: config}).Diagnostics)
	configured := c.p.ConfigureStateStore(t.Context(), provider.ConfigureStateStoreRequest{TypeName: typeName, Config: config, ChunkSize: 1000})
	c.fine(configured.Diagnostics)
	lock := c.p.LockState(t.Context(), provider.LockStateRequest{TypeName: typeName, StateID: "default", Operation: "apply"})
	c.fine(lock.Diagnostics)
	if again := c.p.LockState(t.Context(), provider.LockStateRequest{TypeName: typeName, StateID: "default", Operation: "plan"}); !again.Diagnostics.HasErrors() {
		t.Error("a locked state was locked again")
	}
	state := []byte(strings.Repeat("0123456789", 250))
	c.fine(c.p.WriteStateBytes(t.Context(), provider.WriteStateBytesRequest{
		TypeName: typeName, StateID: "default", Chunks: chunks(state, int(configured.ChunkSize)),
	}).Diagnostics)
	read := c.p.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: typeName, StateID: "default"})
	c.fine(read.Diagnostics)
	var got []byte
	for chunk := range read.Chunks {
		c.fine(chunk.Diagnostics)
		got = append(got, chunk.Bytes...)
	}
	if string(got) != string(state) {
		t.Errorf("read %d bytes that differ from the %d bytes written", len(got), len(state))
	}
	c.fine(c.p.UnlockState(t.Context(), provider.UnlockStateRequest{TypeName: typeName, StateID: "default", LockID: lock.LockID}).Diagnostics)
	list := func() []string {
		resp := c.p.GetStates(t.Context(), provider.GetStatesRequest{TypeName: typeName})
		c.fine(resp.Diagnostics)
		return resp.StateIDs
	}
	if got := list(); !slices.Equal(got, []string{"default"}) {
		t.Errorf("the states are %v, want only default", got)
	}
	c.fine(c.p.DeleteState(t.Context(), provider.DeleteStateRequest{TypeName: typeName, StateID: "default"}).Diagnostics)
	if got := list(); len(got) != 0 {
		t.Errorf("states after the deletion: %v, want none", got)
	}
}

// chunks splits a state like a client.
func chunks(state []byte, size int) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		for start := 0; start < len(state); start += size {
			part := state[start:min(start+size, len(state))]
			if !yield(provider.StateChunk{Bytes: part, TotalLength: int64(len(state)), Start: int64(start), End: int64(start + len(part) - 1)}) {
				return
			}
		}
	}
}
