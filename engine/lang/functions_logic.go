package lang

import (
	"errors"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

func logicFunctions() map[string]function.Function {
	return map[string]function.Function{
		"alltrue": quantifier(true), "anytrue": quantifier(false), "coalesce": coalesceFunction(),
	}
}

// quantifier is "all" for true and "any" for false: it starts there and ends at
// the first element that is otherwise. Null is not true. As in the engines, "any"
// looks behind an unknown element and "all" does not.
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

// coalesceFunction is the first argument that is neither null nor "".
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
				return cty.NilType, errors.New("all arguments have to be of one type")
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
