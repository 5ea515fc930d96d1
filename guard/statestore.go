package guard

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// store is what the guard knows about a state store; nil if the provider has no
// such type or no schema. Its rules are in storerules.go.
func (g *guarded) store(ctx context.Context, typeName string) *resourceType {
	return g.load(ctx).stores.of(typeName)
}

// ValidateStateStoreConfig is part of [provider.Interface].
func (g *guarded) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateStore, req.TypeName, g.inner.ValidateStateStoreConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidateStore, g.store(ctx, req.TypeName), resp.Diagnostics, crash)
	return resp
}

// ConfigureStateStore is part of [provider.Interface].
func (g *guarded) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	resp, crash := ask(ctx, g, rpcConfigureStore, req.TypeName, g.inner.ConfigureStateStore, req)
	t := g.store(ctx, req.TypeName)
	failed := crash != nil || resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcConfigureStore, t, resp.Diagnostics, crash)
	if failed || t == nil {
		return resp
	}
	if resp.ChunkSize <= 0 || resp.ChunkSize > largestChunk {
		resp.Diagnostics = said(resp.Diagnostics, rpcConfigureStore, t, storeChunkSize,
			"Chunks of %s were proposed, and %s of %s answered %d.", diag.Count(req.ChunkSize, "byte"), rpcConfigureStore, t.name, resp.ChunkSize)
		resp.ChunkSize = 0
		return resp
	}
	g.chunkSizes.Store(req.TypeName, resp.ChunkSize)
	return resp
}

// said is the messages of an answer and one about the rule that it broke.
func said(answer diag.Diagnostics, rpc string, t *resourceType, rule ID, what string, args ...any) diag.Diagnostics {
	r := newReport(rpc, t)
	r.add(rule, nil, what, args...)
	return r.addTo(answer)
}

// WriteStateBytes is part of [provider.Interface].
func (g *guarded) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	given := req.Chunks
	var sent transfer
	if given != nil {
		req.Chunks = sent.watch(given)
	}
	resp, crash := ask(ctx, g, rpcWriteBytes, req.TypeName, g.inner.WriteStateBytes, req)
	t := g.store(ctx, req.TypeName)
	failed := crash != nil || resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcWriteBytes, t, resp.Diagnostics, crash)
	if t != nil && given != nil && !failed && !sent.complete() {
		resp.Diagnostics = said(resp.Diagnostics, rpcWriteBytes, t, storeUnread,
			"%s of %s took %s of a state of %d and answered no error.", rpcWriteBytes, t.name, diag.Count(sent.taken, "byte"), sent.total)
	}
	return resp
}

// transfer is how far a provider read a state that it is to write. The last
// reading counts.
type transfer struct {
	taken, total int64
	ended        bool // the provider saw that there is no more
	failed       bool // a chunk came with an error
}

func (s *transfer) complete() bool {
	return !s.failed && (s.ended || s.total > 0 && s.taken >= s.total)
}

// watch is the chunks as they are.
func (s *transfer) watch(chunks iter.Seq[provider.StateChunk]) iter.Seq[provider.StateChunk] {
	return func(yield func(provider.StateChunk) bool) {
		*s = transfer{}
		for chunk := range chunks {
			s.taken += int64(len(chunk.Bytes))
			s.total = chunk.TotalLength
			s.failed = s.failed || chunk.Diagnostics.HasErrors()
			if !yield(chunk) {
				return
			}
		}
		s.ended = true
	}
}

// LockState is part of [provider.Interface].
func (g *guarded) LockState(ctx context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	resp, crash := ask(ctx, g, rpcLock, req.TypeName, g.inner.LockState, req)
	t := g.store(ctx, req.TypeName)
	failed := crash != nil || resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcLock, t, resp.Diagnostics, crash)
	if t != nil && !failed && resp.LockID == "" {
		resp.Diagnostics = said(resp.Diagnostics, rpcLock, t, storeNoLock, "%s of %s answered an empty LockID.", rpcLock, t.name)
	}
	return resp
}

// UnlockState is part of [provider.Interface].
func (g *guarded) UnlockState(ctx context.Context, req provider.UnlockStateRequest) provider.UnlockStateResponse {
	resp, crash := ask(ctx, g, rpcUnlock, req.TypeName, g.inner.UnlockState, req)
	resp.Diagnostics = g.messages(ctx, rpcUnlock, g.store(ctx, req.TypeName), resp.Diagnostics, crash)
	return resp
}

// GetStates is part of [provider.Interface].
func (g *guarded) GetStates(ctx context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	resp, crash := ask(ctx, g, rpcGetStates, req.TypeName, g.inner.GetStates, req)
	t := g.store(ctx, req.TypeName)
	failed := crash != nil || resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcGetStates, t, resp.Diagnostics, crash)
	if t == nil || failed {
		return resp
	}
	seen := make(map[string]bool, len(resp.StateIDs))
	for _, id := range resp.StateIDs {
		if id == "" || seen[id] {
			resp.Diagnostics = said(resp.Diagnostics, rpcGetStates, t, storeStateIDs,
				"%s of %s answered %s, among them %q, which is empty or there twice.", rpcGetStates, t.name, diag.Count(len(resp.StateIDs), "id"), id)
			break
		}
		seen[id] = true
	}
	return resp
}

// DeleteState is part of [provider.Interface].
func (g *guarded) DeleteState(ctx context.Context, req provider.DeleteStateRequest) provider.DeleteStateResponse {
	resp, crash := ask(ctx, g, rpcDeleteState, req.TypeName, g.inner.DeleteState, req)
	resp.Diagnostics = g.messages(ctx, rpcDeleteState, g.store(ctx, req.TypeName), resp.Diagnostics, crash)
	return resp
}
