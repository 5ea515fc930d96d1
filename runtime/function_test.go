package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// spec returns a spec with parameter names and constraints.
func spec(names string, constraints ...runtime.Constraint) (s runtime.FuncSpec) {
	for name := range strings.FieldsSeq(names) {
		s.Parameters = append(s.Parameters, runtime.Param{Name: name})
	}
	return s.With(constraints...)
}

// namesFor returns as many names as the function has parameters, except a context.
func namesFor(fn any) string {
	t := reflect.TypeOf(fn)
	n := t.NumIn()
	if n > 0 && t.In(0) == reflect.TypeFor[context.Context]() {
		n--
	}
	return strings.Join([]string{"a", "b", "c"}[:n], " ")
}

// functions returns a provider with one function, f, checked by the guard.
func functions(t *testing.T, fn any, spec runtime.FuncSpec) provider.Interface {
	t.Helper()
	return guard.Wrap(newProvider(t, runtime.Definition{Name: "test", Functions: map[string]runtime.FunctionRegistration{
		"f": runtime.MakeFunc(fn, spec),
	}}))
}

func callF(t *testing.T, p provider.Interface, args ...cty.Value) provider.CallFunctionResponse {
	t.Helper()
	return p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: "f", Arguments: args})
}

type point struct {
	X     int8
	Y     *int8
	Label string `tf:",optional"`
	Kind  string
}

func (p *point) Defaults() { p.Kind = "dot" }
func (*point) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("x", 0, 9)}
}

func pointVal(x int64, y, label, kind cty.Value) cty.Value {
	return cty.ObjectVal(attrs{"x": num(x), "y": y, "label": label, "kind": kind})
}

var (
	noNum = cty.NullVal(cty.Number)
	noStr = cty.NullVal(cty.String)
	pair  = cty.ObjectVal(attrs{"a": num(1), "b": cty.TupleVal([]cty.Value{str("x"), cty.True})})
	huge  = cty.MustParseNumberVal("123456789012345678901234567890.5")
)

