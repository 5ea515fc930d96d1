package lang_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// TestFunctionErrorsHideSensitiveArguments calls each function except bcrypt with many
// arguments, and checks that no error contains the text of a sensitive argument.
func TestFunctionErrorsHideSensitiveArguments(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	s := cty.StringVal(secret)
	arguments := map[string]cty.Value{
		"text": s.Mark(lang.Sensitive), "digits": cty.StringVal("99:" + secret).Mark(lang.Sensitive),
		"list": cty.TupleVal([]cty.Value{s, s}).Mark(lang.Sensitive), "inside": cty.TupleVal([]cty.Value{s.Mark(lang.Sensitive), cty.NumberIntVal(1)}),
		"map": cty.ObjectVal(map[string]cty.Value{"a": s, "c": s}).Mark(lang.Sensitive), "number": cty.NumberIntVal(9), "open": cty.StringVal("/("),
		"slashed": cty.StringVal("/(" + secret + "/").Mark(lang.Sensitive), "json": cty.StringVal(`{"` + secret + `": ` + secret).Mark(lang.Sensitive),
		"csv": cty.StringVal(secret + "," + secret + "\n1,2").Mark(lang.Sensitive), "yaml": cty.StringVal("a: *" + secret).Mark(lang.Sensitive),
		"pattern": cty.StringVal("(" + secret + "{[").Mark(lang.Sensitive), "template": cty.StringVal("${" + secret + "}").Mark(lang.Sensitive),
	}
	functions := lang.Functions(lang.FunctionOptions{BaseDir: baseDir})
	var calls [][3]cty.Value
	for _, a := range arguments {
		for _, b := range arguments {
			calls = append(calls, [3]cty.Value{a, b, arguments["text"]}, [3]cty.Value{a, b, arguments["number"]})
		}
	}
	failed := 0
	for name := range functions {
		if strings.HasPrefix(name, "core::") || name == "bcrypt" { // bcrypt is slow
			continue
		}
		for _, arity := range []string{"a", "a, b", "a, b, c"} {
			call := expression(t, name+"("+arity+")")
			for _, args := range calls {
				_, diags := call.Value(&hcl.EvalContext{
					Functions: functions, Variables: map[string]cty.Value{"a": args[0], "b": args[1], "c": args[2]},
				})
				if !diags.HasErrors() {
					continue
				}
				failed++
				if text := diags.Error(); strings.Contains(text, secret) {
					t.Errorf("%s%v: %s", name, args, text)
					break
				}
			}
		}
	}
	if failed < 20_000 {
		t.Errorf("only %d calls failed, want at least 20000", failed)
	}
}

// call returns the result of a function. The test fails if the function does not exist.
func call(tb testing.TB, o lang.FunctionOptions, name string, args ...cty.Value) (cty.Value, error) {
	tb.Helper()
	f, ok := lang.Functions(o)[name]
	if !ok {
		tb.Fatalf("there is no function %s", name)
	}
	return f.Call(args)
}

// TestFunctionsOfUnknown checks functions of unknown arguments, and functions whose results
// are not yet known.
func TestFunctionsOfUnknown(t *testing.T) {
	t.Parallel()
	str, list := cty.StringVal, func(vs ...cty.Value) cty.Value { return cty.ListVal(vs) }
	unknown, maybe := cty.UnknownVal(cty.String), cty.UnknownVal(cty.Bool)
	begins := unknown.Refine().StringPrefixFull("foo-").NewValue()
	yesNo := maybe.RefineNotNull()
	tests := []struct {
		name string
		args []cty.Value
		want cty.Value
	}{
		{"issensitive", []cty.Value{unknown}, maybe},
		{"issensitive", []cty.Value{unknown.Mark(lang.Sensitive)}, cty.True},
		{"startswith", []cty.Value{begins, str("foo")}, cty.True},
		{"startswith", []cty.Value{begins, str("bar")}, cty.False},
		{"startswith", []cty.Value{begins, str("foo-x")}, yesNo},
		{"endswith", []cty.Value{begins, str("foo")}, yesNo},
		{"alltrue", []cty.Value{list(maybe, cty.False)}, yesNo},
		{"alltrue", []cty.Value{list(cty.False, maybe)}, cty.False},
		{"anytrue", []cty.Value{list(maybe, cty.True)}, cty.True},
		{"anytrue", []cty.Value{list(maybe, cty.False)}, yesNo},
		{"coalesce", []cty.Value{unknown, str("x")}, unknown.RefineNotNull()},
		{"coalesce", []cty.Value{str("x"), unknown}, str("x")},
		{"length", []cty.Value{cty.TupleVal([]cty.Value{unknown})}, cty.NumberIntVal(1)},
		{"lookup", []cty.Value{cty.MapVal(map[string]cty.Value{"a": unknown, "b": str("x")}), str("b")}, str("x")},
		{"lookup", []cty.Value{cty.MapVal(map[string]cty.Value{"a": str("x")}), str("b"), unknown}, unknown},
		{"index", []cty.Value{list(str("a"), unknown), str("a")}, cty.Zero},
		{"index", []cty.Value{list(unknown, str("a")), str("a")}, cty.UnknownVal(cty.Number).RefineNotNull()},
		{"matchkeys", []cty.Value{list(str("a")), list(str("b")), list(unknown)}, cty.ListValEmpty(cty.String)},
		{"matchkeys", []cty.Value{list(str("a")), list(unknown), list(str("b"))}, cty.UnknownVal(cty.List(cty.String)).RefineNotNull()},
		{"one", []cty.Value{list(unknown)}, unknown},
		{"one", []cty.Value{cty.UnknownVal(cty.List(cty.String))}, unknown},
		{"templatestring", []cty.Value{str("a"), cty.ObjectVal(map[string]cty.Value{"x": unknown})}, str("a")},
		{"templatestring", []cty.Value{unknown, cty.EmptyObjectVal}, cty.DynamicVal},
		{"base64encode", []cty.Value{unknown}, unknown.RefineNotNull()},
		{"fileexists", []cty.Value{unknown}, yesNo},
		{"timestamp", nil, unknown.RefineNotNull()},
		{"core::uuid", nil, unknown.RefineNotNull()},
		{"bcrypt", []cty.Value{str("x")}, unknown.RefineNotNull()},
		{"plantimestamp", nil, unknown.RefineNotNull()},
	}
	for _, tt := range tests {
		got, err := call(t, lang.FunctionOptions{PureOnly: true}, tt.name, tt.args...)
		if err != nil || !got.RawEquals(tt.want) {
			t.Errorf("%s of %#v is %#v (%v), want %#v", tt.name, tt.args, got, err, tt.want)
		}
	}
}

