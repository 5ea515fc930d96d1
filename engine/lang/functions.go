package lang

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// FunctionOptions are inputs of functions besides their arguments.
type FunctionOptions struct {
	// BaseDir is the directory of relative paths; "" is the working directory.
	BaseDir string
	// PureOnly makes functions with random or time-dependent results (timestamp, uuid,
	// bcrypt) return unknown values, as in a plan.
	PureOnly bool
	// PlanTime is the result of plantimestamp. If PlanTime is zero, the result is unknown.
	PlanTime time.Time
	// Terraform selects the functions of Terraform instead of those of OpenTofu.
	Terraform bool
	// ForTemplates are functions that templates can call besides those of the language.
	ForTemplates map[string]function.Function
	// Check, if not nil, is called after each successful call of a function that reads files, except
	// of templatefile in a template. The error of Check becomes that of the call.
	Check func(name string, args []cty.Value, result cty.Value) error
}

// FunctionContext returns a context with all functions of the language, each also with the prefix
// "core::". Templates rendered by functions may call all of them.
func FunctionContext(o FunctionOptions) *hcl.EvalContext {
	ctx := constantContext()
	if o.Terraform {
		ctx = terraformContext()
	}
	ctx = ctx.NewChild()
	scope := ctx
	if len(o.ForTemplates) > 0 {
		scope = ctx.NewChild()
		scope.Functions = o.ForTemplates
	}
	ctx.Functions = o.functions(scope)
	return ctx
}

// Functions returns the functions of [FunctionContext] as a map that the caller may add
// to. Templates cannot call additions.
func Functions(o FunctionOptions) map[string]function.Function {
	ctx := FunctionContext(o)
	all := maps.Clone(ctx.Parent().Functions)
	maps.Copy(all, ctx.Functions)
	return all
}

// functions returns the functions that depend on the options. Templates use the
// functions in scope.
func (o FunctionOptions) functions(scope *hcl.EvalContext) map[string]function.Function {
	plain := fileFunctions(o.BaseDir, scope, o.Terraform)
	if o.Check != nil {
		for name, f := range plain {
			if strings.Contains(name, "file") { // the others read no files
				plain[name] = checked(f, func(args []cty.Value, result cty.Value) error { return o.Check(name, args, result) })
			}
		}
	}
	if !o.PlanTime.IsZero() {
		plain["plantimestamp"] = FixedTimestamp(o.PlanTime)
	}
	if o.PureOnly {
		maps.Copy(plain, impure())
	}
	return withCore(plain)
}

// impure returns the functions with random or time-dependent results, changed to return unknown
// values, as in plans.
var impure = sync.OnceValue(func() map[string]function.Function {
	out := map[string]function.Function{}
	for _, name := range []string{"timestamp", "uuid", "bcrypt"} {
		out[name] = function.Unpredictable(constant()[name])
	}
	return out
})

// withCore returns each function under its name, with and without the prefix "core::".
func withCore(plain map[string]function.Function) map[string]function.Function {
	all := make(map[string]function.Function, 2*len(plain))
	for name, f := range plain {
		all[name], all[corePrefix+name] = f, f
	}
	return all
}

const corePrefix = "core::"

// constant returns the functions that do not depend on [FunctionOptions], also under their
// names with the prefix "core::".
var constant = sync.OnceValue(func() map[string]function.Function {
	plain := map[string]function.Function{}
	for _, family := range []map[string]function.Function{
		standardFunctions(), collectionFunctions(), logicFunctions(), textFunctions(), encodingFunctions(),
		cryptoFunctions(), networkFunctions(), conversionFunctions(), markFunctions(), timeFunctions(),
	} {
		maps.Copy(plain, family)
	}
	return withCore(plain)
})

var constantContext = sync.OnceValue(func() *hcl.EvalContext {
	return &hcl.EvalContext{Functions: constant()}
})

