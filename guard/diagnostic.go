package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

const (
	diagnosticSeverity ID = "DIAG-001"
	diagnosticSummary  ID = "DIAG-002"
	diagnosticPath     ID = "DIAG-003"
)

func diagnosticRules() []Rule {
	return []Rule{
		{
			ID: diagnosticSeverity, Subject: SubjectDiagnostic, Title: "is neither an error nor a warning",
			Why:    "Both engines show such a message and go on, even if it was meant to stop them.",
			Fix:    "Give the message the severity Error or Warning.",
			Source: "§1, neither engine: shown, never fatal",
		},
		{
			ID: diagnosticSummary, Subject: SubjectDiagnostic, Title: "has no summary", Severity: diag.Warning,
			Why:    "The summary is the only part that is always shown.",
			Fix:    "Say in one line what happened.",
			Source: "neither engine",
		},
		{
			ID: diagnosticPath, Subject: SubjectDiagnostic, Title: "is about an attribute that does not exist", Severity: diag.Warning,
			Why:    "Both engines fall back to the whole body, so that the user is not shown the line that is wrong.",
			Fix:    "Correct the path; it is probably misspelled or has a step too many.",
			Source: "§1, neither engine: falls back to the whole body",
		},
	}
}

// diagnostics judges the messages of an answer about t.
func (r *report) diagnostics(t *resourceType, messages diag.Diagnostics) {
	ty := t.state.ty
	if len(t.unlawful) > 0 {
		ty = cty.DynamicPseudoType
	}
	for i := range messages {
		r.diagnostic(&messages[i], ty)
	}
}

// diagnostic judges one message about an object of the type.
func (r *report) diagnostic(m *diag.Diagnostic, ty cty.Type) {
	if m.Severity != diag.Error && m.Severity != diag.Warning {
		r.add(diagnosticSeverity, nil, "The message has severity %d.", m.Severity)
	}
	if m.Summary == "" {
		r.add(diagnosticSummary, nil, "The message has a detail of %s and no summary.", diag.Count(len(m.Detail), "byte"))
	}
	if !leadsSomewhere(ty, m.Path) {
		shownPath, _ := showable(r.schema, m.Path)
		r.add(diagnosticPath, nil, "The message has the path %q.", diag.FormatPath(shownPath))
	}
}

// known is the part of path that values of the type can have: a message about
// what should not be there is about what it is in.
func known(ty cty.Type, path cty.Path) cty.Path {
	for !leadsSomewhere(ty, path) {
		path = path[:len(path)-1]
	}
	return path
}

// leadsSomewhere reports whether values of the type can have a part at path.
func leadsSomewhere(ty cty.Type, path cty.Path) bool {
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
