package lang

import (
	"maps"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

func markFunctions() map[string]function.Function {
	return map[string]function.Function{
		"sensitive":    ofAnything(sameType, func(v cty.Value) (cty.Value, error) { return v.Mark(Sensitive), nil }),
		"nonsensitive": ofAnything(sameType, func(v cty.Value) (cty.Value, error) { return without(v, Sensitive), nil }),
		"issensitive": ofAnything(function.StaticReturnType(cty.Bool), func(v cty.Value) (cty.Value, error) {
			if !v.HasMark(Sensitive) && !v.IsKnown() {
				return cty.UnknownVal(cty.Bool), nil // it may become so
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

// ofAnything is a function of one value of any kind, marks and all.
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

// without is v less the mark, if it has it itself.
func without(v cty.Value, mark Mark) cty.Value {
	bare, marks := v.Unmark()
	marks = maps.Clone(marks)
	delete(marks, mark)
	return bare.WithMarks(marks)
}