// terraformContext returns constantContext without the functions that only OpenTofu has.
var terraformContext = sync.OnceValue(func() *hcl.EvalContext {
	functions := maps.Clone(constant())
	for _, name := range []string{"base64gunzip", "cidrcontains", "urldecode"} {
		delete(functions, name)
		delete(functions, corePrefix+name)
	}
	return &hcl.EvalContext{Functions: functions}
})

// standardFunctions returns the functions that cty, go-cty-yaml and HCL implement.
func standardFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "log": stdlib.LogFunc,
		"max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": hideSensitiveArguments(stdlib.ParseIntFunc), "pow": stdlib.PowFunc,
		"signum": stdlib.SignumFunc, "range": stdlib.RangeFunc,

		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"indent": stdlib.IndentFunc, "join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "regex": hideSensitiveArguments(stdlib.RegexFunc),
		"regexall": hideSensitiveArguments(stdlib.RegexAllFunc), "split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc,
		"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc,
		"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"upper": stdlib.UpperFunc,

		"chunklist": stdlib.ChunklistFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
		"concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "merge": stdlib.MergeFunc,
		"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc,
		"setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc,
		"slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,

		"csvdecode": hideSensitiveArguments(stdlib.CSVDecodeFunc), "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
		"yamldecode": hideSensitiveArguments(yaml.YAMLDecodeFunc), "yamlencode": yaml.YAMLEncodeFunc,
		"formatdate": hideSensitiveArguments(stdlib.FormatDateFunc), "timeadd": hideSensitiveArguments(stdlib.TimeAddFunc),

		"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
	}
}

// notNull refines the unknown result of a function as not null.
func notNull(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() }

func params(names ...string) []function.Parameter {
	out := make([]function.Parameter, len(names))
	for i, name := range names {
		out[i] = function.Parameter{Name: name, Type: cty.String}
	}
	return out
}

// ofStrings returns a function of strings. Its errors must not contain arguments, which
// may be sensitive.
func ofStrings(names []function.Parameter, result cty.Type, f func(args []string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: names, Type: function.StaticReturnType(result), RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			texts := make([]string, len(args))
			for i, arg := range args {
				texts[i] = arg.AsString()
			}
			return f(texts)
		},
	})
}

// ofText returns a function from one string to another.
func ofText(f func(string) (string, error)) function.Function {
	return ofStrings(params("str"), cty.String, func(args []string) (cty.Value, error) {
		out, err := f(args[0])
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		return cty.StringVal(out), nil
	})
}

// hideSensitiveArguments wraps f so that its errors do not contain sensitive arguments.
func hideSensitiveArguments(f function.Function) function.Function {
	ps := f.Params()
	for i := range ps {
		ps[i] = allowSpecial(ps[i])
	}
	rest := f.VarParam()
	if rest != nil {
		p := allowSpecial(*rest)
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

// checked wraps f so that check is called after each successful call. An error of check
// becomes the error of the call.
func checked(f function.Function, check func(args []cty.Value, result cty.Value) error) function.Function {
	ps := f.Params()
	for i := range ps {
		ps[i] = allowSpecial(ps[i])
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: ps, Type: f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err == nil {
				err = check(args, v)
			}
			return v, err
		},
	})
}

// allowSpecial returns p without restrictions: the wrapped function handles marked,
// unknown, null and dynamically typed arguments itself.
func allowSpecial(p function.Parameter) function.Parameter {
	p.AllowMarked, p.AllowUnknown, p.AllowNull, p.AllowDynamicType = true, true, true, true
	return p
}

// withoutArguments returns err, or a generic error at the same argument if an argument
// is sensitive.
func withoutArguments(err error, args []cty.Value) error {
	if err == nil {
		return nil
	}
	for _, arg := range args {
		if !Carries(arg, Sensitive) {
			continue
		}
		hidden := errors.New("invalid argument; the reason is hidden because an argument is sensitive")
		if at, ok := errors.AsType[function.ArgError](err); ok {
			return function.NewArgError(at.Index, hidden)
		}
		return hidden
	}
	return err
}
