package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

func TestFunctionDeclarations(t *testing.T) {
	t.Parallel()
	fn := func(_ context.Context, _ []string, _ *string, _ runtime.Value[point], _ ...int) ([]string, error) {
		return nil, nil
	}
	p := functions(t, fn, runtime.FuncSpec{
		Summary: "Does it", Description: "Does `it`.", Deprecated: "Do it yourself.", ReturnsSet: true,
		Parameters: []runtime.Param{
			{Name: "names", Description: "Some names.", Set: true},
			{Name: "mode", Description: "A mode."},
			{Name: "point"},
			{Name: "counts", Description: "How many."},
		},
		Constraints: []runtime.Constraint{
			runtime.OneOf("mode", "a", "b"), runtime.RequiredWhen("point", "mode", "a"), runtime.AtLeast("counts", 1),
		},
	})
	got := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Functions["f"]
	object := cty.Object(map[string]cty.Type{"x": cty.Number, "y": cty.Number, "label": cty.String, "kind": cty.String})
	markdown := configschema.StringMarkdown
	want := provider.FunctionDecl{
		Summary: "Does it", Description: "Does `it`.", DescriptionKind: markdown, DeprecationMessage: "Do it yourself.",
		ReturnType: cty.Set(cty.String),
		Parameters: []provider.FunctionParam{
			{Name: "names", Type: cty.Set(cty.String), Description: "Some names.", DescriptionKind: markdown},
			{Name: "mode", Type: cty.String, AllowNullValue: true, Description: "A mode. Must be `a` or `b`.", DescriptionKind: markdown},
			{
				Name: "point", Type: object, AllowNullValue: true, AllowUnknownValues: true,
				Description: "Required when `mode` is `a`.", DescriptionKind: markdown,
			},
		},
		VariadicParameter: &provider.FunctionParam{
			Name: "counts", Type: cty.Number, Description: "How many. Must be 1 or more.", DescriptionKind: markdown,
		},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(cty.Type.Equals)); diff != "" {
		t.Errorf("declaration (-want +got):\n%s", diff)
	}
}

// TestFunctionNullsAndUnknowns checks that the Go type determines whether an argument
// may be null or unknown.
func TestFunctionNullsAndUnknowns(t *testing.T) {
	t.Parallel()
	type inner struct{ A runtime.Value[string] }
	for name, tt := range map[string]struct {
		fn            any
		null, unknown bool
	}{
		"text":            {func(string) int { return 0 }, false, false},
		"list":            {func([]string) int { return 0 }, false, false},
		"struct":          {func(point) int { return 0 }, false, false},
		"pointer":         {func(*string) int { return 0 }, true, false},
		"any":             {func(any) int { return 0 }, true, false},
		"cty":             {func(cty.Value) int { return 0 }, true, false},
		"Value":           {func(runtime.Value[string]) int { return 0 }, true, true},
		"Value of cty":    {func(runtime.Value[cty.Value]) int { return 0 }, true, true},
		"list of Values":  {func([]runtime.Value[string]) int { return 0 }, false, true},
		"struct of Value": {func(map[string]inner) int { return 0 }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := functions(t, tt.fn, spec("a"))
			got := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Functions["f"].Parameters[0]
			if got.AllowNullValue != tt.null || got.AllowUnknownValues != tt.unknown {
				t.Errorf("null %t, unknown %t, want %t and %t", got.AllowNullValue, got.AllowUnknownValues, tt.null, tt.unknown)
			}
		})
	}
}

type (
	sensitivePart struct {
		A string `tf:",sensitive"`
	}
	writeOnlyPart struct {
		A *string `tf:",writeonly"`
	}
	computedPart struct {
		A string `tf:",computed"`
	}
	blockPart struct {
		A []none `tf:",block"`
	}
	nestedPart struct{ Parts []sensitivePart }
)

