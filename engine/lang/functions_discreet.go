package lang

import (
	"errors"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// discreet is f with errors that do not quote sensitive arguments: for functions
// of others that say in their errors what they were given.
func discreet(f function.Function) function.Function {
	ps := f.Params()
	for i := range ps {
		ps[i] = asItIs(ps[i])
	}
	rest := f.VarParam()
	if rest != nil {
		p := asItIs(*rest)
		rest = &p
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: ps, VarParam: rest,
		Type: func(args []cty.Value) (cty.Type, error) {
			t, err := f.ReturnTypeForValues(args)
			return t, withoutArguments(err, args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			return v, withoutArguments(err, args)
		},
	})
}

// asItIs leaves it to the function within to see to special arguments.
func asItIs(p function.Parameter) function.Parameter {
	p.AllowMarked, p.AllowUnknown, p.AllowNull, p.AllowDynamicType = true, true, true, true
	return p
}

// withoutArguments is err, or one that only says where it comes from if there is
// a sensitive argument.
func withoutArguments(err error, args []cty.Value) error {
	if err == nil {
		return nil
	}
	for _, arg := range args {
		if !Carries(arg, Sensitive) {
			continue
		}
		hidden := errors.New("it is not valid; why is not shown, since an argument is sensitive")
		if at, ok := errors.AsType[function.ArgError](err); ok {
			return function.NewArgError(at.Index, hidden)
		}
		return hidden
	}
	return err
}
