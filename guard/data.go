package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// Of data sources only panics are judged.

// ValidateDataResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	resp, crash := ask(ctx, g, "ValidateDataResourceConfig", req.TypeName, g.inner.ValidateDataResourceConfig, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}

// ReadDataSource is part of [provider.Interface].
func (g *guarded) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	resp, crash := ask(ctx, g, "ReadDataSource", req.TypeName, g.inner.ReadDataSource, req)
	resp.Diagnostics = with(resp.Diagnostics, crash)
	return resp
}
