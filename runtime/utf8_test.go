package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestTextsAreUTF8 checks that a string that is not valid UTF-8 is an error of its
// attribute, because it would be stored as a different string; the other attributes are stored.
func TestTextsAreUTF8(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"it": runtime.MakeResource[setting, *settingOut, runtime.NoConfig](),
	}}), "test_it")
	config := d.config(attrs{"name": str("n")})
	diags := d.applyPlan(config, d.plan(config))
	if !diags.HasErrors() || diag.FormatPath(diags[0].Path) != "raw" {
		t.Errorf("the diagnostics are %v, want an error about raw", diags)
	}
	if !d.attr("name").RawEquals(str("n")) || !d.attr("raw").RawEquals(cty.NullVal(cty.String)) {
		t.Errorf("the state is %#v, want the name n and null for raw", d.state)
	}
}

// TestKeysAreUTF8 checks that a map key that is not valid UTF-8 is an error.
func TestKeysAreUTF8(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*labelled){
		"a map":            func(l *labelled) { l.Labels = map[string]string{"\xff": "x"} },
		"a map in any":     func(l *labelled) { l.Extra = []any{map[string]any{"\xff": "x"}} },
		"a map of objects": func(l *labelled) { l.Parts = map[string]labelledPart{"\xff": {}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newHolder[*labelled](t)
			w.complete = func(l *labelled) *labelled { c := *l; set(&c); return &c }
			config := d.holding(nil)
			diags := d.applyPlan(config, d.plan(config))
			if !diags.HasErrors() || !strings.Contains(diags.Error(), "a key of the map is not valid UTF-8") {
				t.Errorf("the diagnostics are %v, want an error about an invalid key", diags)
			}
		})
	}
}

// TestKeysAreDistinct checks that two keys that are stored in the same form are an error, and that
// a different form of a configured key is the same key.
func TestKeysAreDistinct(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "\u00e9", "e\u0301"
	for name, set := range map[string]func(*labelled){
		"a map":            func(l *labelled) { l.Labels = map[string]string{composed: "x", decomposed: "y"} },
		"a map in any":     func(l *labelled) { l.Extra = []any{map[string]any{composed: "x", decomposed: "y"}} },
		"a map of objects": func(l *labelled) { l.Parts = map[string]labelledPart{composed: {}, decomposed: {}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newHolder[*labelled](t)
			w.complete = func(l *labelled) *labelled { c := *l; set(&c); return &c }
			config := d.holding(nil)
			diags := d.applyPlan(config, d.plan(config))
			if !diags.HasErrors() || !strings.Contains(diags.Error(), "two keys of the map are equal") {
				t.Errorf("the diagnostics are %v, want an error about equal keys", diags)
			}
		})
	}
	type part struct {
		On bool `tf:",optional"`
	}
	w, d := newHolder[map[string]part](t)
	w.complete = func(m map[string]part) map[string]part { return map[string]part{decomposed: m[composed]} }
	config := d.config(attrs{"name": str("n"), "v": cty.MapVal(attrs{composed: cty.ObjectVal(attrs{"on": cty.False})})})
	d.apply(config)
	d.noChange(config)
}

type labelled struct {
	Labels map[string]string       `tf:",computed"`
	Extra  any                     `tf:",computed"`
	Parts  map[string]labelledPart `tf:",computed"`
}

type labelledPart struct{ Name string }

type setting struct {
	crud[setting, settingOut] `tf:"-"`
	Name                      string
}

type settingOut struct {
	Name string
	Raw  string
}

func (s *setting) Create(_ context.Context, _ runtime.NoConfig) (*settingOut, error) {
	return &settingOut{s.Name, "\xff"}, nil
}
