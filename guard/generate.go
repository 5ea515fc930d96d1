package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcGenerate = "GenerateResourceConfig"

const (
	generateUnknown ID = "GENERATE-001"
	generateMisfit  ID = "GENERATE-002"
)

func generateRules() []Rule {
	return []Rule{
		{
			ID: generateUnknown, RPC: rpcGenerate, Subject: SubjectAttribute, Title: "is unknown in generated configuration",
			Why:    "Configuration is text, and there is no text for an unknown value.",
			Fix:    "Set what cannot be known to null.",
			Source: "§17, neither engine: not validated",
		},
		{
			ID: generateMisfit, RPC: rpcGenerate, Subject: SubjectAttribute, Title: "does not fit the schema in generated configuration",
			Why:    "The engine reads the answer by the type's schema before it writes the text.",
			Fix:    "Return all attributes of the schema, no others, each of its type; null where nothing shall be written.",
			Source: "§17, Terraform cannot decode it",
		},
	}
}

// GenerateResourceConfig is part of [provider.Interface]. Write-only attributes
// may have values here: this is configuration.
func (g *guarded) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	resp, crash := ask(ctx, g, rpcGenerate, req.TypeName, g.inner.GenerateResourceConfig, req)
	if crash != nil {
		return provider.GenerateResourceConfigResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcGenerate, req.TypeName, func() { judgeGenerate(t, &resp) }); crash != nil {
		return provider.GenerateResourceConfigResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeGenerate(t *resourceType, resp *provider.GenerateResourceConfigResponse) {
	r := newReport(rpcGenerate, t)
	r.diagnostics(t, resp.Diagnostics)
	if !resp.Diagnostics.HasErrors() && r.lawfulSchema(t) {
		if len(unknowns(resp.Config)) > 0 {
			r.unknownParts(t, resp.Config, generateUnknown)
		} else if !t.state.conforms(resp.Config) {
			r.misfits(t, resp.Config, generateMisfit)
		}
	}
	if r.broken() {
		resp.Config = cty.NilVal
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}
