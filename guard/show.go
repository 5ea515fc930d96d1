package guard

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

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
		attr := schema.AttributeByPath(path[:i+1])
		if attr != nil && (attr.Sensitive || attr.WriteOnly) {
			return path[:i+1], true
		}
	}
	return path, false
}

// sendable returns path up to the first set element: the protocol cannot express these, and
// the key of one would be its value.
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

// describe returns the type and the length of v for a message, or v itself if it is
// a primitive value that may be shown.
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

// article returns the short name of a type after its article.
func article(ty cty.Type) string {
	name := typeName(ty)
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// typeName returns the short name of a type, or of the missing type.
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

// valueAt returns the value at path, or NilVal. Unlike [cty.Path.Apply] it accepts
// an attribute step for the key of a map, as in the paths of package objchange.
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
