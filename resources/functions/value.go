package functions

import (
	"errors"

	"github.com/zclconf/go-cty/cty"
)

// Arguments whose parts are of different kinds, a text here and a list there,
// have no Go type. These say what such a value is; it is known throughout.

func isObject(v cty.Value) bool {
	return !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType())
}

func isList(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsTupleType() || t.IsListType() || t.IsSetType())
}

// oneOrMore are the elements of a list, or the value itself where it is none.
func oneOrMore(v cty.Value) []cty.Value {
	if isList(v) {
		return v.AsValueSlice()
	}
	return []cty.Value{v}
}

// elements are the texts of a value that is one, or a list of them.
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
