package lang

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

func conversionFunctions() map[string]function.Function {
	return map[string]function.Function{
		"tobool": conversion(cty.Bool), "tonumber": conversion(cty.Number), "tostring": conversion(cty.String),
		"tolist": conversion(cty.List(cty.DynamicPseudoType)), "tomap": conversion(cty.Map(cty.DynamicPseudoType)),
		"toset": conversion(cty.Set(cty.DynamicPseudoType)),
	}
}

// conversion leaves marks where they are: an element that is sensitive does not
// make the list so.
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
				return cty.NilVal, function.NewArgErrorf(0, "cannot convert this %s to %s", args[0].Type().FriendlyName(), want.FriendlyNameForConstraint())
			}
			return out, nil
		},
	})
}
