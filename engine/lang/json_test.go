package lang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
)

func jsonBody(tb testing.TB, text string) hcl.Body {
	tb.Helper()
	file, diags := json.Parse([]byte(text), "main.tf.json")
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return file.Body
}

// The JSON syntax says the same, though it has one form for attributes and blocks.
func TestDecodeBodyJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, native string }{
		"attributes":          {`{"s": "${upper}", "l": ["x"]}`, `s = upper` + "\n" + `l = ["x"]`},
		"blocks":              {`{"list": [{"a": "x"}, {"b": 1}], "single": {"a": "y"}}`, "list {\na = \"x\"\n}\nlist {\nb = 1\n}\nsingle {\na = \"y\"\n}"},
		"labels":              {`{"map": {"k": {"a": "x"}}}`, "map \"k\" {\na = \"x\"\n}"},
		"dynamic":             {`{"dynamic": {"list": {"for_each": ["u", "v"], "content": {"a": "${list.value}"}}}}`, "list {\na = \"u\"\n}\nlist {\na = \"v\"\n}"},
		"attribute as blocks": {`{"old": [{"p": "1"}, {"q": [{"r": 2}]}]}`, "old {\np = 1\n}\nold {\nq {\nr = 2\n}\n}"},
		"in a dynamic block":  {`{"dynamic": {"old": {"for_each": [1], "content": {"q": [{"r": 2}]}}}}`, "old {\nq {\nr = 2\n}\n}"},
		"one block":           {`{"old": {"p": "1"}}`, "old {\np = 1\n}"},
		"such an attribute":   {`{"old": "${given}"}`, "old = given"},
		"null":                {`{"old": null}`, ""},
		"none":                {`{"old": []}`, "old = []"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := everything()
			ctx := context(map[string]cty.Value{
				"upper": cty.StringVal("X"),
				"given": cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"p": cty.StringVal("p"), "q": cty.EmptyTupleVal})}),
			})
			want, diags := lang.DecodeBody(body(t, tt.native), schema, ctx)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			got, diags := lang.DecodeBody(lang.ExpandDynamic(jsonBody(t, tt.text), schema, ctx), schema, ctx)
			if diags.HasErrors() || !got.RawEquals(want) {
				t.Errorf("%v\n got %#v\nwant %#v", diags, got, want)
			}
		})
	}
}

func TestJSONReferences(t *testing.T) {
	t.Parallel()
	const text = `{
	"s": "${provider::p::one(a.b.c)}",
	"list": [{"a": "%{ if var.x }${provider::p::two(1)}%{ endif }"}],
	"old": [{"p": "${local.x}"}],
	"dynamic": {"list": {"for_each": "${provider::p::three()}", "content": {"a": "${list.value}${self.id}"}}}
}`
	refs, diags := lang.ReferencesInBody(jsonBody(t, text), everything())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, ref := range refs {
		got = append(got, ref.Subject.String())
	}
	if diff := cmp.Diff([]string{"a.b", "var.x", "local.x", "self"}, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	want := []string{"provider::p::one", "provider::p::three", "provider::p::two"}
	if diff := cmp.Diff(want, lang.ProviderFunctionsInBody(jsonBody(t, text))); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}
