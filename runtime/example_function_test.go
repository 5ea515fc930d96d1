package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// A function is a Go function; the spec adds what Go types cannot express.
func ExampleMakeFunc() {
	join := func(separator string, parts ...string) string { return strings.Join(parts, separator) }
	p, err := runtime.New(runtime.Definition{Name: "text", Functions: map[string]runtime.FunctionRegistration{
		"join": runtime.MakeFunc(join, runtime.FuncSpec{
			Summary: "Joins texts.",
			Parameters: []runtime.Param{
				{Name: "separator", Description: "Text between the others."},
				{Name: "parts", Description: "The texts."},
			},
			Constraints: []runtime.Constraint{runtime.Length("separator", 0, 3)},
		}),
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	decl := p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).Functions["join"]
	fmt.Println(decl.Parameters[0].Description)
	for _, separator := range []string{"-", "<-->"} {
		resp := p.CallFunction(context.Background(), provider.CallFunctionRequest{
			FunctionName: "join",
			Arguments:    []cty.Value{cty.StringVal(separator), cty.StringVal("a"), cty.StringVal("b")},
		})
		if resp.Err != nil {
			fmt.Println("error:", resp.Err)
			continue
		}
		fmt.Println(resp.Result.AsString())
	}
	// Output:
	// Text between the others. Must have at most 3 characters.
	// a-b
	// error: must have at most 3 characters
}

// An error can refer to the argument that caused it.
func ExampleArgumentError() {
	divide := func(a, b float64) (float64, error) {
		if b == 0 {
			return 0, runtime.ArgumentError("divisor", errors.New("must not be zero"))
		}
		return a / b, nil
	}
	p, err := runtime.New(runtime.Definition{Name: "math", Functions: map[string]runtime.FunctionRegistration{
		"divide": runtime.MakeFunc(divide, runtime.FuncSpec{
			Parameters: []runtime.Param{{Name: "dividend"}, {Name: "divisor"}},
		}),
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	resp := p.CallFunction(context.Background(), provider.CallFunctionRequest{
		FunctionName: "divide", Arguments: []cty.Value{cty.NumberIntVal(1), cty.NumberIntVal(0)},
	})
	if argument, ok := errors.AsType[*provider.FunctionArgumentError](resp.Err); ok {
		fmt.Printf("argument %d: %v\n", argument.Index, argument)
	}
	// Output: argument 1: must not be zero
}

// The constraints of a spec that is generated from a doc comment are added at registration.
func ExampleFuncSpec_With() {
	modeSpec := runtime.FuncSpec{Summary: "Mode of a name.", Parameters: []runtime.Param{{Name: "name"}}}
	mode := func(name string) int { return map[string]int{"private": 0o600, "public": 0o644}[name] }
	p, err := runtime.New(runtime.Definition{Name: "file", Functions: map[string]runtime.FunctionRegistration{
		"mode": runtime.MakeFunc(mode, modeSpec.With(runtime.OneOf("name", "private", "public"))),
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	resp := p.CallFunction(context.Background(), provider.CallFunctionRequest{
		FunctionName: "mode", Arguments: []cty.Value{cty.StringVal("secret")},
	})
	fmt.Println(resp.Err)
	// Output: must be "private" or "public"
}
