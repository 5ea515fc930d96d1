package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Of ephemeral resources only panics are judged.

// ValidateEphemeralResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	resp, crash := ask(ctx, g, "ValidateEphemeralResourceConfig", req.TypeName, g.inner.ValidateEphemeralResourceConfig, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// OpenEphemeralResource is part of [provider.Interface].
func (g *guarded) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	resp, crash := ask(ctx, g, "OpenEphemeralResource", req.TypeName, g.inner.OpenEphemeralResource, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// RenewEphemeralResource is part of [provider.Interface].
func (g *guarded) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	resp, crash := ask(ctx, g, "RenewEphemeralResource", req.TypeName, g.inner.RenewEphemeralResource, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// CloseEphemeralResource is part of [provider.Interface].
func (g *guarded) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	resp, crash := ask(ctx, g, "CloseEphemeralResource", req.TypeName, g.inner.CloseEphemeralResource, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}