func TestFunctionOptions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	for _, name := range []string{"plantimestamp", "core::plantimestamp"} {
		if got, err := call(t, lang.FunctionOptions{PlanTime: at}, name); err != nil || got.AsString() != "2026-01-02T02:04:05Z" {
			t.Errorf("%s returned %#v and the error %v, want 2026-01-02T02:04:05Z", name, got, err)
		}
	}
	one, err1 := call(t, lang.FunctionOptions{}, "uuid")
	other, err2 := call(t, lang.FunctionOptions{}, "uuid")
	if err1 != nil || err2 != nil || one.RawEquals(other) {
		t.Errorf("two calls of uuid returned %#v and %#v with the errors %v and %v, want different values", one, other, err1, err2)
	}
	if got, err := call(t, lang.FunctionOptions{}, "timestamp"); err != nil || !got.IsKnown() {
		t.Errorf("timestamp returned %#v and the error %v, want a known value", got, err)
	}
	// Relative paths are relative to BaseDir, even if the previous call had another
	// directory.
	for _, dir := range []string{baseDir, "elsewhere", baseDir, ""} {
		want, err := filepath.Abs(filepath.Join(dir, "x"))
		if got, callErr := call(t, lang.FunctionOptions{BaseDir: dir}, "abspath", cty.StringVal("x")); err != nil || callErr != nil || got.AsString() != want {
			t.Errorf("abspath in %q returned %#v and the error %v, want %q (error %v)", dir, got, callErr, want, err)
		}
	}
	// Additions change neither other maps nor the functions of templates.
	mine := lang.Functions(lang.FunctionOptions{})
	mine["provider::p::f"] = mine["upper"]
	if _, ok := lang.Functions(lang.FunctionOptions{})["provider::p::f"]; ok {
		t.Error("a function added to one map is in another map")
	}
	text := cty.StringVal(`${provider::p::f("x")}`)
	if got, err := mine["templatestring"].Call([]cty.Value{text, cty.EmptyObjectVal}); err == nil {
		t.Errorf("a template with the added function is %#v, want an error", got)
	}
}

// TestFunctionContext checks that a context has all functions, and that templates use
// its options.
func TestFunctionContext(t *testing.T) {
	t.Parallel()
	o := lang.FunctionOptions{PlanTime: time.Now(), PureOnly: true}
	ctx := lang.FunctionContext(o)
	for name := range lang.Functions(o) {
		found := false
		for scope := ctx; scope != nil && !found; scope = scope.Parent() {
			_, found = scope.Functions[name]
		}
		if !found {
			t.Errorf("there is no function %s", name)
		}
	}
	same := expression(t, `templatestring("$${plantimestamp()}", {}) == plantimestamp()`)
	if v, diags := same.Value(ctx); diags.HasErrors() || !v.RawEquals(cty.True) {
		t.Errorf("the comparison of plantimestamp in a template and outside is %#v with the errors %v, want true", v, diags)
	}
	if v, diags := expression(t, `templatestring("$${uuid()}", {})`).Value(ctx); diags.HasErrors() || v.IsKnown() {
		t.Errorf("uuid in a template of a plan is %#v with the errors %v, want an unknown value", v, diags)
	}
}

