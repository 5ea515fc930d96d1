package lang

import (
	"errors"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

func collectionFunctions() map[string]function.Function {
	return map[string]function.Function{
		"index": indexFunction(), "length": lengthFunction(), "lookup": lookupFunction(), "matchkeys": matchkeysFunction(),
		"one": oneFunction(), "sum": sumFunction(), "transpose": transposeFunction(),
	}
}

func isSequence(t cty.Type) bool { return t.IsListType() || t.IsTupleType() }

// lengthFunction returns the length function, which counts elements, attributes or
// characters.
func lengthFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowUnknown: true, AllowMarked: true,
		}},
		RefineResult: notNull,
		Type: func(args []cty.Value) (cty.Type, error) {
			t := args[0].Type()
			if t == cty.String || t == cty.DynamicPseudoType || t.IsTupleType() || t.IsObjectType() || t.IsCollectionType() {
				return cty.Number, nil
			}
			return cty.NilType, function.NewArgErrorf(0, "a %s has no length: a string, collection, tuple or object is required", t.FriendlyName())
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, marks := args[0].Unmark()
			switch t := v.Type(); {
			case t == cty.DynamicPseudoType:
				return cty.UnknownVal(cty.Number).WithMarks(marks), nil
			case t.IsTupleType():
				return cty.NumberIntVal(int64(t.Length())).WithMarks(marks), nil
			case t.IsObjectType():
				return cty.NumberIntVal(int64(len(t.AttributeTypes()))).WithMarks(marks), nil
			case t == cty.String:
				n, err := stdlib.Strlen(v)
				return n.WithMarks(marks), err
			default:
				return v.Length().WithMarks(marks), nil
			}
		},
	})
}

// lookupFunction returns the lookup function, which returns the element with a key, or the default.
func lookupFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "inputMap", Type: cty.DynamicPseudoType, AllowMarked: true},
			{Name: "key", Type: cty.String, AllowMarked: true},
		},
		VarParam: &function.Parameter{
			Name: "default", Type: cty.DynamicPseudoType,
			AllowUnknown: true, AllowDynamicType: true, AllowNull: true, AllowMarked: true,
		},
		Type: lookupType,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			from, fromMarks := args[0].Unmark()
			key, keyMarks := args[1].Unmark()
			found := cty.NilVal
			switch {
			case from.Type().IsObjectType():
				if from.Type().HasAttribute(key.AsString()) {
					found = from.GetAttr(key.AsString())
				}
			case from.HasIndex(key).True():
				found = from.Index(key)
			}
			if found == cty.NilVal {
				if len(args) < 3 {
					return cty.NilVal, function.NewArgErrorf(1, "the map does not have this key, and there is no default")
				}
				var err error
				if found, err = convert.Convert(args[2], result); err != nil {
					return cty.NilVal, function.NewArgErrorf(2, "the default: %w", err)
				}
			}
			return found.WithMarks(fromMarks, keyMarks), nil
		},
	})
}

func lookupType(args []cty.Value) (cty.Type, error) {
	if len(args) > 3 {
		return cty.NilType, function.NewArgErrorf(3, "at most one default is permitted")
	}
	switch t := args[0].Type(); {
	case t.IsMapType():
		if len(args) == 3 {
			if _, err := convert.Convert(args[2], t.ElementType()); err != nil {
				return cty.NilType, function.NewArgErrorf(2, "the default must have the type of the map's elements: %w", err)
			}
		}
		return t.ElementType(), nil
	case !t.IsObjectType():
		return cty.NilType, function.NewArgErrorf(0, "a map or an object is required, not a value of type %s", t.FriendlyName())
	case !args[1].IsKnown():
		return cty.DynamicPseudoType, nil
	default:
		key, _ := args[1].Unmark()
		if t.HasAttribute(key.AsString()) {
			return t.AttributeType(key.AsString()), nil
		}
		if len(args) == 3 {
			return args[2].Type(), nil
		}
		return cty.NilType, function.NewArgErrorf(1, "the object does not have this attribute, and there is no default")
	}
}

// indexFunction returns the index function, which returns the index of an element.
func indexFunction() function.Function {
	return function.New(&function.Spec{
		Params:       []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}, {Name: "value", Type: cty.DynamicPseudoType}},
		Type:         function.StaticReturnType(cty.Number),
		RefineResult: notNull,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			if !isSequence(args[0].Type()) {
				return cty.NilVal, function.NewArgErrorf(0, "a list or tuple is required, not a value of type %s", args[0].Type().FriendlyName())
			}
			for at, element := range args[0].Elements() {
				same, err := stdlib.Equal(element, args[1])
				if err != nil {
					return cty.NilVal, err
				}
				if !same.IsKnown() {
					return cty.UnknownVal(result), nil
				}
				if same.True() {
					return at, nil
				}
			}
			return cty.NilVal, errors.New("the list does not have the value")
		},
	})
}

