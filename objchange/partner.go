package objchange

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// fewElements is the number of elements below which trying all pairs is faster
// than matching by key.
const fewElements = 8

// matchByKey reports whether each element on either side has a matching element on
// the other, without trying all pairs: elements can match only if they agree in
// every primitive attribute that is known in all planned elements. If it returns false,
// all pairs must be tried.
func matchByKey(want, got []cty.Value, schema *configschema.Block) bool {
	if len(want) < fewElements || len(got) > len(want) {
		return false
	}
	names := discriminators(want)
	if len(names) == 0 {
		return false
	}
	byKey := make(map[string][]int, len(got))
	for j, g := range got {
		key, ok := keyOf(g, names)
		if !ok {
			return false
		}
		byKey[key] = append(byKey[key], j)
	}
	found := make([]bool, len(got))
	for _, w := range want {
		key, _ := keyOf(w, names)
		has := false
		for _, j := range byKey[key] {
			if (!has || !found[j]) && compatibleElements(w, got[j], schema) {
				has, found[j] = true, true
			}
		}
		if !has {
			return false
		}
	}
	return !slices.Contains(found, false)
}

// discriminators returns the sorted names of the attributes of primitive types that
// are known in every element.
func discriminators(elems []cty.Value) []string {
	if !elems[0].Type().IsObjectType() {
		return nil
	}
	var names []string
	for name, ty := range elems[0].Type().AttributeTypes() {
		if ty.IsPrimitiveType() && !slices.ContainsFunc(elems, func(e cty.Value) bool {
			return !isKnown(e) || !plain(e.GetAttr(name)).IsKnown()
		}) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keyOf returns a key of the values of some attributes. Equal values have equal
// keys, except for numbers of different precision, for which all pairs are
// tried. ok is false if v is not a known object or an attribute is missing, unknown or
// not primitive.
func keyOf(v cty.Value, names []string) (key string, ok bool) {
	if !isKnown(v) || !v.Type().IsObjectType() {
		return "", false
	}
	var b strings.Builder
	for _, name := range names {
		switch a := attribute(v, name); {
		case a == cty.NilVal || !a.IsKnown():
			return "", false
		case a.IsNull():
			b.WriteByte('n')
		case a.Type() == cty.String:
			s := a.AsString()
			b.WriteString(strconv.Itoa(len(s)))
			b.WriteByte(':')
			b.WriteString(s)
		case a.Type() == cty.Bool:
			b.WriteString(strconv.FormatBool(a.True()))
		case a.Type() == cty.Number:
			b.WriteString(a.AsBigFloat().Text('g', -1))
		default:
			return "", false
		}
		b.WriteByte(' ')
	}
	return b.String(), true
}
