package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// most is how many places are named that break one rule in one answer.
const most = 10

// report collects the broken rules of one answer. Nothing is worded before a
// rule is broken.
type report struct {
	rpc      string
	typeName string
	// schema tells which values may be shown, and ty where sets are; they have
	// no value where the answer is not about an object.
	schema *configschema.Block
	ty     cty.Type
	// elsewhere: a client knows no place in the configuration for a path.
	elsewhere bool

	list diag.Diagnostics
	ids  []ID // of the rules that were broken, repeated ones too
}

// newReport begins the report on an answer about t.
func newReport(rpc string, t *resourceType) report {
	return report{rpc: rpc, typeName: t.name, schema: t.schema, ty: t.state.ty}
}

// reset begins the report on another answer about the same type.
func (r *report) reset() { r.list, r.ids = nil, nil }

// broken reports whether the answer broke a rule whose message is an error.
func (r *report) broken() bool { return r.list.HasErrors() }

// add records that the rule is broken at path; what says how, in a sentence
// without a sensitive value.
func (r *report) add(id ID, path cty.Path, what string, args ...any) {
	n := 0
	for _, other := range r.ids {
		if other == id {
			n++
		}
	}
	if n > most {
		return
	}
	rule := ruleOf(id)
	m := diag.Diagnostic{Severity: rule.Severity}
	if rule.Subject == SubjectAttribute || rule.Subject == SubjectBlock {
		path = r.shownPart(path)
		if !r.elsewhere {
			m.Path = sendable(known(r.ty, path))
		}
	}
	if n == most {
		m.Path = nil
		m.Summary = fmt.Sprintf("Provider bug: %s %s in more places (%s)", r.where(rule, nil), rule.Title, id)
	} else {
		m.Summary = fmt.Sprintf("Provider bug: %s %s (%s)", r.where(rule, path), rule.Title, id)
		m.Detail = fmt.Sprintf("%s\n\nWhy it matters: %s\nTo change in the provider: %s",
			fmt.Sprintf(what, args...), rule.Why, rule.Fix)
	}
	r.list = append(r.list, m)
	r.ids = append(r.ids, id)
}

// where is the subject of a message as its reader knows it.
func (r *report) where(rule Rule, path cty.Path) string {
	name := r.typeName
	if name == "" {
		name = "the provider"
	}
	at := diag.FormatPath(path)
	switch rule.Subject {
	case SubjectIdentity:
		if at != "" {
			return at + " in the identity of " + name
		}
		return "the identity of " + name
	case SubjectResult:
		if at != "" {
			return at + " in the result of " + name
		}
		return "the result of " + name
	case SubjectPrivate:
		return "the private data of " + name
	case SubjectSchema:
		if at != "" {
			return at + " in the schema of " + name
		}
		return "the schema of " + name
	case SubjectDiagnostic:
		return "a message of " + r.rpc + " for " + name
	case SubjectAnswer:
		return "the answer of " + name + " to " + r.rpc
	}
	if at == "" {
		return name
	}
	if strings.HasPrefix(at, "[") {
		return name + at
	}
	return name + "." + at
}

// addTo is the messages of the answer followed by those of the report.
func (r *report) addTo(answer diag.Diagnostics) diag.Diagnostics { return with(answer, r.list) }

// with never writes into the memory of the provider's own messages.
func with(answer, more diag.Diagnostics) diag.Diagnostics {
	return append(slices.Clip(answer), more...)
}

// pathOf is the place that an error of a lower package is about, and its text
// without the place.
func pathOf(err error) (cty.Path, string) {
	var at cty.PathError
	if !errors.As(err, &at) {
		return nil, err.Error()
	}
	return at.Path, at.Error()
}

// each is the errors that err joins.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// shownPart is the part of path that may be shown.
func (r *report) shownPart(path cty.Path) cty.Path {
	path, _ = showable(r.schema, path)
	return r.starred(path)
}

// starred is path with the elements of sets made unknown: they have no names.
func (r *report) starred(path cty.Path) cty.Path {
	ty := r.ty
	for i, step := range path {
		attr, isAttr := step.(cty.GetAttrStep)
		switch {
		case ty.IsSetType():
			path = path.Copy()
			path[i] = cty.IndexStep{Key: cty.DynamicVal}
			ty = ty.ElementType()
		case ty.IsListType(), ty.IsMapType():
			ty = ty.ElementType()
		case isAttr && ty.IsObjectType() && ty.HasAttribute(attr.Name):
			ty = ty.AttributeType(attr.Name)
		default:
			return path
		}
	}
	return path
}

// lawfulSchema reports whether values can be judged by t's schema. If not, the
// answer gets the schema's errors, which the client must have missed.
func (r *report) lawfulSchema(t *resourceType) bool {
	r.list = append(r.list, t.unlawful...)
	return len(t.unlawful) == 0
}
