package addrs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// letters are the parts of random keys: letters, and characters that need an escape or
// have a meaning in an address.
var letters = []string{"a", "Z", "é", "😀", "$", "%", "{", "}", `"`, `\`, "\n", "\r", "\t", "\x00", "\u200b", "\U000e0001", "]", ".", "[", " ", "#", "${", "$${", "%{"}

func randomKey(r *rand.Rand) addrs.InstanceKey {
	switch r.IntN(3) {
	case 0:
		return addrs.NoKey
	case 1:
		return addrs.IntKey(r.IntN(1 << r.IntN(31)))
	default:
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return addrs.StringKey(cty.NormalizeString(b.String()))
	}
}

func randomName(r *rand.Rand) string {
	return []string{"a", "_b", "data", "module", "x-1", "é", "provider", "ephemeral", "output"}[r.IntN(9)]
}

func randomInstance(r *rand.Rand) addrs.AbsResourceInstance {
	var m addrs.ModuleInstance
	for range r.IntN(3) {
		m = m.Child(randomName(r), randomKey(r))
	}
	mode := []addrs.ResourceMode{addrs.ManagedResourceMode, addrs.DataResourceMode, addrs.EphemeralResourceMode}[r.IntN(3)]
	return m.Resource(mode, "t_"+randomName(r), randomName(r)).Instance(randomKey(r))
}

// inverse checks that parse is the inverse of String.
func inverse[T fmt.Stringer](t *testing.T, v T, parse func(string) (T, error)) {
	t.Helper()
	got, err := parse(v.String())
	if err != nil {
		t.Errorf("%s cannot be parsed: %v", v, err)
	} else if diff := cmp.Diff(v, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", v, diff)
	}
}

func TestParseIsTheInverseOfString(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		ri := randomInstance(r)
		inverse(t, ri, addrs.ParseAbsResourceInstanceStr)
		inverse(t, ri.ContainingResource(), addrs.ParseAbsResourceStr)
		inverse(t, ri.ConfigResource(), addrs.ParseConfigResourceStr)
		inverse(t, ri.Module, addrs.ParseModuleInstanceStr)
		inverse(t, addrs.Target{Module: ri.Module, Resource: ri.Resource.Resource, Key: ri.Resource.Key}, addrs.ParseTargetStr)
		if !ri.Module.IsRoot() {
			inverse(t, addrs.Target{Module: ri.Module}, addrs.ParseTargetStr)
		}
		config := addrs.AbsProviderConfig{
			Module:   ri.Module.Module(),
			Provider: addrs.Provider{Hostname: "example.com:8080", Namespace: "-", Type: "a-1"},
			Alias:    []string{"", "b"}[r.IntN(2)],
		}
		inverse(t, config, addrs.ParseAbsProviderConfigStr)
		inverse(t, config.Provider, func(text string) (addrs.Provider, error) {
			return addrs.ParseProviderSourceString(text, "no.host")
		})
		if t.Failed() {
			return
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	instance := func(s string) error { _, err := addrs.ParseAbsResourceInstanceStr(s); return err }
	resource := func(s string) error { _, err := addrs.ParseAbsResourceStr(s); return err }
	config := func(s string) error { _, err := addrs.ParseConfigResourceStr(s); return err }
	module := func(s string) error { _, err := addrs.ParseModuleInstanceStr(s); return err }
	target := func(s string) error { _, err := addrs.ParseTargetStr(s); return err }
	provider := func(s string) error { _, err := addrs.ParseAbsProviderConfigStr(s); return err }
	for _, tt := range []struct {
		parse func(string) error
		text  string
		want  string
	}{
		{instance, "", "at character 1, the name of a resource type is expected"},
		{instance, "a", `at character 2, "." is expected between`},
		{instance, "a.", "at character 3, the name of a resource is expected"},
		{instance, "a.b.c", "at character 4, nothing more is expected"},
		{instance, "a.1", "at character 3, the name of a resource"},
		{instance, "é.é[", "at character 5, a key is expected"},
		{instance, "a.b[1", `at character 6, "]" is expected`},
		{instance, "a.b[-1]", "at character 5, a key is expected"},
		{instance, "a.b[99999999999999999999]", "at character 5, the number is too large"},
		{instance, `a.b["x]`, "at character 8, the string has no closing quote"},
		{instance, "a.b[\"x\n\"]", "at character 7, the string has no closing quote"},
		{instance, "a.b[\"\xff\"]", "at character 6, invalid UTF-8"},
		{instance, `a.b["${x}"]`, "at character 6, a key cannot have a template, use $${"},
		{instance, `a.b["\q"]`, "at character 7, after a backslash"},
		{instance, `a.b["\ud800"]`, "at character 7, after a backslash"},
		{instance, `a.b["\u12"]`, "at character 7, after a backslash"},
		{instance, `a.b["\U00000041`, "at character 16, the string has no closing quote"},
		{instance, " a.b", "at character 1, the name of a resource type"},
		{instance, "data.a", `at character 7, "." is expected`},
		{instance, "module.a", `at character 9, "." is expected after a module`},
		{instance, "ephemeral", `which cannot be "ephemeral"`},
		{resource, "a.b[0]", "at character 4, nothing more"},
		{config, "module.a[0].b.c", "which has no key here"},
		{module, "module.a.b", `at character 10, "module." is expected`},
		{module, "a", `at character 1, "module." is expected`},
		{module, "module.a[0]b", `at character 12, "." is expected between`},
		{target, "module.a.module.b.", "the name of a resource type is expected"},
		{provider, "provider", "the provider's address is expected, in brackets"},
		{provider, "provider[0]", "the provider's address is expected, in brackets"},
		{provider, "provider.a", "the provider's address is expected, in brackets"},
		{provider, `provider["a/b"]`, "must have a host"},
		{provider, `provider["h.x/a/b"].`, "the name of an alias is expected"},
		{provider, `thing["h.x/a/b"]`, `"provider" is expected`},
		{provider, "module.a.", `at character 10, "provider" is expected`},
		{provider, `module.a[0].provider["h.x/a/b"]`, "has no key here"},
		{provider, `provider["h.x/a_b/c"]`, `"a_b" must consist of letters`},
	} {
		err := tt.parse(tt.text)
		var parseErr *addrs.ParseError
		if !errors.As(err, &parseErr) || parseErr.Text != tt.text || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestParseProviderSource(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"random":                    "reg.example/hashicorp/random",
		"Acme/Test":                 "reg.example/acme/test",
		"EXAMPLE.com/a/b":           "example.com/a/b",
		"localhost:99/a/b":          "localhost:99/a/b",
		"terraform.io/builtin/x":    "terraform.io/builtin/x",
		"":                          "error",
		"a/":                        "error",
		"a/b/c/d":                   "error",
		"host/a/b":                  "error",
		"h.x:/a/b":                  "error",
		"h.x:1a/a/b":                "error",
		"h..x/a/b":                  "error",
		"a/-b":                      "error",
		"a/b--c":                    "error",
		"a/b.c":                     "error",
		"a/terraform-provider-test": "error",
	} {
		got, err := addrs.ParseProviderSourceString(source, "reg.example")
		if text := got.String(); err == nil && text != want || (err != nil) != (want == "error") {
			t.Errorf("%q: %s, %v, want %s", source, text, err, want)
		}
	}
}

// newerThanHCL reports whether r is valid in an identifier in the Unicode version of Go,
// but not in the older version of HCL.
func newerThanHCL(r rune) bool {
	_, err := addrs.ParseTargetStr("a.a" + string(r))
	return err == nil && r >= utf8.RuneSelf && !hclsyntax.ValidIdentifier("a"+string(r))
}

// FuzzParse compares the parsers with HCL's: an address must have the same meaning in
// both, and printing it must not change the meaning.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(randomInstance(r).String())
	}
	f.Add(`module.a.provider["h.x/a/b"].c`)
	f.Add(`a.b["\u00e9\U0001f600$$${"]`)
	f.Fuzz(func(t *testing.T, text string) {
		if config, key, err := addrs.ParseAbsProviderInstanceStr(text); err == nil {
			again, key2, err := addrs.ParseAbsProviderInstanceStr(config.String() + addrs.KeyString(key))
			if err != nil || !again.Equal(config) || key2 != key {
				t.Errorf("%s%s is parsed as %v%s with error %v, want the same address and no error",
					config, addrs.KeyString(key), again, addrs.KeyString(key2), err)
			}
		}
		got, err := addrs.ParseTargetStr(text)
		traversal, diags := hclsyntax.ParseTraversalAbs([]byte(text), "", hcl.InitialPos)
		if err != nil {
			// HCL accepts names that are not UTF-8.
			if plain := hclText(traversal); !diags.HasErrors() && plain == text && addressLike(traversal) && utf8.ValidString(text) {
				t.Errorf("%q is an address in HCL, but is rejected: %v", text, err)
			}
			return
		}
		if diags.HasErrors() && strings.ContainsFunc(text, newerThanHCL) {
			return
		}
		if diags.HasErrors() || len(traversal) == 0 {
			t.Fatalf("%q is parsed as an address, but HCL rejects it: %v", text, diags)
		}
		if want := hclText(traversal); got.String() != want {
			t.Errorf("%q is %s, but %s in HCL", text, got, want)
		}
		again, err := addrs.ParseTargetStr(got.String())
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%q changes when it is printed and parsed: %v\n%s", text, err, diff)
		}
	})
}

// hclText returns a traversal in the form of an address.
func hclText(traversal hcl.Traversal) string {
	var b strings.Builder
	for _, step := range traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			if key, ok := addrs.ParseKey(step.Key); ok {
				b.WriteString(key.String())
			}
		}
	}
	return b.String()
}

// addressLike reports whether a traversal is type.name or type.name[key].
func addressLike(traversal hcl.Traversal) bool {
	if len(traversal) != 2 && len(traversal) != 3 {
		return false
	}
	switch traversal.RootName() {
	case "module", "data", "ephemeral":
		return false
	}
	if _, ok := traversal[1].(hcl.TraverseAttr); !ok {
		return false
	}
	if len(traversal) == 2 {
		return true
	}
	_, ok := traversal[2].(hcl.TraverseIndex)
	return ok
}
