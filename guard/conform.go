package guard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// conforms reports whether v has the type of the shape. NilVal and a null of
// dynamic type count as null of any type.
func (s *shape) conforms(v cty.Value) bool {
	ty := v.Type()
	if ty == cty.NilType || ty == cty.DynamicPseudoType {
		return v.IsNull()
	}
	if !s.dynamic {
		return ty.Equals(s.ty)
	}
	return typeConforms(ty, s.ty)
}

// typeConforms reports whether given equals want, where any type equals the dynamic
// type in want.
func typeConforms(given, want cty.Type) bool {
	switch {
	case given == cty.NilType:
		return false
	case want == cty.DynamicPseudoType:
		return true
	case !want.HasDynamicTypes():
		return given.Equals(want)
	case given.IsObjectType() && want.IsObjectType():
		wanted := want.AttributeTypes()
		if len(given.AttributeTypes()) != len(wanted) {
			return false
		}
		for name, ty := range given.AttributeTypes() {
			if w, ok := wanted[name]; !ok || !typeConforms(ty, w) {
				return false
			}
		}
		return true
	case given.IsTupleType() && want.IsTupleType():
		return slices.EqualFunc(given.TupleElementTypes(), want.TupleElementTypes(), typeConforms)
	case given.IsListType() && want.IsListType(),
		given.IsSetType() && want.IsSetType(),
		given.IsMapType() && want.IsMapType():
		return typeConforms(given.ElementType(), want.ElementType())
	default:
		return false
	}
}

// part is a place in a value or type, with the value there or a text about the place.
type part struct {
	path  cty.Path
	value cty.Value
	text  string
}

// mismatches returns the places where given differs from want: those that want has, sorted by
// name, and then those that only given has. The path of a place in a collection has no step for the
// element.
func mismatches(given, want cty.Type, path cty.Path) (found []part) {
	if typeConforms(given, want) {
		return nil
	}
	switch {
	case given == cty.NilType:
		return []part{{path: path, text: "is missing (cty.NilVal)"}}
	case given.IsObjectType() && want.IsObjectType():
		has, wanted := given.AttributeTypes(), want.AttributeTypes()
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			at := path.GetAttr(name)
			if ty, ok := has[name]; ok {
				found = append(found, mismatches(ty, wanted[name], at)...)
			} else {
				found = append(found, part{path: at, text: "is missing"})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(has)) {
			if _, ok := wanted[name]; !ok {
				found = append(found, part{path: path.GetAttr(name), text: "is not in the schema"})
			}
		}
		return found
	case given.IsListType() && want.IsListType(),
		given.IsSetType() && want.IsSetType(),
		given.IsMapType() && want.IsMapType():
		return mismatches(given.ElementType(), want.ElementType(), path)
	default:
		return []part{{path: path, text: fmt.Sprintf("is %s where the schema has %s", article(given), article(want))}}
	}
}

// marks returns the parts of v that have marks.
func marks(v cty.Value) (found []part) {
	for path, value := range cty.DeepValues(v) {
		if value.IsMarked() {
			found = append(found, part{path: path.Copy(), text: "has a mark, so it cannot be sent"})
		}
	}
	return found
}

// unknowns returns the unknown parts of v.
func unknowns(v cty.Value) (found []part) {
	for path, value := range cty.DeepValues(v) {
		if !value.IsKnown() {
			found = append(found, part{path: path.Copy(), value: value})
		}
	}
	return found
}

// withoutWriteOnly returns v with null write-only attributes.
func withoutWriteOnly(schema *configschema.Block, v cty.Value) cty.Value {
	out, _ := cty.Transform(v, func(path cty.Path, part cty.Value) (cty.Value, error) { // the callback returns no error
		if attr := schema.EnclosingAttribute(path); attr != nil && attr.WriteOnly && !part.IsNull() {
			return cty.NullVal(part.Type()), nil
		}
		return part, nil
	})
	return out
}
