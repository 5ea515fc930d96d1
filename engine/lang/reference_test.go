package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

func expression(tb testing.TB, text string) hcl.Expression {
	tb.Helper()
	expr, diags := hclsyntax.ParseExpression([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return expr
}

func TestReferences(t *testing.T) {
	t.Parallel()
	managed := addrs.Resource{Mode: addrs.ManagedResourceMode, Type: "a", Name: "b"}
	data := addrs.Resource{Mode: addrs.DataResourceMode, Type: "a", Name: "b"}
	ephemeral := addrs.Resource{Mode: addrs.EphemeralResourceMode, Type: "a", Name: "b"}
	call := addrs.ModuleCall{Name: "m"}
	output := func(key addrs.InstanceKey) lang.Referenceable {
		return lang.ModuleCallOutput{Call: call, Key: key, Name: "o"}
	}
	tests := []struct {
		text      string
		want      lang.Referenceable
		remaining int
	}{
		{"a.b", managed, 0},
		{"a.b.c.d", managed, 2},
		{"resource.a.b.c", managed, 1},
		{"resource.data.b", addrs.Resource{Mode: addrs.ManagedResourceMode, Type: "data", Name: "b"}, 0},
		{"a.b[0]", managed.Instance(addrs.IntKey(0)), 0},
		{`a.b["x"].c`, managed.Instance(addrs.StringKey("x")), 1},
		{"a.b[*].c", managed, 0},
		{"a.b[var.x].c", managed, 0},
		{"data.a.b.c", data, 1},
		{"data.a.b[1]", data.Instance(addrs.IntKey(1)), 0},
		{"ephemeral.a.b.c", ephemeral, 1},
		{"var.v.x", addrs.InputVariable{Name: "v"}, 1},
		{"local.l[0]", addrs.LocalValue{Name: "l"}, 1},
		{"module.m", call, 0},
		{"module.m[0]", call, 1},
		{"module.m.o.x", output(addrs.NoKey), 1},
		{`module.m["k"].o`, output(addrs.StringKey("k")), 0},
		{"module.m[0].o[1]", output(addrs.IntKey(0)), 1},
		{"path.module", lang.PathAttr{Name: "module"}, 0},
		{"terraform.workspace", lang.TerraformAttr{Name: "workspace", Alias: "terraform"}, 0},
		{"tofu.workspace", lang.TerraformAttr{Name: "workspace", Alias: "tofu"}, 0},
		{"terraform.applying", lang.TerraformAttr{Name: "applying", Alias: "terraform"}, 0},
		{"tofu.applying", lang.TerraformAttr{Name: "applying", Alias: "tofu"}, 0},
		{"count.index", lang.CountAttr{Name: "index"}, 0},
		{"each.key", lang.EachAttr{Name: "key"}, 0},
		{"each.value.x", lang.EachAttr{Name: "value"}, 1},
		{"self.x[0]", lang.SelfAddr{}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			refs, diags := lang.ReferencesInExpr(expression(t, tt.text))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := refs[0]; got.Subject != tt.want || len(got.Remaining) != tt.remaining {
				t.Errorf("got %#v with %d steps remaining, want %#v with %d", got.Subject, len(got.Remaining), tt.want, tt.remaining)
			}
			written := strings.TrimPrefix(string(refs[0].Range.SliceBytes([]byte(tt.text))), "resource.")
			if got := refs[0].Subject.String(); got != written {
				t.Errorf("the subject is printed as %s, want %s as in the expression", got, written)
			}
		})
	}
}

// TestReferenceErrors checks that summaries and ranges are those of the command.
func TestReferenceErrors(t *testing.T) {
	t.Parallel()
	const invalid = "Invalid reference"
	tests := []struct{ text, summary, at string }{
		{"foo", invalid, "foo"},
		{"foo[0]", invalid, "[0]"},
		{"data", invalid, "data"},
		{"data.x", invalid, "data.x"},
		{"data[0]", invalid, "[0]"},
		{"data.x[0]", invalid, "[0]"},
		{"ephemeral.x", invalid, "ephemeral.x"},
		{"resource.a", invalid, "resource.a"},
		{"var", invalid, "var"},
		{`var["v"]`, invalid, `["v"]`},
		{"local", invalid, "local"},
		{"path[0]", invalid, "[0]"},
		{"module", invalid, "module"},
		{`module["x"]`, invalid, `["x"]`},
		{"module.x[0][1]", invalid, "[1]"},
		{"foo.bar[true]", "Invalid index key", "[true]"},
		{"foo.bar[-1]", "", ""}, // an operation, not a key
		{"foo.bar[1.5]", "Invalid index key", "[1.5]"},
		{"template.x", "Reserved symbol name", "template"},
		{"lazy.x", "Reserved symbol name", "lazy"},
		{"arg.x", "Reserved symbol name", "arg"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, diags := lang.ReferencesInExpr(expression(t, tt.text))
			if tt.summary == "" {
				if diags.HasErrors() {
					t.Error(diags)
				}
				return
			}
			if len(diags) != 1 {
				t.Fatalf("got %d diagnostics, want 1", len(diags))
			}
			d := diags[0]
			if at := string(d.Subject.SliceBytes([]byte(tt.text))); d.Summary != tt.summary || at != tt.at || d.Detail == "" {
				t.Errorf("got %s at %s: %s; want %s at %s with a detail", d.Summary, at, d.Detail, tt.summary, tt.at)
			}
		})
	}
}

