package guard

import (
	"context"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

var generateRules = []Rule{
	{
		ID: "GENERATE-001", Subject: SubjectAttribute, Title: "is unknown in generated configuration",
		Why:    "Configuration is text, and an unknown value has no text.",
		Fix:    "Set attributes that cannot be known to null.",
		Source: "§17, neither engine: not validated",
		when:   succeeded | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "GENERATE-002", Subject: SubjectAttribute, Title: "does not match the schema in generated configuration",
		Why:    "The engine decodes the response with the schema of the type before it writes the text.",
		Fix:    "Return all attributes of the schema, no others, each with its type; null for those that are not to be written.",
		Source: "§17, Terraform cannot decode it",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "GENERATE-003", Subject: SubjectResponse, Title: "has neither configuration nor an error",
		Why:    "The user requested the configuration of an object and gets an empty one.",
		Fix:    "Set Config; if there can be no configuration for the object, return an error with the reason.",
		Source: "§17, neither engine: not validated",
		when:   succeeded | validSchema, check: func(x *exchange) {
			// A listed resource may have no object.
			if !x.request.(*provider.GenerateResourceConfigRequest).State.IsNull() {
				x.objectNull()
			}
		},
	},
	{
		ID: "GENERATE-004", Subject: SubjectAttribute, Title: "cannot be configured, but has a value in generated configuration",
		Why:    "The configuration would be rejected when it is used.",
		Fix:    "Set attributes that are computed and not optional to null.",
		Source: "§17, neither engine: not validated",
		when:   succeeded | validSchema, check: func(x *exchange) {
			x.eachAttribute(func(path cty.Path, attr *configschema.Attribute, v cty.Value) {
				if attr.Computed && !attr.Optional && !v.IsNull() {
					x.add(path, "%s of %s returned %s for this attribute.", x.rpc, x.typeName, x.describe(path, v))
				}
			})
		},
	},
	{
		ID: "GENERATE-005", Subject: SubjectAttribute, Title: "is required, but null in generated configuration",
		Why:    "The configuration would be rejected when it is used.",
		Fix:    "Give each required attribute a value; if the object does not have it, return a warning that asks the user to set it, with the path of the attribute.",
		Source: "§17, neither engine: not validated",
		when:   succeeded | validSchema, check: func(x *exchange) {
			x.eachAttribute(func(path cty.Path, attr *configschema.Attribute, v cty.Value) {
				if attr.Required && v.IsNull() && !x.hasDiagnosticAt(path) {
					x.add(path, "%s of %s returned null for this attribute.", x.rpc, x.typeName)
				}
			})
		},
	},
}

var generateCall = call[provider.GenerateResourceConfigRequest, provider.GenerateResourceConfigResponse]{
	rpc: "GenerateResourceConfig", family: managed, rules: generateRules, pool: new(sync.Pool),
	invoke:      provider.Interface.GenerateResourceConfig,
	diagnostics: func(resp *provider.GenerateResourceConfigResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, _ *provider.GenerateResourceConfigRequest, resp *provider.GenerateResourceConfigResponse) {
		x.object = resp.Config
	},
	inspect: (*exchange).generatedProblem,
}

// GenerateResourceConfig implements [provider.Interface].
func (g *guarded) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	return run(ctx, g, &generateCall, req.TypeName, req)
}

// generatedProblem returns the first problem of a generated configuration. Write-only attributes may have values.
func (x *exchange) generatedProblem() problem {
	switch conforms := x.t.state.conforms(x.object); {
	case conforms && x.object.IsNull():
		return none
	case len(unknowns(x.object)) > 0:
		return unknownPart
	case !conforms || x.object.ContainsMarked():
		return wrongType
	default:
		return none
	}
}

// eachAttribute calls visit for each attribute of a valid object, except those inside a
// value that is not configurable.
func (x *exchange) eachAttribute(visit func(cty.Path, *configschema.Attribute, cty.Value)) {
	if x.object.IsNull() || x.objectProblem() != none {
		return
	}
	_ = cty.Walk(x.object, func(path cty.Path, v cty.Value) (bool, error) {
		attr := x.t.schema.EnclosingAttribute(path)
		if attr == nil || attr == x.t.schema.EnclosingAttribute(path[:len(path)-1]) {
			return true, nil // a block, or an element of an attribute
		}
		visit(path, attr, v)
		return attr.NestedType != nil && (attr.Optional || !attr.Computed || v.IsNull()), nil
	})
}

// hasDiagnosticAt reports whether the provider returned a diagnostic with the path, such as
// one that requires the user to set a secret.
func (x *exchange) hasDiagnosticAt(path cty.Path) bool {
	return slices.ContainsFunc(x.diagnostics, func(m diag.Diagnostic) bool { return m.Path.Equals(path) })
}
