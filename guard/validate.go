package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcValidate = "ValidateResourceConfig"

// ValidateResourceConfig is part of [provider.Interface]. Only messages come
// back, so the rules are those for messages.
func (g *guarded) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	resp, crash := ask(ctx, g, rpcValidate, req.TypeName, g.inner.ValidateResourceConfig, req)
	if crash != nil {
		return provider.ValidateResourceConfigResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	r := newReport(rpcValidate, t)
	r.diagnostics(t, resp.Diagnostics)
	r.lawfulSchema(t)
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
	return resp
}