// TestFunctionsOfTerraform checks what differs from OpenTofu: some functions are missing, and
// templatestring accepts only references.
func TestFunctionsOfTerraform(t *testing.T) {
	t.Parallel()
	o := lang.FunctionOptions{Terraform: true}
	functions := lang.Functions(o)
	var missing []string
	for name := range lang.Functions(lang.FunctionOptions{}) {
		if _, ok := functions[name]; !ok {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if got, want := strings.Join(missing, " "), "base64gunzip cidrcontains core::base64gunzip core::cidrcontains core::urldecode urldecode"; got != want {
		t.Errorf("missing functions: %s, want %s", got, want)
	}
	ctx := lang.FunctionContext(o)
	text := cty.StringVal("Hello ${name}")
	ctx.Variables = map[string]cty.Value{
		"text": text, "key": cty.StringVal("a"), "inside": cty.ObjectVal(map[string]cty.Value{"a": text}), "unknown": cty.UnknownVal(cty.String),
		"secret": text.Mark(lang.Sensitive), "number": cty.NumberIntVal(1), "nested": cty.StringVal(`${templatestring("Hello", {})}`),
	}
	hello := cty.StringVal("Hello you")
	for template, want := range map[string]cty.Value{ // cty.NilVal means that an error is wanted
		"text": hello, "inside.a": hello, `inside["a"]`: hello, "inside[key]": hello, "unknown": cty.DynamicVal, "secret": hello.Mark(lang.Sensitive),
		"nested": cty.NilVal, `"Hello"`: cty.NilVal, `"$${name}"`: cty.NilVal, `"${text}"`: cty.NilVal, "(text)": cty.NilVal,
		"upper(text)": cty.NilVal, "number": cty.NilVal, "null": cty.NilVal, "inside.b": cty.NilVal,
	} {
		for _, prefix := range []string{"", "core::"} {
			v, diags := expression(t, prefix+"templatestring("+template+`, { name = "you" })`).Value(ctx)
			switch {
			case diags.HasErrors() != (want == cty.NilVal):
				t.Errorf("%stemplatestring of %s is %#v with the errors %v, want an error: %t", prefix, template, v, diags, want == cty.NilVal)
			case want != cty.NilVal && !v.RawEquals(want):
				t.Errorf("%stemplatestring of %s is %#v, want %#v", prefix, template, v, want)
			}
		}
	}
}

func TestRSADecrypt(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := rsa.EncryptPKCS1v15(rand.Reader, &key.PublicKey, []byte("hello")) //nolint:staticcheck // the function is documented to decrypt PKCS #1 v1.5
	if err != nil {
		t.Fatal(err)
	}
	pkcs1 := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	text := cty.StringVal(base64.StdEncoding.EncodeToString(secret))
	if got, err := call(t, lang.FunctionOptions{}, "rsadecrypt", text, cty.StringVal(string(pkcs1))); err != nil || got.AsString() != "hello" {
		t.Errorf("rsadecrypt returned %#v and the error %v, want hello", got, err)
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	wrong := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if _, err := call(t, lang.FunctionOptions{}, "rsadecrypt", text, cty.StringVal(string(wrong))); err == nil || !strings.Contains(err.Error(), "RSA") {
		t.Errorf("with a key that is not RSA, rsadecrypt returned the error %v, want an error that contains RSA", err)
	}
}

func TestEphemeralAsNull(t *testing.T) {
	t.Parallel()
	secret := cty.StringVal("s").WithMarks(cty.NewValueMarks(lang.Ephemeral, lang.Sensitive))
	in := cty.ObjectVal(map[string]cty.Value{"a": secret, "b": cty.TupleVal([]cty.Value{cty.True, cty.UnknownVal(cty.Bool).Mark(lang.Ephemeral)})})
	want := cty.ObjectVal(map[string]cty.Value{"a": cty.NullVal(cty.String).Mark(lang.Sensitive), "b": cty.TupleVal([]cty.Value{cty.True, cty.NullVal(cty.Bool)})})
	if got, err := call(t, lang.FunctionOptions{}, "ephemeralasnull", in); err != nil || !got.RawEquals(want) {
		t.Errorf("got  %#v (%v)\nwant %#v", got, err, want)
	}
	whole := cty.ListVal([]cty.Value{cty.True}).Mark(lang.Ephemeral)
	if got, err := call(t, lang.FunctionOptions{}, "ephemeralasnull", whole); err != nil || !got.RawEquals(cty.NullVal(whole.Type())) {
		t.Errorf("ephemeralasnull of an ephemeral list is %#v with the error %v, want null", got, err)
	}
}
