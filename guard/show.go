package guard

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// shown is how much of a string is shown, in characters.
const shown = 40

// showable is the part of path that may be shown, and whether the value there
// must be hidden. Below a sensitive or write-only attribute not even keys are
// shown: they may be what is sensitive. A place that the schema does not know
// is hidden too, because nobody can tell.
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

// sendable is path up to the first element of a set: the protocol has no way to
// name such an element, and its key would be its value.
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

// describe says what v is for the reader of a message: its kind and type, its
// length, and the value itself if it is a simple one that may be shown.
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
		return article(ty) + " (hidden, for it is sensitive or write-only)"
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
	if runes := []rune(s); len(runes) > shown {
		return fmt.Sprintf("a string of %d bytes that begins %s", len(s), strconv.Quote(string(runes[:shown])))
	}
	return "the string " + strconv.Quote(s)
}

// article is the short name of a type after its article.
func article(ty cty.Type) string {
	name := typeName(ty)
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// typeName is the short name of a type; it knows the missing type, too.
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

// valueAt is the value that path leads to, or NilVal. Unlike [cty.Path.Apply] it
// accepts an attribute step for the key of a map, as paths from package
// objchange have them.
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
