package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// difference is a place where two values are not the same.
type difference struct {
	path cty.Path
	// want and got are described for people.
	want, got string
}

// differences are the innermost places where got is not want. Elements of sets
// have no places of their own.
func (s *subject) differences(want, got cty.Value) []difference {
	return s.diff(nil, nil, want, got)
}

func (s *subject) diff(found []difference, path cty.Path, want, got cty.Value) []difference {
	if objchange.Equal(want, got) {
		return found
	}
	if inner := innerPlaces(want, got); inner != nil {
		for _, step := range inner {
			at := append(path.Copy(), step)
			found = s.diff(found, at, valueAt(want, cty.Path{step}), valueAt(got, cty.Path{step}))
		}
		return found
	}
	return append(found, difference{path, s.show(path, want), s.show(path, got)})
}

// innerPlaces are the steps into two values that have the same places, or nil.
func innerPlaces(a, b cty.Value) []cty.PathStep {
	if a == cty.NilVal || b == cty.NilVal || a.IsNull() || b.IsNull() || !a.IsKnown() || !b.IsKnown() {
		return nil
	}
	ty := a.Type()
	var steps []cty.PathStep
	switch {
	case ty.IsObjectType() && b.Type().IsObjectType():
		if !slices.Equal(slices.Sorted(maps.Keys(ty.AttributeTypes())), slices.Sorted(maps.Keys(b.Type().AttributeTypes()))) {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			steps = append(steps, cty.GetAttrStep{Name: name})
		}
	case ty.IsListType() && b.Type().IsListType(), ty.IsTupleType() && b.Type().IsTupleType(), ty.IsMapType() && b.Type().IsMapType():
		if a.LengthInt() != b.LengthInt() {
			return nil
		}
		for key := range a.Elements() {
			if b.HasIndex(key).False() {
				return nil
			}
			steps = append(steps, cty.IndexStep{Key: key})
		}
	}
	return steps
}

// shown is how much of a value is shown, in characters.
const shown = 120

// show describes the value at path, unless it is sensitive or write-only.
func (s *subject) show(path cty.Path, v cty.Value) string {
	if v != cty.NilVal && !v.IsNull() && v.IsKnown() && s.hidden(path) {
		return "(sensitive)"
	}
	return showValue(v)
}

func showValue(v cty.Value) string {
	switch {
	case v == cty.NilVal:
		return "nothing"
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return "(known after apply)"
	case !v.IsWhollyKnown():
		return "a value with parts that are known after apply"
	}
	var text string
	if v.Type() == cty.String {
		text = strconv.Quote(v.AsString())
	} else if raw, err := (ctyjson.SimpleJSONValue{Value: v}).MarshalJSON(); err == nil {
		text = string(raw)
	}
	if runes := []rune(text); len(runes) > shown {
		text = fmt.Sprintf("%s… (%d characters)", string(runes[:shown]), len(runes))
	}
	return text
}

// hidden reports whether the value at path may not be shown.
func (s *subject) hidden(path cty.Path) bool {
	if s.body.SensitiveAt(path) {
		return true
	}
	for i := range path {
		if attr := s.body.AttributeByPath(path[:i+1]); attr != nil && attr.WriteOnly {
			return true
		}
	}
	return false
}

// placed is an error with the path that it is about, up to what may be shown.
func (s *subject) placed(err error) string {
	at, ok := errors.AsType[cty.PathError](err)
	if !ok || len(at.Path) == 0 {
		return err.Error()
	}
	path := at.Path
	for i := range path {
		if attr := s.body.AttributeByPath(path[:i+1]); attr != nil && (attr.Sensitive || attr.WriteOnly) {
			path = path[:i+1]
			break
		}
	}
	return diag.FormatPath(path) + ": " + err.Error()
}
