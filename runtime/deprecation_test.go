package runtime_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Aged is a deprecated resource with deprecated parts.
type Aged struct {
	crud[Aged, agedOutput] `tf:"-"`

	Old   *string
	Short *string
	Parts []AgedPart `tf:",optional"`
	Rule  []AgedPart `tf:",block"`
	Gone  []AgedPart `tf:",block"`
}

type AgedPart struct {
	Name string
	Nick *string
}

type agedOutput struct {
	Short  *string
	Serial string
}

// agedTexts are descriptions as cmd/describe writes them.
var agedTexts = map[string]string{
	"Aged":              "Manages a thing.\n\nDeprecated: Use test_fresh.\n\nMore about things.",
	"Aged.Old":          "Name of the past.\n\nDeprecated: Use `short`, which is shorter.",
	"Aged.Gone":         "Deprecated: Use rule.",
	"AgedPart.Nick":     "Nickname.\n\nDeprecated: Use name.",
	"agedOutput.Short":  "The short name.\n\nDeprecated: Names are no longer needed.",
	"agedOutput.Serial": "Deprecated: It is always empty.",
}

func (*Aged) Descriptions() map[string]string       { return agedTexts }
func (*AgedPart) Descriptions() map[string]string   { return agedTexts }
func (*agedOutput) Descriptions() map[string]string { return agedTexts }

func agedDriver(t *testing.T) *driver {
	t.Helper()
	reg := runtime.MakeResource[Aged, *agedOutput, runtime.NoConfig]()
	return newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"aged": reg}}), "test_aged")
}

func TestDeprecationsOfTheSchema(t *testing.T) {
	t.Parallel()
	b := agedDriver(t).schema.Body
	attribute := func(a *configschema.Attribute) [3]any {
		return [3]any{a.Description, a.Deprecated, a.DeprecationMessage}
	}
	block := func(b configschema.Block) [3]any { return [3]any{b.Description, b.Deprecated, b.DeprecationMessage} }
	for name, c := range map[string]struct{ got, want [3]any }{
		"the resource":     {block(*b), [3]any{"Manages a thing.\n\nMore about things.", true, "Use test_fresh."}},
		"an attribute":     {attribute(b.Attributes["old"]), [3]any{"Name of the past.", true, "Use `short`, which is shorter."}},
		"of the outputs":   {attribute(b.Attributes["short"]), [3]any{"The short name.", true, "Names are no longer needed."}},
		"an output":        {attribute(b.Attributes["serial"]), [3]any{"", true, "It is always empty."}},
		"nested":           {attribute(b.Attributes["parts"].NestedType.Attributes["nick"]), [3]any{"Nickname.", true, "Use name."}},
		"in a block":       {attribute(b.BlockTypes["rule"].Attributes["nick"]), [3]any{"Nickname.", true, "Use name."}},
		"a block":          {block(b.BlockTypes["gone"].Block), [3]any{"", true, "Use rule."}},
		"another block":    {block(b.BlockTypes["rule"].Block), [3]any{"", false, ""}},
		"another argument": {attribute(b.Attributes["parts"]), [3]any{"", false, ""}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

func TestWarningsOfDeprecatedArguments(t *testing.T) {
	t.Parallel()
	d := agedDriver(t)
	part := func(nick cty.Value) cty.Value { return cty.ObjectVal(attrs{"name": str("x"), "nick": nick}) }
	null, unknown := cty.NullVal(cty.String), cty.UnknownVal(cty.String)
	const resource = "test_aged is deprecated: Use test_fresh."
	for _, c := range []struct {
		name string
		set  attrs
		want []string
	}{
		{"none", attrs{}, []string{resource}},
		{"unknown values may be null", attrs{"old": unknown, "parts": cty.UnknownVal(cty.List(part(null).Type()))}, []string{resource}},
		{"set", attrs{"old": str("")}, []string{"old: Argument is deprecated: Use `short`, which is shorter.", resource}},
		{"set, by the comment of the output", attrs{"short": str("x")}, []string{"short: Argument is deprecated: Names are no longer needed.", resource}},
		{"nested", attrs{"parts": cty.ListVal([]cty.Value{part(null), part(str("x"))})}, []string{"parts[1].nick: Argument is deprecated: Use name.", resource}},
		{"in a block", attrs{"rule": cty.ListVal([]cty.Value{part(str("x"))})}, []string{"rule[0].nick: Argument is deprecated: Use name.", resource}},
		{"a block", attrs{"gone": cty.ListVal([]cty.Value{part(str("x"))})}, []string{"gone: Argument is deprecated: Use rule.", resource}},
	} {
		diags := d.validate(d.config(c.set))
		if got := texts(diags); diags.HasErrors() || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want warnings %q", c.name, got, c.want)
		}
	}
	generated := d.p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{
		TypeName: "test_aged", State: d.config(attrs{"old": str("x"), "serial": str("")}),
	})
	if got := texts(generated.Diagnostics); len(got) != 2 || got[0] != "old: Argument is deprecated: Use `short`, which is shorter." {
		t.Errorf("diagnostics of the generated configuration: %q, want 2, the first about old", got)
	}
}

func texts(diags diag.Diagnostics) []string {
	out := make([]string, len(diags))
	for i, m := range diags {
		out[i] = m.Error()
	}
	return out
}
