package lang

import (
	"errors"
	"maps"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

func logicFunctions() map[string]function.Function {
	return map[string]function.Function{
		"alltrue": quantifier(true), "anytrue": quantifier(false), "coalesce": coalesceFunction(),
	}
}

// quantifier returns the function alltrue if all is set, and otherwise anytrue. The
// result equals all, unless an element differs or is unknown. Null is not true. As in Terraform and
// OpenTofu, anytrue continues after an unknown element, but alltrue does not.
func quantifier(all bool) function.Function {
	return function.New(&function.Spec{
		Params:       []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:         function.StaticReturnType(cty.Bool),
		RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			result := cty.BoolVal(all)
			for _, element := range args[0].Elements() {
				if !element.IsKnown() {
					result = cty.UnknownVal(cty.Bool)
					if all {
						return result, nil
					}
					continue
				}
				if isTrue := !element.IsNull() && element.True(); isTrue != all {
					return cty.BoolVal(!all), nil
				}
			}
			return result, nil
		},
	})
}

// coalesceFunction returns the coalesce function, which returns the first argument that is neither
// null nor "".
func coalesceFunction() function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{
			Name: "vals", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowNull: true,
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			types := make([]cty.Type, len(args))
			for i, arg := range args {
				types[i] = arg.Type()
			}
			t, _ := convert.UnifyUnsafe(types)
			if t == cty.NilType {
				return cty.NilType, errors.New("all arguments must have the same type")
			}
			return t, nil
		},
		RefineResult: notNull,
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			for _, arg := range args {
				v, err := convert.Convert(arg, result)
				if err != nil {
					return cty.NilVal, err
				}
				if !v.IsKnown() {
					return cty.UnknownVal(result), nil
				}
				if !v.IsNull() && (result != cty.String || v.AsString() != "") {
					return v, nil
				}
			}
			return cty.NilVal, errors.New("all arguments are null or empty strings")
		},
	})
}

func conversionFunctions() map[string]function.Function {
	return map[string]function.Function{
		"tobool": conversion(cty.Bool), "tonumber": conversion(cty.Number), "tostring": conversion(cty.String),
		"tolist": conversion(cty.List(cty.DynamicPseudoType)), "tomap": conversion(cty.Map(cty.DynamicPseudoType)),
		"toset": conversion(cty.Set(cty.DynamicPseudoType)),
	}
}

// conversion returns a function that converts its argument. It keeps marks in place: a
// sensitive element does not make the list sensitive.
func conversion(want cty.Type) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "v", Type: cty.DynamicPseudoType, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: func(args []cty.Value) (cty.Type, error) {
			have := args[0].Type()
			if have.Equals(want) {
				return want, nil
			}
			if convert.GetConversionUnsafe(have, want) == nil {
				return cty.NilType, function.NewArgErrorf(0, "cannot convert %s to %s", have.FriendlyName(), want.FriendlyNameForConstraint())
			}
			return want, nil
		},
		Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
			out, err := convert.Convert(args[0], result)
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "cannot convert %s to %s", args[0].Type().FriendlyName(), want.FriendlyNameForConstraint())
			}
			return out, nil
		},
	})
}

func markFunctions() map[string]function.Function {
	return map[string]function.Function{
		"sensitive":    ofAnything(sameType, func(v cty.Value) (cty.Value, error) { return v.Mark(Sensitive), nil }),
		"nonsensitive": ofAnything(sameType, func(v cty.Value) (cty.Value, error) { return without(v, Sensitive), nil }),
		"issensitive": ofAnything(function.StaticReturnType(cty.Bool), func(v cty.Value) (cty.Value, error) {
			if !v.HasMark(Sensitive) && !v.IsKnown() {
				return cty.UnknownVal(cty.Bool), nil // it may be sensitive once it is known
			}
			return cty.BoolVal(v.HasMark(Sensitive)), nil
		}),
		"ephemeralasnull": ofAnything(sameType, func(v cty.Value) (cty.Value, error) {
			return cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
				if !v.HasMark(Ephemeral) {
					return v, nil
				}
				_, marks := without(v, Ephemeral).Unmark()
				return cty.NullVal(v.Type()).WithMarks(marks), nil
			})
		}),
	}
}

func sameType(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil }

// ofAnything returns a function of one value of any kind. f gets the value with its marks.
func ofAnything(result function.TypeFunc, f func(cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType,
			AllowUnknown: true, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: result,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f(args[0]) },
	})
}

// without returns v without the mark, which parts of v may still have.
func without(v cty.Value, mark Mark) cty.Value {
	plainValue, marks := v.Unmark()
	marks = maps.Clone(marks)
	delete(marks, mark)
	return plainValue.WithMarks(marks)
}
