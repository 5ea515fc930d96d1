package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// The response of these exchanges is a *diag.Diagnostic.
var diagnosticRules = []Rule{
	{
		ID: "DIAG-001", Subject: SubjectDiagnostic, Title: "is neither an error nor a warning",
		Why:    "Both engines show such a diagnostic and go on, even if it was meant to stop them.",
		Fix:    "Give the diagnostic the severity Error or Warning.",
		Source: "§1, neither engine: shown, never fatal",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); m.Severity != diag.Error && m.Severity != diag.Warning {
				x.add(nil, "The diagnostic has severity %d.", m.Severity)
			}
		},
	},
	{
		ID: "DIAG-002", Subject: SubjectDiagnostic, Title: "has no summary", Severity: diag.Warning,
		Why:    "The summary is the only part that is always shown.",
		Fix:    "Say in one line what happened.",
		Source: "neither engine",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); m.Summary == "" {
				x.add(nil, "The diagnostic has a detail of %s and no summary.", diag.Count(len(m.Detail), "byte"))
			}
		},
	},
	{
		ID: "DIAG-003", Subject: SubjectDiagnostic, Title: "is about an attribute that does not exist", Severity: diag.Warning,
		Why:    "Both engines fall back to the whole body and do not show the line that is wrong.",
		Fix:    "Correct the path; it is probably misspelled or has a step too many.",
		Source: "§1, neither engine: falls back to the whole body",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); !pathExists(x.diagnosticType(), m.Path) {
				shownPath, _ := showable(x.schema, m.Path)
				x.add(nil, "The diagnostic has the path %q.", diag.FormatPath(shownPath))
			}
		},
	},
}

// checkDiagnostics checks the provider's own diagnostics.
func (x *exchange) checkDiagnostics() {
	response := x.response
	for i := range x.diagnostics {
		x.response = &x.diagnostics[i]
		x.check(diagnosticRules)
	}
	x.response = response
}

// diagnosticType returns the type that the paths of diagnostics are about; any
// type if the schema is not valid.
func (x *exchange) diagnosticType() cty.Type {
	if len(x.t.schemaErrors) > 0 {
		return cty.DynamicPseudoType
	}
	return x.t.state.ty
}

// existingPart returns the part of path that exists in the type.
func existingPart(ty cty.Type, path cty.Path) cty.Path {
	for !pathExists(ty, path) {
		path = path[:len(path)-1]
	}
	return path
}

// pathExists reports whether values of the type can have a part at path.
func pathExists(ty cty.Type, path cty.Path) bool {
	for _, step := range path {
		if ty == cty.DynamicPseudoType {
			return true
		}
		attr, isAttr := step.(cty.GetAttrStep)
		switch {
		case ty.IsObjectType() && isAttr && ty.HasAttribute(attr.Name):
			ty = ty.AttributeType(attr.Name)
		case ty.IsListType() && !isAttr, ty.IsSetType() && !isAttr, ty.IsMapType():
			ty = ty.ElementType()
		case ty.IsTupleType() && !isAttr:
			return true
		default:
			return false
		}
	}
	return true
}