// TestFunctionValues checks the results of functions with parameters and results of many types.
func TestFunctionValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fn   any
		args []cty.Value
		want cty.Value
	}{
		"text":               {strings.ToUpper, []cty.Value{str("a")}, str("A")},
		"string and error":   {func(s string) (string, error) { return s + "!", nil }, []cty.Value{str("a")}, str("a!")},
		"string types":       {func(a, b string) (string, error) { return b + a, nil }, []cty.Value{str("a"), str("b")}, str("ba")},
		"named string type":  {func(s runtime.JSON) runtime.JSON { return s }, []cty.Value{str("[ 1 ]")}, str("[ 1 ]")},
		"no arguments":       {func() bool { return true }, nil, cty.True},
		"context":            {func(ctx context.Context, b bool) bool { return ctx.Err() == nil && !b }, []cty.Value{cty.False}, cty.True},
		"int":                {func(i int64) int64 { return i }, []cty.Value{num(math.MinInt64)}, num(math.MinInt64)},
		"uint":               {func(i uint64) uint64 { return i }, []cty.Value{cty.NumberUIntVal(math.MaxUint64)}, cty.NumberUIntVal(math.MaxUint64)},
		"float":              {func(x float64) float64 { return x / 2 }, []cty.Value{num(1)}, cty.NumberFloatVal(0.5)},
		"infinite number":    {func(x float64) float64 { return -x }, []cty.Value{cty.PositiveInfinity}, cty.NegativeInfinity},
		"number of any size": {func(x *big.Float) *big.Float { return x }, []cty.Value{huge}, huge},
		"parsed text":        {netip.Addr.Next, []cty.Value{str("10.0.0.255")}, str("10.0.1.0")},
		"pointer to null":    {func(s *string) *string { return s }, []cty.Value{noStr}, noStr},
		"pointer":            {func(s *string) *string { return s }, []cty.Value{str("a")}, str("a")},
		"Value of null":      {func(s runtime.Value[string]) runtime.Value[string] { return s }, []cty.Value{noStr}, noStr},
		"Value of unknown":   {func(s runtime.Value[string]) bool { return s.IsUnknown() }, []cty.Value{cty.UnknownVal(cty.String)}, cty.True},
		"unknown result":     {func(s runtime.Value[string]) runtime.Value[string] { return s }, []cty.Value{cty.UnknownVal(cty.String)}, cty.UnknownVal(cty.String)},
		"unknown parts": {
			func(l []runtime.Value[bool]) (n int) {
				for _, v := range l {
					if v.IsUnknown() {
						n++
					}
				}
				return n
			},
			[]cty.Value{cty.ListVal([]cty.Value{cty.True, cty.UnknownVal(cty.Bool)})},
			num(1),
		},
		"list":                        {func(l []string) []string { return l[1:] }, []cty.Value{cty.ListVal([]cty.Value{str("a"), str("b")})}, cty.ListVal([]cty.Value{str("b")})},
		"empty list":                  {func(l []string) []string { return l }, []cty.Value{cty.ListValEmpty(cty.String)}, cty.ListValEmpty(cty.String)},
		"nil list":                    {func() []string { return nil }, nil, cty.ListValEmpty(cty.String)},
		"nil map":                     {func() map[string]bool { return nil }, nil, cty.MapValEmpty(cty.Bool)},
		"null list":                   {func() *[]string { return nil }, nil, cty.NullVal(cty.List(cty.String))},
		"map":                         {func(m map[string]int) map[string]int { return m }, []cty.Value{cty.MapVal(attrs{"a": num(1)})}, cty.MapVal(attrs{"a": num(1)})},
		"any":                         {func(x any) any { return x }, []cty.Value{pair}, pair},
		"any of null":                 {func(x any) bool { return x == nil }, []cty.Value{cty.NullVal(cty.DynamicPseudoType)}, cty.True},
		"nil any":                     {func() any { return nil }, nil, cty.NullVal(cty.DynamicPseudoType)},
		"cty":                         {func(v cty.Value) cty.Value { return v }, []cty.Value{pair}, pair},
		"cty.NilVal result":           {func() cty.Value { return cty.NilVal }, nil, cty.NullVal(cty.DynamicPseudoType)},
		"type of null":                {func(v cty.Value) string { return v.Type().FriendlyName() }, []cty.Value{noNum}, str("number")},
		"Value of cty":                {func(v runtime.Value[cty.Value]) bool { return v.IsUnknown() }, []cty.Value{cty.DynamicVal}, cty.True},
		"Value of partly unknown cty": {func(v runtime.Value[cty.Value]) bool { x, ok := v.Get(); return ok && !x.IsWhollyKnown() }, []cty.Value{cty.TupleVal([]cty.Value{cty.DynamicVal})}, cty.True},
		"struct":                      {func(p point) point { p.X++; return p }, []cty.Value{pointVal(1, num(2), str("l"), str("k"))}, pointVal(2, num(2), str("l"), str("k"))},
		"null attributes of a struct": {func(p point) point { return p }, []cty.Value{pointVal(1, noNum, noStr, noStr)}, pointVal(1, noNum, noStr, str("dot"))},
		"nested lists":                {func(l [][]point) int { return len(l[1]) }, []cty.Value{cty.ListVal([]cty.Value{cty.ListValEmpty(pointVal(1, noNum, noStr, noStr).Type()), cty.ListVal([]cty.Value{pointVal(1, noNum, noStr, noStr)})})}, num(1)},
		"variadic":                    {func(sep string, l ...string) string { return strings.Join(l, sep) }, []cty.Value{str("+"), str("a"), str("b")}, str("a+b")},
		"variadic without arguments":  {func(_ string, l ...string) int { return len(l) }, []cty.Value{str("+")}, num(0)},
		"variadic nulls":              {func(_ string, l ...*string) bool { return l[0] == nil && *l[1] == "a" }, []cty.Value{str("+"), noStr, str("a")}, cty.True},
		"normalised":                  {func(s string) string { return s + "\u0301" }, []cty.Value{str("e")}, cty.StringVal("\u00e9")},
		"warning":                     {func() (int, error) { return 1, diag.AsWarning(errors.New("old")) }, nil, num(1)},
		"Warn":                        {func(ctx context.Context) int { runtime.Warn(ctx, "", "old", ""); return 1 }, nil, num(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := callF(t, functions(t, tt.fn, spec(namesFor(tt.fn))), tt.args...)
			if resp.Err != nil {
				t.Fatal(resp.Err)
			}
			if !resp.Result.RawEquals(tt.want) {
				t.Errorf("got %#v, want %#v", resp.Result, tt.want)
			}
		})
	}
}

