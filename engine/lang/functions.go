package lang

import (
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// FunctionOptions are what the functions depend on that are none of their
// arguments.
type FunctionOptions struct {
	// BaseDir is where relative paths begin; "" is the working directory.
	BaseDir string
	// Unsettled makes functions unknown that answer anew each time (timestamp,
	// uuid, bcrypt): so they are in a plan.
	Unsettled bool
	// PlanTime is what plantimestamp says; it is unknown where this is zero.
	PlanTime time.Time
}

// FunctionContext has all functions of the language, each also with the prefix
// "core::". Templates that functions render may call all of them.
func FunctionContext(o FunctionOptions) *hcl.EvalContext {
	ctx := constantContext().NewChild()
	ctx.Functions = o.functions(ctx)
	return ctx
}

// Functions is what [FunctionContext] has, as one map, which is the caller's to
// add to. Templates do not see what is added: the engines keep the functions of
// providers from them.
func Functions(o FunctionOptions) map[string]function.Function {
	all := maps.Clone(constant())
	maps.Copy(all, FunctionContext(o).Functions)
	return all
}

// functions is those that depend on the options. The scope is where templates
// find functions.
func (o FunctionOptions) functions(scope *hcl.EvalContext) map[string]function.Function {
	plain := fileFunctions(o.BaseDir, scope)
	if !o.PlanTime.IsZero() {
		plain["plantimestamp"] = FixedTimestamp(o.PlanTime)
	}
	if o.Unsettled {
		maps.Copy(plain, unsettled())
	}
	return withCore(plain)
}

// unsettled is the functions that answer anew each time, as plans have them.
var unsettled = sync.OnceValue(func() map[string]function.Function {
	out := map[string]function.Function{}
	for _, name := range []string{"timestamp", "uuid", "bcrypt"} {
		out[name] = function.Unpredictable(constant()[name])
	}
	return out
})

// withCore is the functions under both of their names.
func withCore(plain map[string]function.Function) map[string]function.Function {
	all := make(map[string]function.Function, 2*len(plain))
	for name, f := range plain {
		all[name], all[corePrefix+name] = f, f
	}
	return all
}

const corePrefix = "core::"

// constant is the functions that depend on their arguments alone, and those
// that differ at every call.
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

// standardFunctions are those whose meaning is the one of cty's own.
func standardFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "log": stdlib.LogFunc,
		"max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": discreet(stdlib.ParseIntFunc), "pow": stdlib.PowFunc,
		"signum": stdlib.SignumFunc, "range": stdlib.RangeFunc,

		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"indent": stdlib.IndentFunc, "join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "regex": discreet(stdlib.RegexFunc),
		"regexall": discreet(stdlib.RegexAllFunc), "split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc,
		"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc,
		"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"upper": stdlib.UpperFunc,

		"chunklist": stdlib.ChunklistFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
		"concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "merge": stdlib.MergeFunc,
		"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc,
		"setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc,
		"slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,

		"csvdecode": discreet(stdlib.CSVDecodeFunc), "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
		"yamldecode": discreet(yaml.YAMLDecodeFunc), "yamlencode": yaml.YAMLEncodeFunc,
		"formatdate": discreet(stdlib.FormatDateFunc), "timeadd": discreet(stdlib.TimeAddFunc),

		"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
	}
}

// notNull is what is known of the result of a function before its arguments are.
func notNull(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() }

func params(names ...string) []function.Parameter {
	out := make([]function.Parameter, len(names))
	for i, name := range names {
		out[i] = function.Parameter{Name: name, Type: cty.String}
	}
	return out
}

// ofStrings is a function of strings. What it says in errors has no argument in
// it: that may be sensitive.
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

// ofText is a function from one string to another.
func ofText(f func(string) (string, error)) function.Function {
	return ofStrings(params("str"), cty.String, func(args []string) (cty.Value, error) {
		out, err := f(args[0])
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		return cty.StringVal(out), nil
	})
}