// TestInvalidNames checks that summaries and ranges are those of the command.
func TestInvalidNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, summary, at string }{
		{"path.foo.x", `Invalid "path" attribute`, "path.foo"},
		{"terraform.foo", `Invalid "terraform" attribute`, "terraform.foo"},
		{"tofu.foo", `Invalid "tofu" attribute`, "tofu.foo"},
		{"count.foo", `Invalid "count" attribute`, "count.foo"},
		{"each.foo", `Invalid "each" attribute`, "each.foo"},
		{"path.cwd", "", ""},
		{"each.value.foo", "", ""},
		{"resource.path.foo", "", ""},
		{"var.foo", "", ""},
		{"module.m.foo", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			refs, diags := lang.ReferencesInExpr(expression(t, tt.text))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var summary, at string
			if d := refs[0].InvalidName(); d != nil {
				summary, at = d.Summary, string(d.Subject.SliceBytes([]byte(tt.text)))
			}
			if summary != tt.summary || at != tt.at {
				t.Errorf("got %q at %q, want %q at %q", summary, at, tt.summary, tt.at)
			}
		})
	}
}

func TestReferencesInBody(t *testing.T) {
	t.Parallel()
	const text = `
s = a.one.x
l = [for v in var.list : v if local.yes]
list { a = a.two.x }
dynamic "list" {
  for_each = a.three
  iterator = it
  content {
    a = it.value
    b = a.four[0].x + list.b.x
  }
}
dynamic "old" {
  for_each = var.old
  content {
    p = old.value
    dynamic "q" {
      for_each = old.value
      content { r = q.value + old.key + a.five.x }
    }
  }
}
old { p = a.six.x }
`
	refs, diags := lang.ReferencesInBody(body(t, text), everything())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, ref := range refs {
		got = append(got, fmt.Sprint(ref.Subject))
	}
	want := []string{"a.one", "var.list", "local.yes", "a.two", "a.three", "a.four[0]", "list.b.x", "var.old", "a.five", "a.six"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProviderFunctions(t *testing.T) {
	t.Parallel()
	const text = `
s = provider::posix::mode("0644") + upper(provider::other::f([provider::posix::mode("1")]))
dynamic "list" {
  for_each = provider::posix::each()
  content { a = "${provider::posix::inner()}" }
}
`
	want := []string{"provider::other::f", "provider::posix::each", "provider::posix::inner", "provider::posix::mode"}
	if diff := cmp.Diff(want, lang.ProviderFunctionsInBody(body(t, text))); diff != "" {
		t.Errorf("functions in the body (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:1], lang.ProviderFunctionsInExpr(expression(t, "provider::other::f()"))); diff != "" {
		t.Errorf("functions in the expression (-want +got):\n%s", diff)
	}
	if p, f, ok := lang.ParseProviderFunctionName(lang.ProviderFunctionName("p", "f")); p != "p" || f != "f" || !ok {
		t.Errorf("the parsed name has the provider %q and the function %q (valid: %t), want p and f", p, f, ok)
	}
	for _, name := range []string{"core::max", "provider::p", "provider::p::a::b", "provider::::f"} {
		if _, _, ok := lang.ParseProviderFunctionName(name); ok {
			t.Errorf("%s was parsed as the name of a provider function", name)
		}
	}
}
