package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Of state stores only panics are judged.

// ValidateStateStoreConfig is part of [provider.Interface].
func (g *guarded) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	resp, crash := ask(ctx, g, "ValidateStateStoreConfig", req.TypeName, g.inner.ValidateStateStoreConfig, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// ConfigureStateStore is part of [provider.Interface].
func (g *guarded) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	resp, crash := ask(ctx, g, "ConfigureStateStore", req.TypeName, g.inner.ConfigureStateStore, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// ReadStateBytes is part of [provider.Interface].
func (g *guarded) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	resp, crash := ask(ctx, g, "ReadStateBytes", req.TypeName, g.inner.ReadStateBytes, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// WriteStateBytes is part of [provider.Interface].
func (g *guarded) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	resp, crash := ask(ctx, g, "WriteStateBytes", req.TypeName, g.inner.WriteStateBytes, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// LockState is part of [provider.Interface].
func (g *guarded) LockState(ctx context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	resp, crash := ask(ctx, g, "LockState", req.TypeName, g.inner.LockState, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// UnlockState is part of [provider.Interface].
func (g *guarded) UnlockState(ctx context.Context, req provider.UnlockStateRequest) provider.UnlockStateResponse {
	resp, crash := ask(ctx, g, "UnlockState", req.TypeName, g.inner.UnlockState, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// GetStates is part of [provider.Interface].
func (g *guarded) GetStates(ctx context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	resp, crash := ask(ctx, g, "GetStates", req.TypeName, g.inner.GetStates, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// DeleteState is part of [provider.Interface].
func (g *guarded) DeleteState(ctx context.Context, req provider.DeleteStateRequest) provider.DeleteStateResponse {
	resp, crash := ask(ctx, g, "DeleteState", req.TypeName, g.inner.DeleteState, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}