// matchkeysFunction returns the matchkeys function, which returns the values whose keys are in the set.
// Unknown elements of the set match nothing, as in Terraform and OpenTofu.
func matchkeysFunction() function.Function {
	list := cty.List(cty.DynamicPseudoType)
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "values", Type: list}, {Name: "keys", Type: list}, {Name: "searchset", Type: list}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if t, _ := convert.UnifyUnsafe([]cty.Type{args[1].Type(), args[2].Type()}); t == cty.NilType {
				return cty.NilType, function.NewArgErrorf(2, "keys and searchset must have the same type")
			}
			return args[0].Type(), nil
		},
		RefineResult: notNull,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			if !args[0].IsWhollyKnown() || !args[1].IsWhollyKnown() {
				return cty.UnknownVal(result), nil
			}
			values, keys := args[0].AsValueSlice(), args[1].AsValueSlice()
			if len(values) != len(keys) {
				return cty.NilVal, function.NewArgErrorf(1, "the numbers of keys and values must be equal")
			}
			picked := []cty.Value{}
			for i, key := range keys {
				if slices.ContainsFunc(args[2].AsValueSlice(), func(wanted cty.Value) bool { return alike(key, wanted) }) {
					picked = append(picked, values[i])
				}
			}
			return listOf(result.ElementType(), picked), nil
		},
	})
}

// alike reports whether a and b are equal after conversion to one type.
func alike(a, b cty.Value) bool {
	t, _ := convert.UnifyUnsafe([]cty.Type{a.Type(), b.Type()})
	if t == cty.NilType {
		return false
	}
	a, errA := convert.Convert(a, t)
	b, errB := convert.Convert(b, t)
	if errA != nil || errB != nil {
		return false
	}
	same := a.Equals(b)
	return same.IsKnown() && same.True()
}

func listOf(element cty.Type, values []cty.Value) cty.Value {
	if len(values) == 0 {
		return cty.ListValEmpty(element)
	}
	return cty.ListVal(values)
}

// oneFunction returns the function one, which returns the only element, or null.
func oneFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			switch t := args[0].Type(); {
			case t.IsListType() || t.IsSetType():
				return t.ElementType(), nil
			case !t.IsTupleType():
				return cty.NilType, function.NewArgErrorf(0, "a list, set or tuple is required, not a value of type %s", t.FriendlyName())
			case t.Length() == 0:
				return cty.DynamicPseudoType, nil
			case t.Length() == 1:
				return t.TupleElementType(0), nil
			default:
				return cty.NilType, errNotOne
			}
		},
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			n := args[0].Length()
			if !n.IsKnown() {
				return cty.UnknownVal(result), nil
			}
			switch count, _ := n.AsBigFloat().Int64(); count {
			case 0:
				return cty.NullVal(result), nil
			case 1:
				return args[0].AsValueSlice()[0], nil
			default:
				return cty.NilVal, errNotOne
			}
		},
	})
}

var errNotOne = function.NewArgErrorf(0, "at most one element is permitted")

func sumFunction() function.Function {
	return function.New(&function.Spec{
		Params:       []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type:         function.StaticReturnType(cty.Number),
		RefineResult: notNull,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			if t := args[0].Type(); !isSequence(t) && !t.IsSetType() {
				return cty.NilVal, function.NewArgErrorf(0, "a list, set or tuple of numbers is required, not a value of type %s", t.FriendlyName())
			}
			if !args[0].IsWhollyKnown() {
				return cty.UnknownVal(result), nil
			}
			total := cty.NilVal
			for _, element := range args[0].Elements() {
				n, err := convert.Convert(element, cty.Number)
				if err != nil || n.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "all elements must be numbers")
				}
				if total == cty.NilVal {
					total = n
					continue
				}
				if total, err = stdlib.Add(total, n); err != nil {
					return cty.NilVal, err
				}
			}
			if total == cty.NilVal {
				return cty.NilVal, function.NewArgErrorf(0, "at least one element is required")
			}
			return total, nil
		},
	})
}

// transposeFunction returns the transpose function, which swaps the keys and values of a
// map of lists of strings.
func transposeFunction() function.Function {
	lists := cty.Map(cty.List(cty.String))
	return function.New(&function.Spec{
		Params:       []function.Parameter{{Name: "values", Type: lists}},
		Type:         function.StaticReturnType(lists),
		RefineResult: notNull,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			if !args[0].IsWhollyKnown() {
				return cty.UnknownVal(result), nil
			}
			turned := map[string][]cty.Value{}
			for key, list := range args[0].Elements() {
				if list.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "the map must not contain null lists")
				}
				for _, element := range list.Elements() {
					if element.IsNull() {
						return cty.NilVal, function.NewArgErrorf(0, "the lists must not contain null")
					}
					turned[element.AsString()] = append(turned[element.AsString()], key)
				}
			}
			if len(turned) == 0 {
				return cty.MapValEmpty(cty.List(cty.String)), nil
			}
			out := map[string]cty.Value{}
			for key, list := range turned {
				out[key] = cty.ListVal(list)
			}
			return cty.MapVal(out), nil
		},
	})
}