// TestFunctionConstraintsThatWarn checks that a rule that only warns does not fail a call.
func TestFunctionConstraintsThatWarn(t *testing.T) {
	t.Parallel()
	old := diag.AsWarning(errors.New("old"))
	p := functions(t, func(a, b int) int { return a + b }, spec("a b",
		runtime.Check("a", "", func(int) error { return old }),
		runtime.CheckTogether("", func(int, int) error { return old }, "a", "b"),
	))
	if resp := callF(t, p, num(1), num(2)); resp.Err != nil || !resp.Result.RawEquals(num(3)) {
		t.Errorf("the call returns %#v, %v, want 3 and no error", resp.Result, resp.Err)
	}
}

// TestFunctionUnknownArguments checks that the result is unknown and the Go function is not
// called if an argument has unknown parts that its type does not accept.
func TestFunctionUnknownArguments(t *testing.T) {
	t.Parallel()
	called := func() int { panic("called") }
	unknown := cty.UnknownVal(cty.String)
	for name, tt := range map[string]struct {
		fn   any
		args []cty.Value
	}{
		"text":             {func(string) int { return called() }, []cty.Value{unknown}},
		"pointer":          {func(*string) int { return called() }, []cty.Value{unknown}},
		"element":          {func([]string) int { return called() }, []cty.Value{cty.ListVal([]cty.Value{str("a"), unknown})}},
		"any":              {func(any) int { return called() }, []cty.Value{cty.TupleVal([]cty.Value{unknown})}},
		"cty":              {func(cty.Value) int { return called() }, []cty.Value{cty.DynamicVal}},
		"part of cty":      {func(cty.Value) int { return called() }, []cty.Value{cty.TupleVal([]cty.Value{unknown})}},
		"variadic":         {func(...string) int { return called() }, []cty.Value{str("a"), unknown}},
		"list of Values":   {func([]runtime.Value[string]) int { return called() }, []cty.Value{cty.UnknownVal(cty.List(cty.String))}},
		"inside a Value":   {func(runtime.Value[[]string]) int { return called() }, []cty.Value{cty.ListVal([]cty.Value{unknown})}},
		"another argument": {func(runtime.Value[string], string) int { return called() }, []cty.Value{unknown, unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := callF(t, functions(t, tt.fn, spec(namesFor(tt.fn))), tt.args...)
			if resp.Err != nil || !resp.Result.RawEquals(cty.UnknownVal(cty.Number)) {
				t.Errorf("the call returns %#v, %v, want an unknown number and no error", resp.Result, resp.Err)
			}
		})
	}
}

type owned struct {
	Owner map[string]point
}

