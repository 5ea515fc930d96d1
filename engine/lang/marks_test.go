package lang_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

func pathStrings(paths []cty.Path) []string {
	var out []string
	for _, path := range paths {
		text := ""
		for _, step := range path {
			switch step := step.(type) {
			case cty.GetAttrStep:
				text += "." + step.Name
			case cty.IndexStep:
				switch {
				case step.Key.Type() == cty.String:
					text += fmt.Sprintf("[%q]", step.Key.AsString())
				case step.Key.Type() == cty.Number:
					text += "[" + step.Key.AsBigFloat().String() + "]"
				default:
					text += "[…]"
				}
			}
		}
		out = append(out, text)
	}
	return out
}

func TestSensitivePaths(t *testing.T) {
	t.Parallel()
	secret := &configschema.Attribute{Type: cty.String, Optional: true, Sensitive: true}
	inner := configschema.Block{Attributes: map[string]*configschema.Attribute{"key": secret, "open": attribute(cty.String)}}
	object := func(mode configschema.NestingMode, sensitive bool) *configschema.Attribute {
		return &configschema.Attribute{Optional: true, Sensitive: sensitive, NestedType: &configschema.Object{Nesting: mode, Attributes: inner.Attributes}}
	}
	schema := &configschema.Block{
		Attributes: map[string]*configschema.Attribute{
			"secret": secret, "open": attribute(cty.String),
			"one": object(configschema.NestingSingle, false), "objects": object(configschema.NestingList, false), "whole": object(configschema.NestingMap, true),
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"single": {Block: inner, Nesting: configschema.NestingSingle}, "list": {Block: inner, Nesting: configschema.NestingList},
			"set": {Block: inner, Nesting: configschema.NestingSet}, "map": {Block: inner, Nesting: configschema.NestingMap},
			"dynmap": {Nesting: configschema.NestingMap, Block: configschema.Block{Attributes: map[string]*configschema.Attribute{
				"any": {Type: cty.DynamicPseudoType, Optional: true, Sensitive: true},
			}}},
		},
	}
	const full = `
secret = "x"
one = {}
objects = [{}, {}]
single {}
list {}
set {}
map "k" {}
dynmap "k" {}
`
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing is set": {"", []string{".secret", ".whole"}},
		"all is set":     {full, []string{".objects[0].key", ".objects[1].key", ".one.key", ".secret", ".whole", ".dynmap.k.any", ".list[0].key", `.map["k"].key`, ".set[…].key", ".single.key"}},
		"unknown":        {"objects = u\n", []string{".secret", ".whole"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, diags := lang.DecodeBody(body(t, tt.text), schema, context(map[string]cty.Value{"u": cty.DynamicVal}))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			paths := schema.SensitivePaths(v, nil)
			if diff := cmp.Diff(tt.want, pathStrings(paths)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Marking and then unmarking returns the same value; marks in elements of a set
			// become marks of the set.
			marked := lang.MarkPaths(v, paths, lang.Sensitive)
			plainValue, at := lang.UnmarkDeepSensitivePaths(marked)
			if !plainValue.RawEquals(v) || len(at) != len(tt.want) {
				t.Errorf("after marking and unmarking, the value is %#v with %d paths, want %#v with %d", plainValue, len(at), v, len(tt.want))
			}
			if got := len(schema.SensitivePaths(marked, nil)); got != len(tt.want) {
				t.Errorf("the marked value has %d sensitive paths, want %d", got, len(tt.want))
			}
		})
	}
	if got := schema.SensitivePaths(cty.NullVal(schema.ImpliedType()), nil); got != nil {
		t.Errorf("sensitive paths of null: %v, want none", pathStrings(got))
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	v := cty.ObjectVal(map[string]cty.Value{"s": cty.StringVal("s"), "e": cty.StringVal("e"), "both": cty.StringVal("b"), "none": cty.StringVal("n")})
	s, e, both := cty.GetAttrPath("s"), cty.GetAttrPath("e"), cty.GetAttrPath("both")
	if lang.Carries(v, lang.Sensitive) || lang.MarkedPaths(v, lang.Sensitive) != nil {
		t.Error("a value without marks is sensitive")
	}
	marked := lang.MarkPaths(v, []cty.Path{e, both}, lang.Ephemeral)
	if lang.Carries(marked, lang.Sensitive) || !lang.Carries(marked, lang.Ephemeral) {
		t.Error("Carries does not distinguish the marks")
	}
	marked = lang.MarkPaths(marked, []cty.Path{s, both, cty.GetAttrPath("gone")}, lang.Sensitive)
	plainValue, at := lang.UnmarkDeepSensitivePaths(marked)
	if !plainValue.RawEquals(v) {
		t.Errorf("the value without marks is %#v, want %#v", plainValue, v)
	}
	want := cty.NewPathSet(s, both)
	got := cty.NewPathSet(lang.MarkedPaths(marked, lang.Sensitive)...)
	if !got.Equal(want) || len(at) != 2 || !want.Has(at[0].Path) || !want.Has(at[1].Path) || len(at[0].Marks) != 1 {
		t.Errorf("MarkedPaths returned %v and UnmarkDeepSensitivePaths %v, want s and both", pathStrings(got.List()), at)
	}
}