func TestInvalidFunctions(t *testing.T) {
	t.Parallel()
	var nothing func(string) string
	one := func(string) int { return 0 }
	two := func(_, _ *string) int { return 0 }
	for name, tt := range map[string]struct {
		fn   any
		spec runtime.FuncSpec
		want []string
	}{
		"no function":                            {"f", spec(""), []string{"string"}},
		"nil":                                    {nil, spec(""), []string{"<nil>"}},
		"nil function":                           {nothing, spec("a"), []string{"func(string) string"}},
		"no result":                              {func() {}, spec(""), []string{"must return", "func()"}},
		"error only":                             {func() error { return nil }, spec(""), []string{"must return", "func() error"}},
		"two results":                            {func() (int, string) { return 0, "" }, spec(""), []string{"must return", "func() (int, string)"}},
		"three results":                          {func() (int, string, error) { return 0, "", nil }, spec(""), []string{"must return"}},
		"two errors":                             {func() (error, error) { return nil, nil }, spec(""), []string{"must return"}},
		"result of unsupported type":             {func() chan int { return nil }, spec(""), []string{"result", "chan int"}},
		"too few names":                          {two, spec("a"), []string{"2 parameters", "has 1", "func(*string, *string) int"}},
		"too many names":                         {func(context.Context, string) int { return 0 }, spec("a b"), []string{"1 parameter (not counting a context)", "has 2"}},
		"late context":                           {func(string, context.Context) int { return 0 }, spec("a b"), []string{`"b"`, "context", "first"}},
		"invalid name":                           {one, spec("A-b"), []string{"parameter 1", `"A-b"`}},
		"no name":                                {one, runtime.FuncSpec{Parameters: []runtime.Param{{}}}, []string{"parameter 1", `""`}},
		"same name":                              {two, spec("a a"), []string{"two parameters", `"a"`}},
		"parameter of unsupported type":          {func(string, chan int) int { return 0 }, spec("a b"), []string{`"b"`, "chan int"}},
		"variadic parameter of unsupported type": {func(...chan int) int { return 0 }, spec("a"), []string{`"a"`, "chan int"}},
		"set of a string":                        {one, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "a", Set: true}}}, []string{`"a"`, "set"}},
		"set of a number":                        {func() int { return 0 }, runtime.FuncSpec{ReturnsSet: true}, []string{"result", "set"}},
		"sensitive":                              {func(sensitivePart) int { return 0 }, spec("a"), []string{`"a"`, "sensitivePart.A", "sensitive"}},
		"sensitive inside":                       {func(map[string]nestedPart) int { return 0 }, spec("a"), []string{`"a"`, "sensitivePart.A"}},
		"write-only":                             {func(writeOnlyPart) int { return 0 }, spec("a"), []string{"writeOnlyPart.A"}},
		"computed":                               {func() computedPart { return computedPart{} }, spec(""), []string{"result", "computedPart.A"}},
		"block":                                  {func(blockPart) int { return 0 }, spec("a"), []string{"blockPart.A"}},
		"rule of an unknown parameter":           {one, spec("a", runtime.OneOf("z", "x")), []string{"OneOf", `"z"`}},
		"rule that does not fit the type":        {one, spec("a", runtime.AtLeast("a", 1)), []string{"AtLeast", `"a"`, "not a number"}},
		"rule of a parameter that is always set": {
			func(string, *string) int { return 0 }, spec("a b", runtime.AtMostOneOf("a", "b")), []string{"AtMostOneOf", `"a"`, "always"},
		},
		"rule of a variadic parameter": {
			func(*string, ...*string) int { return 0 }, spec("a b", runtime.AtMostOneOf("a", "b")), []string{"AtMostOneOf", `"b"`, "variadic"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.New(runtime.Definition{Name: "test", Functions: map[string]runtime.FunctionRegistration{"f": runtime.MakeFunc(tt.fn, tt.spec)}})
			if err == nil {
				t.Fatal("registered without an error")
			}
			for _, word := range append(tt.want, "function f: ") {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, err)
				}
			}
		})
	}
}