// TestFunctionArgumentErrors checks that errors about arguments refer to the argument,
// follow its name grammatically, and contain no part of a value.
func TestFunctionArgumentErrors(t *testing.T) {
	t.Parallel()
	list := func(vs ...cty.Value) []cty.Value { return vs }
	good := pointVal(1, noNum, noStr, noStr)
	broken := errors.New("it is broken")
	for name, tt := range map[string]struct {
		fn    any
		spec  runtime.FuncSpec
		args  []cty.Value
		index int // -1 if the error is about no argument
		want  string
	}{
		"null":                       {func(string, string) int { return 0 }, spec("a b"), list(str("x"), noStr), 1, "a value is required"},
		"null variadic":              {func(...string) int { return 0 }, spec("a"), list(str("x"), noStr), 1, "a value is required"},
		"null element":               {func([]string) int { return 0 }, spec("a"), list(cty.ListVal([]cty.Value{str("x"), noStr})), 0, "[1]: a value is required"},
		"fraction":                   {func(int) int { return 0 }, spec("a"), list(cty.NumberFloatVal(1.5)), 0, "a whole number is required"},
		"out of range":               {func(int8) int { return 0 }, spec("a"), list(num(128)), 0, "the number is out of range: it must be from -128 to 127"},
		"negative":                   {func(uint8) int { return 0 }, spec("a"), list(num(-1)), 0, "the number is out of range: it must be from 0 to 255"},
		"too large":                  {func(float32) int { return 0 }, spec("a"), list(cty.NumberFloatVal(1e300)), 0, "the number is too large"},
		"infinite integer":           {func(int) int { return 0 }, spec("a"), list(cty.PositiveInfinity), 0, "a whole number is required"},
		"unparsable":                 {func(runtime.JSON) int { return 0 }, spec("a"), list(str("{")), 0, "the string is not a JSON document; use jsonencode"},
		"out of range in a struct":   {func([]point) int { return 0 }, spec("a"), list(cty.ListVal([]cty.Value{good, pointVal(1, num(999), noStr, noStr)})), 0, "[1].y: the number is out of range: it must be from -128 to 127"},
		"rule of a nested attribute": {func([]point) int { return 0 }, spec("a"), list(cty.ListVal([]cty.Value{good, pointVal(10, noNum, noStr, noStr)})), 0, "[1].x: must be from 0 to 9"},
		"map key is omitted": {
			func(owned) int { return 0 }, spec("a"), list(cty.ObjectVal(attrs{"owner": cty.MapVal(attrs{"hush": pointVal(10, noNum, noStr, noStr)})})),
			0, "owner[*].x: must be from 0 to 9",
		},
		"several": {
			func(int8, string, ...int8) int { return 0 }, spec("a b c"), list(num(1000), noStr, num(1), num(1000)),
			0, "the number is out of range: it must be from -128 to 127; b: a value is required; c[1]: the number is out of range: it must be from -128 to 127",
		},

		"rule":                {func(string) int { return 0 }, spec("a", runtime.OneOf("a", "x", "y")), list(str("z")), 0, `must be "x" or "y"`},
		"rule, pointer":       {func(*string) int { return 0 }, spec("a", runtime.Length("a", 2, 0)), list(str("z")), 0, "must have at least 2 characters"},
		"rule, variadic":      {func(...int) int { return 0 }, spec("a", runtime.AtMost("a", 2)), list(num(1), num(3)), 1, "must be 2 or less"},
		"rule of elements":    {func([]int) int { return 0 }, spec("a", runtime.Each(runtime.AtMost("a", 2))), list(cty.ListVal([]cty.Value{num(1), num(3)})), 0, "[1]: must be 2 or less"},
		"rule with Check":     {func(int) int { return 0 }, spec("a", runtime.Check("a", "must be even", func(int) error { return broken })), list(num(1)), 0, "it is broken"},
		"rule of unknown":     {func(runtime.Value[[]int]) int { return 0 }, spec("a", runtime.Length("a", 2, 0)), list(cty.UnknownVal(cty.List(cty.Number)).Refine().CollectionLengthUpperBound(1).NewValue()), 0, "must have at least 2 elements"},
		"both of at most one": {func(_, _ *int) int { return 0 }, spec("a b", runtime.AtMostOneOf("a", "b")), list(num(1), num(1)), 1, "only one of a and b can be set, and a is already set. Remove one of them"},
		"none of exactly one": {func(_, _ *int) int { return 0 }, spec("a b", runtime.ExactlyOneOf("a", "b")), list(noNum, noNum), -1, "one of a and b must be set"},
		"required when set":   {func(_ *int, _ *bool) int { return 0 }, spec("a b", runtime.RequiredWhen("a", "b", true)), list(noNum, cty.True), 0, "a must be set when b is true"},

		"error of the function":                                   {func(int) (int, error) { return 0, broken }, spec("a"), list(num(1)), -1, "it is broken"},
		"error of a string function":                              {func(string) (string, error) { return "", broken }, spec("a"), list(str("x")), -1, "it is broken"},
		"error of a function of two strings":                      {func(_, _ string) (string, error) { return "", broken }, spec("a b"), list(str("x"), str("x")), -1, "it is broken"},
		"ArgumentError by name":                                   {func(context.Context, int, int) (int, error) { return 0, runtime.ArgumentError("b", broken) }, spec("a b"), list(num(1), num(1)), 1, "it is broken"},
		"ArgumentError by index":                                  {func(...int) (int, error) { return 0, runtime.ArgumentError(2, broken) }, spec("a"), list(num(1), num(1), num(1)), 2, "it is broken"},
		"ArgumentError of a variadic parameter":                   {func(int, ...int) (int, error) { return 0, runtime.ArgumentError("b", broken) }, spec("a b"), list(num(1), num(1), num(1)), 1, "it is broken"},
		"ArgumentError of a variadic parameter without arguments": {func(int, ...int) (int, error) { return 0, runtime.ArgumentError("b", broken) }, spec("a b"), list(num(1)), -1, "it is broken"},
		"ArgumentError, wrapped":                                  {func(int) (int, error) { return 0, fmt.Errorf("sadly, %w", runtime.ArgumentError("a", broken)) }, spec("a"), list(num(1)), 0, "sadly, it is broken"},
		"ArgumentError with a path": {func([]int) (int, error) {
			return 0, runtime.ArgumentError("a", diag.WithPath(cty.IndexIntPath(3), broken))
		}, spec("a"), list(cty.ListVal([]cty.Value{num(1)})), 0, "[3]: it is broken"},
		"ArgumentErrors, joined": {func(int, int) (int, error) {
			return 0, errors.Join(broken, runtime.ArgumentError("b", broken), runtime.ArgumentError("a", broken))
		}, spec("a b"), list(num(1), num(1)), 1, "it is broken; it is broken; a: it is broken"},
		"error and warning": {func(int) (int, error) { return 0, errors.Join(diag.AsWarning(errors.New("old")), broken) }, spec("a"), list(num(1)), -1, "it is broken"},
		"unknown name":      {func(int) (int, error) { return 0, runtime.ArgumentError("z", broken) }, spec("a"), list(num(1)), -1, `it is broken (provider bug: the error is about the argument "z", and there is no such parameter; please report this)`},
		"unknown index":     {func(int) (int, error) { return 0, runtime.ArgumentError(1, broken) }, spec("a"), list(num(1)), -1, "it is broken (provider bug: the error is about the argument at index 1 of 1; please report this)"},

		"too few":                         {func(int, ...int) int { return 0 }, spec("a b"), nil, -1, "the function f takes 1 or more arguments and got 0"},
		"too many":                        {func(int) int { return 0 }, spec("a"), list(num(1), num(1)), -1, "the function f takes 1 argument and got 2"},
		"NaN result":                      {func() []float64 { return []float64{1, math.NaN()} }, spec(""), nil, -1, "provider bug: the result cannot be encoded: [1]: the number is NaN, which cannot be stored; please report this"},
		"panic":                           {func(l []string) string { return l[1] }, spec("a"), list(cty.ListVal([]cty.Value{str("hush")})), -1, "Provider bug: the provider crashed: The method call of the function f panicked: runtime error: index out of range [1] with length 1. This is a bug in the provider, not in your configuration; please report it"},
		"panic of the function":           {func(s string) string { panic(s) }, spec("a"), list(str("hush")), -1, "Provider bug: the provider crashed: The method call of the function f panicked: details are in the log (TF_LOG=ERROR). This is a bug in the provider, not in your configuration; please report it"},
		"panic while encoding the result": {func() panics { return panics{} }, spec(""), nil, -1, "Provider bug: the provider crashed: The method call of the function f panicked: details are in the log (TF_LOG=ERROR). This is a bug in the provider, not in your configuration; please report it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := callF(t, functions(t, tt.fn, tt.spec), tt.args...)
			if resp.Err == nil {
				t.Fatalf("got the result %#v, want an error", resp.Result)
			}
			if diff := cmp.Diff(tt.want, withoutSite(resp.Err.Error())); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			index := -1
			if argument, ok := errors.AsType[*provider.FunctionArgumentError](resp.Err); ok {
				index = argument.Index
			}
			if index != tt.index {
				t.Errorf("the error is about the argument at index %d, want %d", index, tt.index)
			}
			// Constraints keep only the text of an error.
			if strings.Contains(tt.want, broken.Error()) && name != "rule with Check" && !errors.Is(resp.Err, broken) {
				t.Error("the error does not wrap its cause")
			}
		})
	}
	if runtime.ArgumentError("a", nil) != nil {
		t.Error("ArgumentError of nil returns an error")
	}
}

// withoutSite removes the file and line of a panic from a text.
func withoutSite(text string) string {
	return regexp.MustCompile(` panicked at \w+\.go:\d+:`).ReplaceAllString(text, " panicked:")
}

// panics is a text type whose MarshalText panics.
type panics struct{}

func (panics) MarshalText() ([]byte, error) { panic("hush") }
func (*panics) UnmarshalText([]byte) error  { return nil }

// TestFunctionWarningsAreCounted checks that the log has the number of warnings of a
// function without their text: functions cannot return warnings.
func TestFunctionWarningsAreCounted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := functions(t, func(ctx context.Context) (int, error) {
		runtime.Warn(ctx, "", "hush", "hush")
		return 1, diag.AsWarning(errors.New("hush"))
	}, spec(""))
	resp := p.CallFunction(tflogtest.RootLogger(t.Context(), &log), provider.CallFunctionRequest{FunctionName: "f"})
	if resp.Err != nil {
		t.Fatal(resp.Err)
	}
	if text := log.String(); !strings.Contains(text, `"warnings":2`) || strings.Contains(text, "hush") {
		t.Errorf("the log is %s, want the number of warnings, 2, and not their text", text)
	}
}
