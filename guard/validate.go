package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcValidate = "ValidateResourceConfig"

// ValidateResourceConfig is part of [provider.Interface]. Only messages come
// back, so the rules are those for messages.
func (g *guarded) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	resp, crash := ask(ctx, g, rpcValidate, req.TypeName, g.inner.ValidateResourceConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidate, g.resource(ctx, req.TypeName), resp.Diagnostics, crash)
	return resp
}

// messages is what there is to say about an answer that has nothing but
// messages: these, or why there is no answer. The type is nil if the provider
// has no such type; then nothing is judged.
func (g *guarded) messages(ctx context.Context, rpc string, t *resourceType, answer, crash diag.Diagnostics) diag.Diagnostics {
	if crash != nil {
		return crash
	}
	if t == nil || len(answer) == 0 && len(t.unlawful) == 0 {
		return answer
	}
	crash = g.judging(ctx, rpc, t.name, func() {
		r := newReport(rpc, t)
		r.diagnostics(t, answer)
		r.lawfulSchema(t)
		answer = r.addTo(answer)
	})
	return with(answer, crash)
}
