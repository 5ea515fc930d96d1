package functions_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/functions"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// wantError checks that err is an error of the argument with this index, and contains want in one line without a final
// period.
func wantError(t *testing.T, call string, err error, index int, want string) {
	t.Helper()
	var of *provider.FunctionArgumentError
	if !errors.As(err, &of) || of.Index != index || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v; want an error of argument %d with %q", call, err, index, want)
	}
	if err != nil && (strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "\n")) {
		t.Errorf("%s: error %q, want one line without a final period", call, err)
	}
}

func served(t *testing.T) provider.Interface {
	t.Helper()
	p, err := runtime.New(runtime.Definition{Name: "posix", Functions: functions.All()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func call(t *testing.T, p provider.Interface, name string, args ...cty.Value) (cty.Value, error) {
	t.Helper()
	resp := p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: name, Arguments: args})
	return resp.Result, resp.Err
}

var (
	str      = cty.StringVal
	noText   = cty.NullVal(cty.String)
	unknown  = cty.UnknownVal(cty.String)
	anything = cty.DynamicPseudoType
)

// TestNull checks that a null argument is an error of that argument, and that null
// within an argument is left out or is an error that names its place.
func TestNull(t *testing.T) {
	t.Parallel()
	p := served(t)
	texts := cty.Map(cty.String)
	for name, tt := range map[string]struct {
		function string
		args     []cty.Value
		index    int
		says     string
	}{
		"mode":         {"mode", []cty.Value{noText}, 0, "a value is required"},
		"base":         {"mode", []cty.Value{str("0644"), noText}, 1, "a value is required"},
		"word":         {"shell_quote", []cty.Value{str("a"), noText}, 1, "a value is required"},
		"ini":          {"ini_encode", []cty.Value{cty.NullVal(cty.Map(texts))}, 0, "a value is required"},
		"ini section":  {"ini_encode", []cty.Value{cty.MapVal(map[string]cty.Value{"a": cty.NullVal(texts)})}, 0, "a value is required"},
		"ini text":     {"ini_decode", []cty.Value{noText}, 0, "a value is required"},
		"env":          {"env_encode", []cty.Value{cty.NullVal(texts)}, 0, "a value is required"},
		"env text":     {"env_decode", []cty.Value{noText}, 0, "a value is required"},
		"unit":         {"systemd_unit", []cty.Value{cty.NullVal(anything)}, 0, "an object of sections"},
		"unit value":   {"systemd_unit", []cty.Value{unitOf("After", cty.ListVal([]cty.Value{str("a"), noText}))}, 0, "the section Unit: the setting After, value 2: a value in a list must not be null"},
		"hosts":        {"hosts_file", []cty.Value{cty.NullVal(anything)}, 0, "hosts must be a map"},
		"host of null": {"hosts_file", []cty.Value{cty.ObjectVal(map[string]cty.Value{"a": cty.TupleVal([]cty.Value{noText})})}, 0, `the key "a": its value must be a string or a list of strings`},
	} {
		_, err := call(t, p, tt.function, tt.args...)
		wantError(t, name, err, tt.index, tt.says)
	}
	one := func(key string, v cty.Value) cty.Value { return cty.MapVal(map[string]cty.Value{key: v}) }
	for name, arg := range map[string]cty.Value{
		"env_encode":   one("A", noText),
		"systemd_unit": cty.ObjectVal(map[string]cty.Value{"Unit": cty.NullVal(anything)}),
		"hosts_file":   one("a", noText),
	} {
		if got, err := call(t, p, name, arg); err != nil || !got.RawEquals(str("")) {
			t.Errorf("%s with a null value: %#v, %v, want an empty text", name, got, err)
		}
	}
	if got, err := call(t, p, "ini_encode", one("s", one("k", noText))); err != nil || !got.RawEquals(str("[s]\n")) {
		t.Errorf("ini_encode with a null value: %#v, %v, want [s]", got, err)
	}
}

// TestUnknown checks that an argument that is unknown, as a whole or in part, makes the result unknown.
func TestUnknown(t *testing.T) {
	t.Parallel()
	p := served(t)
	for name, args := range map[string][]cty.Value{
		"mode":         {str("a+x"), unknown},
		"shell_quote":  {str("a"), unknown},
		"ini_encode":   {cty.MapVal(map[string]cty.Value{"a": cty.MapVal(map[string]cty.Value{"b": unknown})})},
		"ini_decode":   {unknown},
		"env_encode":   {cty.MapVal(map[string]cty.Value{"A": unknown})},
		"env_decode":   {unknown},
		"systemd_unit": {unitOf("After", cty.TupleVal([]cty.Value{unknown}))},
		"hosts_file":   {cty.ObjectVal(map[string]cty.Value{"a": unknown})},
	} {
		if got, err := call(t, p, name, args...); err != nil || got.IsKnown() {
			t.Errorf("%s is %#v, %v; want unknown", name, got, err)
		}
	}
}

func unitOf(setting string, v cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"Unit": cty.ObjectVal(map[string]cty.Value{setting: v})})
}

// wantNoSecret checks that an error does not contain the secret value of the tests.
func wantNoSecret(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "hush") {
		t.Errorf("the error shows a value: %v", err)
	}
}