func TestFunctionNames(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Functions: map[string]runtime.FunctionRegistration{
		"good": runtime.MakeFunc(strings.ToUpper, spec("a")), "Not-Good": runtime.MakeFunc(strings.ToUpper, spec("a")), "empty": {},
	}})
	if err == nil || strings.Contains(err.Error(), "function good") || !strings.Contains(err.Error(), "function Not-Good") || !strings.Contains(err.Error(), "function empty") {
		t.Error("New: want errors about the functions Not-Good and empty only, got", err)
	}
}

func TestFunctionSpecWith(t *testing.T) {
	t.Parallel()
	base := spec("a", runtime.Length("a", 1, 0))
	if with := base.With(runtime.OneOf("a", "x")); len(with.Constraints) != 2 || len(base.Constraints) != 1 {
		t.Errorf("With: %d constraints, base: %d, want 2 and 1", len(with.Constraints), len(base.Constraints))
	}
}

func TestUnknownFunction(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test"})
	if resp := callF(t, p); resp.Err == nil || !strings.Contains(resp.Err.Error(), `"f"`) {
		t.Error(resp.Err)
	}
}

// TestFunctionUnderTwoNames checks that one registration can be used under two names,
// and that an error names the function that was called.
func TestFunctionUnderTwoNames(t *testing.T) {
	t.Parallel()
	reg := runtime.MakeFunc(func(s []string) string { return s[0] }, spec("a"))
	p := newProvider(t, runtime.Definition{Name: "test", Functions: map[string]runtime.FunctionRegistration{"f": reg, "g": reg}})
	if resp := callF(t, p, cty.ListValEmpty(cty.String)); resp.Err == nil || !strings.Contains(resp.Err.Error(), "the function f ") {
		t.Error(resp.Err)
	}
}

func TestStopEndsFunctions(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	p := functions(t, func(ctx context.Context) (string, error) {
		close(running)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(time.Minute):
			return "never", nil
		}
	}, spec(""))
	answer := make(chan provider.CallFunctionResponse)
	go func() { answer <- p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: "f"}) }()
	<-running
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if resp := <-answer; !errors.Is(resp.Err, context.Canceled) {
		t.Errorf("the call was not canceled: %v", resp.Err)
	}
}

// TestFunctionsOverTheWire checks that a value without bytes, which OpenTofu sends for
// null, is null, and that the error of an argument has its index.
func TestFunctionsOverTheWire(t *testing.T) {
	t.Parallel()
	p := functions(t, func(s *string, more ...*string) (string, error) {
		if s == nil && len(more) == 1 && more[0] == nil {
			return "", runtime.ArgumentError(1, errors.New("both are null"))
		}
		return "not null", nil
	}, spec("a b"))
	server, err := tfprotov6.NewServer(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	null := &tfplugin.DynamicValue{}
	resp, err := server.CallFunction(t.Context(), &tfplugin.CallFunctionRequest{Name: "f", Arguments: []*tfplugin.DynamicValue{null, null}})
	if err != nil {
		t.Fatal(err)
	}
	index := int64(1)
	if diff := cmp.Diff(&tfplugin.FunctionError{Text: "both are null", FunctionArgument: &index}, resp.Error); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	if f := mustFunctions(t, server)["f"]; !f.Parameters[0].AllowNullValue || !f.VariadicParameter.AllowNullValue {
		t.Error("AllowNullValue of a parameter is false, want true for both parameters")
	}
}

func mustFunctions(t *testing.T, server tfplugin.ProviderServer) map[string]*tfplugin.Function {
	t.Helper()
	resp, err := server.GetFunctions(t.Context(), &tfplugin.GetFunctionsRequest{})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatal(err, resp.Diagnostics)
	}
	return resp.Functions
}
