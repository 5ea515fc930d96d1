package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Hooks has nested objects, and reports the diagnostics of the test.
type Hooks struct {
	crud[Hooks, none] `tf:"-"`
	Webhooks          []Webhook          `tf:",optional"`
	Named             map[string]Webhook `tf:",optional"`
	Unordered         []Webhook          `tf:",optional,set"`
	Rule              []Webhook          `tf:",block"`
	Secrets           map[string]Webhook `tf:",optional,sensitive"`
	Any               cty.Value          `tf:",optional"`
	Note              *string

	say func(ctx context.Context) error
}

type Webhook struct {
	URL   string
	Port  *int64
	Mode  *Octal
	Count *int8
}

func (*Webhook) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("url", "^https:", "an HTTPS URL"), runtime.RequiredTogether("port", "mode")}
}

func (h *Hooks) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error { return h.say(ctx) }

func webhook(url string) cty.Value {
	return cty.ObjectVal(attrs{
		"url": str(url), "port": cty.NullVal(cty.Number), "mode": cty.NullVal(cty.String), "count": cty.NullVal(cty.Number),
	})
}

func with(object cty.Value, name string, v cty.Value) cty.Value {
	all := object.AsValueMap()
	all[name] = v
	return cty.ObjectVal(all)
}

func hooksDriver(t *testing.T, say func(ctx context.Context) error) *driver {
	t.Helper()
	return newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"hooks": runtime.MakeResourceWith[Hooks, *none, runtime.NoConfig](func() *Hooks { return &Hooks{say: say} }),
	}}), "test_hooks")
}

// TestNestedPathsInText checks that the text of a message about a nested attribute has its
// path: clients show only the line of the top-level attribute.
func TestNestedPathsInText(t *testing.T) {
	t.Parallel()
	good := webhook("https://a")
	for name, tt := range map[string]struct {
		set  attrs
		want string
	}{
		"rule about a value":      {attrs{"webhooks": cty.ListVal([]cty.Value{good, webhook("b")})}, "webhooks[1].url: The value must be an HTTPS URL."},
		"rule between attributes": {attrs{"webhooks": cty.ListVal([]cty.Value{with(good, "port", num(1))})}, "webhooks[0].mode: mode must be set too"},
		"in a map":                {attrs{"named": cty.MapVal(attrs{"x": webhook("b")})}, `named["x"].url: The value must be`},
		"in a set":                {attrs{"unordered": cty.SetVal([]cty.Value{webhook("b")})}, "unordered[*].url: The value must be"},
		"in a block":              {attrs{"rule": cty.ListVal([]cty.Value{webhook("b")})}, "rule[0].url: The value must be"},
		"in a sensitive map":      {attrs{"secrets": cty.MapVal(attrs{"key": webhook("b")})}, "secrets[*].url: The value must be"},
		"text that does not parse": {
			attrs{"webhooks": cty.ListVal([]cty.Value{with(with(good, "mode", str("x")), "port", num(1))})}, "webhooks[0].mode: expected integer",
		},
		"number out of range": {attrs{"webhooks": cty.ListVal([]cty.Value{with(good, "count", num(999))})}, "webhooks[0].count: the number is out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := hooksDriver(t, func(context.Context) error { return nil })
			got := d.validate(d.config(tt.set))
			if len(got) != 1 || !strings.HasPrefix(got[0].Detail, tt.want) {
				t.Errorf("got %v, want one diagnostic with a detail that begins with %q", got, tt.want)
			}
			// The text hides the key of a sensitive map, so it differs from the path.
			if text := got.Error(); strings.Count(text, ".url") > 1 && name != "in a sensitive map" {
				t.Errorf("the error repeats the path: %s", text)
			}
		})
	}
}

// TestPathsOfMethods checks the paths of errors and warnings of methods: that of a nested
// attribute is in the text, and one that the schema does not have is reported.
func TestPathsOfMethods(t *testing.T) {
	t.Parallel()
	url := cty.GetAttrPath("webhooks").IndexInt(0).GetAttr("url")
	bad := errors.New("it is bad")
	for name, tt := range map[string]struct {
		say  func(ctx context.Context) error
		want []string // path and detail of each diagnostic
	}{
		"nested error":         {func(context.Context) error { return diag.WithPath(url, bad) }, []string{"webhooks[0].url", "webhooks[0].url: it is bad"}},
		"nested warning":       {func(context.Context) error { return diag.AsWarning(diag.WithPath(url, bad)) }, []string{"webhooks[0].url", "webhooks[0].url: it is bad"}},
		"top-level attribute":  {func(context.Context) error { return diag.AttributeErrorf("note", "it is bad") }, []string{"note", "it is bad"}},
		"inside any value":     {func(context.Context) error { return diag.WithPath(cty.GetAttrPath("any").GetAttr("x"), bad) }, []string{"any.x", "any.x: it is bad"}},
		"the path in the text": {func(context.Context) error { return diag.WithPath(url, errors.New("webhooks[0].url is bad")) }, []string{"webhooks[0].url", "webhooks[0].url is bad"}},
		"only a summary": {
			func(context.Context) error { return diag.Diagnostic{Summary: "It is bad", Path: url} }, []string{"webhooks[0].url", "webhooks[0].url"},
		},
		"misspelt name": {
			func(context.Context) error { return diag.AttributeErrorf("naem", "it is bad") },
			[]string{"", "naem: it is bad", "", `test_hooks reports an error or warning about "naem", which is not one of its attributes; please report this.`},
		},
		"misspelt nested name": {
			func(context.Context) error { return diag.WithPath(url[:2:2].GetAttr("ulr"), bad) },
			[]string{"webhooks[0]", "webhooks[0].ulr: it is bad", "", `test_hooks reports an error or warning about "webhooks[0].ulr", which is not one of its attributes; please report this.`},
		},
		"name in a list": {
			func(context.Context) error { return diag.WithPath(cty.GetAttrPath("webhooks").GetAttr("url"), bad) },
			[]string{"webhooks", "webhooks.url: it is bad", "", `test_hooks reports an error or warning about "webhooks.url", which is not one of its attributes; please report this.`},
		},
		"misspelt name of a warning": {
			func(ctx context.Context) error { runtime.Warn(ctx, "naem", "Bad", "it is bad"); return nil },
			[]string{"", "naem: it is bad", "", `test_hooks reports an error or warning about "naem", which is not one of its attributes; please report this.`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := hooksDriver(t, tt.say)
			got := d.plan(d.config(attrs{"webhooks": cty.ListVal([]cty.Value{webhook("https://a")})})).Diagnostics
			var messages []string
			for _, m := range got {
				messages = append(messages, diag.FormatPath(m.Path), m.Detail)
				if m.Severity != got[0].Severity {
					t.Errorf("the severities differ: %v", got)
				}
			}
			if strings.Join(messages, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got %q, want %q", messages, tt.want)
			}
		})
	}
}
