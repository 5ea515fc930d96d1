package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Of actions only panics are judged.

// ValidateActionConfig is part of [provider.Interface].
func (g *guarded) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	resp, crash := ask(ctx, g, "ValidateActionConfig", req.ActionType, g.inner.ValidateActionConfig, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// PlanAction is part of [provider.Interface].
func (g *guarded) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	resp, crash := ask(ctx, g, "PlanAction", req.ActionType, g.inner.PlanAction, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// InvokeAction is part of [provider.Interface].
func (g *guarded) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	resp, crash := ask(ctx, g, "InvokeAction", req.ActionType, g.inner.InvokeAction, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}
