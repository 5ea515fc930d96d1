package functions

import (
	"errors"

	"github.com/zclconf/go-cty/cty"
)

// Arguments whose parts have different types, such as a string and a list, have no Go type.
// These functions inspect such values, which are wholly known.

func isObject(v cty.Value) bool {
	return !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType())
}

func isList(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsTupleType() || t.IsListType() || t.IsSetType())
}

// oneOrMore returns the elements of a list, or v itself if it is not a list.
func oneOrMore(v cty.Value) []cty.Value {
	if isList(v) {
		return v.AsValueSlice()
	}
	return []cty.Value{v}
}

// elements returns the strings of a list, or the single string.
func elements(v cty.Value) ([]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	var texts []string
	for _, one := range oneOrMore(v) {
		if one.IsNull() || one.Type() != cty.String {
			return nil, errors.New("must be a string or a list of strings")
		}
		texts = append(texts, one.AsString())
	}
	return texts, nil
}
