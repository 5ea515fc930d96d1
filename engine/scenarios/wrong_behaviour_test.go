package scenarios_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Behaviour changes the responses of a provider by rules of the form
//
//	on "plan" "wrong_plain" {
//	  name = "a"                     # only for the object of this name
//	  call = 2                       # only for the second call of the kind
//	  act  = "update"                # only for this action: create, update, delete
//	  set  = { "one.x" = unknown }
//	}
//
// The calls are validate, upgrade, upgrade_identity, read, plan, apply, import, move,
// generate, validate_data, data, validate_ephemeral, open, renew, close, function,
// schema, identity_schemas, validate_provider and configure. Rules for generate have no
// effect, because the call is not supported. The second label is a type, a function, or "".
//
// Expressions may use the values that the request has: config, prior, proposed, planned,
// current, stored, id and arguments. They may call the function merge. The expressions unknown,
// notnull("string"), prefix("abc") and between(1, 2) are unknown values. All matching rules are
// applied in their order.
type Behaviour struct {
	rules []rule
}

type behaviourFile struct {
	Rules []rule `hcl:"on,block"`
}

// rule is one "on" block.
type rule struct {
	RPC  string `hcl:"rpc,label"`
	Type string `hcl:"type,label"`

	Name *string `hcl:"name,optional"`
	Call int     `hcl:"call,optional"`
	Act  string  `hcl:"act,optional"`

	// State replaces the object in the response; Set and Drop change it.
	State hcl.Expression `hcl:"state,optional"`
	Set   hcl.Expression `hcl:"set,optional"`
	Drop  []string       `hcl:"drop,optional"`
	// JSON, Bytes (hexadecimal), Empty and Absent replace its encoding.
	JSON   string `hcl:"json,optional"`
	Bytes  string `hcl:"bytes,optional"`
	Empty  bool   `hcl:"empty,optional"`
	Absent bool   `hcl:"absent,optional"`

	Private  hcl.Expression `hcl:"private,optional"`
	Identity hcl.Expression `hcl:"identity,optional"`
	Replace  []string       `hcl:"replace,optional"`
	Legacy   bool           `hcl:"legacy,optional"`
	Deferred bool           `hcl:"deferred,optional"`

	// Objects are the results of an import, each optionally with type, state and private.
	Objects hcl.Expression `hcl:"objects,optional"`
	// Result is the result of a function; Argument is the index of an error's argument.
	Result   hcl.Expression `hcl:"result,optional"`
	Argument *int64         `hcl:"argument,optional"`
	// RenewIn is the time in milliseconds until the renewal of an ephemeral resource.
	RenewIn *int64 `hcl:"renew_in,optional"`

	Error   string `hcl:"error,optional"`
	Warning string `hcl:"warning,optional"`
	// At is the path of the attribute that Error and Warning are about.
	At string `hcl:"at,optional"`
	// Fail is the status code with which the call itself fails.
	Fail string `hcl:"fail,optional"`
}

// ParseBehaviour parses the rules in the text. filename is for errors.
func ParseBehaviour(filename string, text []byte) (*Behaviour, error) {
	parsed, diags := hclsyntax.ParseConfig(text, filename, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, fmt.Errorf("read behaviour: %w", diags)
	}
	var file behaviourFile
	if diags := gohcl.DecodeBody(parsed.Body, nil, &file); diags.HasErrors() {
		return nil, fmt.Errorf("read behaviour: %w", diags)
	}
	for _, r := range file.Rules {
		if !slices.Contains(rpcs, r.RPC) {
			return nil, fmt.Errorf("read behaviour: %s: unknown call %q", filename, r.RPC)
		}
	}
	return &Behaviour{rules: file.Rules}, nil
}

var rpcs = []string{
	"validate", "upgrade", "upgrade_identity", "read", "plan", "apply", "import", "move", "generate", "validate_data", "data",
	"validate_ephemeral", "open", "renew", "close", "function", "schema", "identity_schemas", "validate_provider", "configure",
}

// matching returns the rules for the nth call of a kind for an object.
func (b *Behaviour) matching(rpc, typeName, name, act string, nth int) []*rule {
	var out []*rule
	for i := range b.rules {
		r := &b.rules[i]
		if r.RPC == rpc && r.Type == typeName && (r.Name == nil || *r.Name == name) &&
			(r.Call == 0 || r.Call == nth) && (r.Act == "" || r.Act == act) {
			out = append(out, r)
		}
	}
	return out
}

// scope returns the values and functions of a rule's expressions.
func scope(values map[string]cty.Value) *hcl.EvalContext {
	variables := map[string]cty.Value{"unknown": cty.DynamicVal}
	maps.Copy(variables, values)
	return &hcl.EvalContext{Variables: variables, Functions: scriptFunctions}
}

var scriptFunctions = map[string]function.Function{
	"merge": stdlib.MergeFunc,
	"notnull": unknownFunction([]string{"type"}, func(args []cty.Value) cty.Value {
		ty := map[string]cty.Type{"string": cty.String, "number": cty.Number, "bool": cty.Bool}[args[0].AsString()]
		return cty.UnknownVal(ty).RefineNotNull()
	}),
	"prefix": unknownFunction([]string{"text"}, func(args []cty.Value) cty.Value {
		return cty.UnknownVal(cty.String).Refine().NotNull().StringPrefixFull(args[0].AsString()).NewValue()
	}),
	"between": unknownFunction([]string{"least", "most"}, func(args []cty.Value) cty.Value {
		return cty.UnknownVal(cty.Number).Refine().NotNull().
			NumberRangeLowerBound(args[0], true).NumberRangeUpperBound(args[1], true).NewValue()
	}),
}

func unknownFunction(parameters []string, make func([]cty.Value) cty.Value) function.Function {
	spec := &function.Spec{
		Type: func(args []cty.Value) (cty.Type, error) { return make(args).Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return make(args), nil },
	}
	for _, name := range parameters {
		spec.Params = append(spec.Params, function.Parameter{Name: name, Type: cty.DynamicPseudoType})
	}
	return function.New(spec)
}

// evaluated returns the value of an expression; ok is false if the rule has none.
func evaluated(expr hcl.Expression, ctx *hcl.EvalContext) (v cty.Value, ok bool, err error) {
	// A missing attribute has a synthetic expression.
	if _, written := expr.(hclsyntax.Expression); !written {
		return cty.NilVal, false, nil
	}
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		return cty.NilVal, false, diags
	}
	return v, true, nil
}
