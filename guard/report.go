package guard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// maxPlaces limits the number of places in one response, or in one schema, that are reported
// for one rule.
const maxPlaces = 10

// report collects the broken rules of one response.
type report struct {
	rpc      string
	typeName string
	// rule is the rule that is being checked.
	rule *Rule
	// schema determines which values may be shown, and ty which parts are sets. They are
	// zero in reports about functions, schemas and panics.
	schema *configschema.Block
	ty     cty.Type
	// elsewhere means that the paths of the object do not exist in the configuration.
	elsewhere bool

	list diag.Diagnostics
	ids  []ID // IDs of the rules of the list, with repetitions
}

func newReport(rpc string, t *resourceType) report {
	return report{rpc: rpc, typeName: t.name, schema: t.schema, ty: t.state.ty}
}

// broken reports whether the response broke a rule whose message is an error.
func (r *report) broken() bool { return r.list.HasErrors() }

// add reports that the rule is broken at path. The formatted text explains why, without
// sensitive values.
func (r *report) add(path cty.Path, format string, args ...any) {
	rule, n := r.rule, 0
	for _, other := range r.ids {
		if other == rule.ID {
			n++
		}
	}
	if n > maxPlaces {
		return
	}
	m := diag.Diagnostic{Severity: rule.Severity}
	if rule.Subject == SubjectAttribute || rule.Subject == SubjectBlock {
		path = r.shownPart(path)
		if !r.elsewhere {
			m.Path = sendable(existingPart(r.ty, path))
		}
	}
	if n == maxPlaces {
		m.Path = nil
		m.Summary = fmt.Sprintf("Provider bug: %s %s in more places (%s)", r.where(nil), rule.Title, rule.ID)
	} else {
		m.Summary = fmt.Sprintf("Provider bug: %s %s (%s)", r.where(path), rule.Title, rule.ID)
		m.Detail = fmt.Sprintf("%s\n\nWhy it matters: %s\nTo change in the provider: %s",
			fmt.Sprintf(format, args...), rule.Why, rule.Fix)
	}
	r.list = append(r.list, m)
	r.ids = append(r.ids, rule.ID)
}

// where returns the subject for a message about the rule.
func (r *report) where(path cty.Path) string {
	name := cmp.Or(r.typeName, "the provider")
	in := ""
	if at := diag.FormatPath(path); at != "" {
		in = at + " in "
	}
	switch r.rule.Subject {
	case SubjectIdentity, SubjectResult, SubjectSchema:
		return in + "the " + string(r.rule.Subject) + " of " + name
	case SubjectPrivate:
		return "the private data of " + name
	case SubjectDiagnostic:
		return "a diagnostic of " + r.rpc + " for " + name
	case SubjectResponse:
		return "the response of " + name + " to " + r.rpc
	}
	return address(name, path)
}

// place returns the address of an attribute or block for a message.
func (r *report) place(path cty.Path) string { return address(r.typeName, r.shownPart(path)) }

func address(name string, path cty.Path) string {
	at := diag.FormatPath(path)
	if at != "" && !strings.HasPrefix(at, "[") {
		name += "."
	}
	return name + at
}

// addTo returns the diagnostics of the provider followed by those of the report.
func (r *report) addTo(own diag.Diagnostics) diag.Diagnostics { return with(own, r.list) }

// with joins diagnostics without modifying the slice of the provider.
func with(own, more diag.Diagnostics) diag.Diagnostics {
	return append(slices.Clip(own), more...)
}

// pathOf returns the path of err, or nil if err has no path, and the text of err without
// the path.
func pathOf(err error) (cty.Path, string) {
	if at, ok := errors.AsType[cty.PathError](err); ok {
		return at.Path, at.Error()
	}
	return nil, err.Error()
}

// each returns the errors that err joins, or only err if it joins none; nil if err is nil.
func each(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// shownPart returns the part of path that may be shown.
func (r *report) shownPart(path cty.Path) cty.Path {
	path, _ = showable(r.schema, path)
	return r.starred(path)
}

// starred returns path with unknown keys for the elements of sets, which have no
// names.
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

// maxShown limits the part of a string that is shown, in characters.
const maxShown = 40

// showable returns the part of path that may be shown, and whether the value there must be
// hidden. Keys below a sensitive or write-only attribute are not shown, because they may be
// sensitive.
func showable(schema *configschema.Block, path cty.Path) (cty.Path, bool) {
	if schema == nil {
		return path, false
	}
	for i := range path {
		attr := schema.EnclosingAttribute(path[:i+1])
		if attr != nil && (attr.Sensitive || attr.WriteOnly) {
			return path[:i+1], true
		}
	}
	return path, false
}

// sendable returns path up to the first set element: the protocol cannot express the key of a set
// element, which is the element itself.
func sendable(path cty.Path) cty.Path {
	for i, step := range path {
		index, ok := step.(cty.IndexStep)
		if !ok {
			continue
		}
		if ty := index.Key.Type(); ty != cty.Number && ty != cty.String || !index.Key.IsKnown() || index.Key.IsNull() {
			return path[:i].Copy()
		}
	}
	return path.Copy()
}

// describe returns a description of v for a message: missing, null or unknown; a primitive value that may
// be shown, or the start of a long string; or the type, with the length of a collection that may be shown.
func (r *report) describe(path cty.Path, v cty.Value) string {
	_, hidden := showable(r.schema, path)
	return describe(v, hidden)
}

func describe(v cty.Value, hidden bool) string {
	if v == cty.NilVal {
		return "nothing"
	}
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case !v.IsKnown() && ty == cty.DynamicPseudoType:
		return "an unknown value"
	case !v.IsKnown():
		return "an unknown " + typeName(ty)
	case hidden:
		return article(ty) + " (hidden: sensitive or write-only)"
	case ty == cty.String:
		return describeString(v.AsString())
	case ty == cty.Number:
		return "the number " + v.AsBigFloat().Text('g', 20)
	case ty == cty.Bool:
		return strconv.FormatBool(v.True())
	case ty.IsListType(), ty.IsSetType(), ty.IsMapType(), ty.IsTupleType():
		return article(ty) + " with " + diag.Count(v.LengthInt(), "element")
	default:
		return article(ty)
	}
}

func describeString(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		return fmt.Sprintf("a string of %d bytes that starts with %s", len(s), strconv.Quote(string(runes[:maxShown])))
	}
	return "the string " + strconv.Quote(s)
}

// article returns the short name of a type with the indefinite article.
func article(ty cty.Type) string {
	name := typeName(ty)
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// typeName returns the short name of ty, which may be [cty.NilType].
func typeName(ty cty.Type) string {
	switch {
	case ty == cty.NilType:
		return "missing type (cty.NilVal)"
	case ty == cty.DynamicPseudoType:
		return "value of any type"
	default:
		return ty.FriendlyName()
	}
}

// valueAt returns the value at path, or NilVal if v has no value there. Unlike [cty.Path.Apply], it
// accepts an attribute step for the key of a map, as in the paths of package objchange.
func valueAt(v cty.Value, path cty.Path) cty.Value {
	for _, step := range path {
		if v == cty.NilVal || v.IsNull() {
			return cty.NilVal
		}
		v, _ = v.Unmark()
		if attr, ok := step.(cty.GetAttrStep); ok && v.Type().IsMapType() {
			step = cty.IndexStep{Key: cty.StringVal(attr.Name)}
		}
		next, err := step.Apply(v)
		if err != nil {
			return cty.NilVal
		}
		v = next
	}
	return v
}
