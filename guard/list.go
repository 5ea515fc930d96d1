package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Of list resources only panics are judged.

// ValidateListResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	resp, crash := ask(ctx, g, "ValidateListResourceConfig", req.TypeName, g.inner.ValidateListResourceConfig, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// ListResource is part of [provider.Interface].
func (g *guarded) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	resp, crash := ask(ctx, g, "ListResource", req.TypeName, g.inner.ListResource, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}
