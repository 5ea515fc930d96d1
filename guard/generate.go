package guard

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcGenerate = "GenerateResourceConfig"

const (
	generateUnknown ID = "GENERATE-001"
	generateMisfit  ID = "GENERATE-002"
	generateNothing ID = "GENERATE-003"
	generateReadout ID = "GENERATE-004"
	generateUnset   ID = "GENERATE-005"
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
		{
			ID: generateNothing, RPC: rpcGenerate, Subject: SubjectAnswer, Title: "has neither configuration nor an error",
			Why:    "The user asked for the configuration of an object and gets an empty one.",
			Fix:    "Set Config; if there can be no configuration for the object, return an error that says why.",
			Source: "§17, neither engine: not validated",
		},
		{
			ID: generateReadout, RPC: rpcGenerate, Subject: SubjectAttribute, Title: "cannot be configured, but has a value in generated configuration",
			Why:    "The configuration would be refused as soon as it is used.",
			Fix:    "Set to null what is computed and not optional.",
			Source: "§17, neither engine: not validated",
		},
		{
			ID: generateUnset, RPC: rpcGenerate, Subject: SubjectAttribute, Title: "is required, but null in generated configuration",
			Why:    "The configuration would be refused as soon as it is used.",
			Fix:    "Give each required attribute a value; where the object does not tell it, return a warning with the path of the attribute, which says to write it.",
			Source: "§17, neither engine: not validated",
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
	if crash = g.judging(ctx, rpcGenerate, req.TypeName, func() { judgeGenerate(t, &req, &resp) }); crash != nil {
		return provider.GenerateResourceConfigResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeGenerate(t *resourceType, req *provider.GenerateResourceConfigRequest, resp *provider.GenerateResourceConfigResponse) {
	r := newReport(rpcGenerate, t)
	r.diagnostics(t, resp.Diagnostics)
	if !resp.Diagnostics.HasErrors() && r.lawfulSchema(t) {
		config := resp.Config
		switch {
		case config.IsNull() && t.state.conforms(config):
			if !req.State.IsNull() { // there may be results of a search without an object
				r.add(generateNothing, nil, "%s of %s answered null for an object that exists.", rpcGenerate, t.name)
			}
		case len(unknowns(config)) > 0:
			r.unknownParts(t, config, generateUnknown)
		case !t.state.conforms(config) || config.ContainsMarked():
			r.misfits(t, config, generateMisfit)
		default:
			r.configurable(t, config, resp.Diagnostics)
		}
	}
	if r.broken() {
		resp.Config = cty.NilVal
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// configurable judges whether the attributes that are set are those that may
// and must be. One that nobody but the user can write, a secret for example, may
// be left to the user, who has to be told.
func (r *report) configurable(t *resourceType, config cty.Value, said diag.Diagnostics) {
	told := func(path cty.Path) bool {
		return slices.ContainsFunc(said, func(m diag.Diagnostic) bool { return m.Path.Equals(path) })
	}
	_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) {
		attr := t.schema.AttributeByPath(path)
		if attr == nil || attr == t.schema.AttributeByPath(path[:len(path)-1]) {
			return true, nil // a block, or an element of an attribute
		}
		switch {
		case attr.Required && v.IsNull() && !told(path):
			r.add(generateUnset, path, "%s of %s answered null for it.", r.rpc, t.name)
		case attr.Computed && !attr.Optional && !v.IsNull():
			r.add(generateReadout, path, "%s of %s answered %s for it.", r.rpc, t.name, r.describe(path, v))
			return false, nil
		}
		return attr.NestedType != nil, nil
	})
}
