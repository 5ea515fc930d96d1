package lang_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// spec converts the schema for the decoder of package hcldec, which Terraform and
// OpenTofu use.
func spec(schema *configschema.Block) hcldec.ObjectSpec {
	s := hcldec.ObjectSpec{}
	for name, a := range schema.Attributes {
		s[name] = &hcldec.AttrSpec{Name: name, Type: a.Type, Required: a.Required}
	}
	for name, b := range schema.BlockTypes {
		nested := spec(&b.Block)
		dynamic := b.Block.ImpliedType().HasDynamicTypes()
		switch b.Nesting {
		case configschema.NestingSingle:
			s[name] = &hcldec.BlockSpec{TypeName: name, Nested: nested, Required: b.MinItems > 0}
		case configschema.NestingGroup:
			s[name] = &hcldec.DefaultSpec{
				Primary: &hcldec.BlockSpec{TypeName: name, Nested: nested},
				Default: &hcldec.LiteralSpec{Value: b.EmptyValue()},
			}
		case configschema.NestingSet:
			s[name] = &hcldec.BlockSetSpec{TypeName: name, Nested: nested, MinItems: b.MinItems, MaxItems: b.MaxItems}
		case configschema.NestingList:
			s[name] = &hcldec.BlockListSpec{TypeName: name, Nested: nested, MinItems: b.MinItems, MaxItems: b.MaxItems}
			if dynamic {
				s[name] = &hcldec.BlockTupleSpec{TypeName: name, Nested: nested, MinItems: b.MinItems, MaxItems: b.MaxItems}
			}
		default:
			s[name] = &hcldec.BlockMapSpec{TypeName: name, Nested: nested, LabelNames: []string{"key"}}
			if dynamic {
				s[name] = &hcldec.BlockObjectSpec{TypeName: name, Nested: nested, LabelNames: []string{"key"}}
			}
		}
	}
	return s
}

// generator generates schemas, and valid and invalid bodies for the schemas.
type generator struct{ *rand.Rand }

func (g generator) schema(depth int) configschema.Block {
	b := configschema.Block{Attributes: map[string]*configschema.Attribute{}, BlockTypes: map[string]*configschema.NestedBlock{}}
	types := []cty.Type{cty.String, cty.Number, cty.Bool, cty.List(cty.String), cty.Map(cty.Number), cty.Object(map[string]cty.Type{"x": cty.String}), cty.DynamicPseudoType}
	for i := range g.IntN(4) {
		a := attribute(types[g.IntN(len(types))])
		if g.IntN(4) == 0 {
			a.Required, a.Optional = true, false
		}
		b.Attributes[fmt.Sprintf("a%d", i)] = a
	}
	for i := range g.IntN(3) {
		if depth == 0 {
			break
		}
		nested := &configschema.NestedBlock{Block: g.schema(depth - 1), Nesting: configschema.NestingSingle + configschema.NestingMode(g.IntN(5))}
		switch {
		case nested.Nesting == configschema.NestingSet && nested.Block.ImpliedType().HasDynamicTypes():
			nested.Nesting = configschema.NestingList
		case nested.Nesting == configschema.NestingSingle:
			nested.MinItems = g.IntN(2)
			nested.MaxItems = nested.MinItems
		}
		if nested.Nesting == configschema.NestingList || nested.Nesting == configschema.NestingSet {
			nested.MinItems, nested.MaxItems = g.IntN(2), g.IntN(3)
		}
		b.BlockTypes[fmt.Sprintf("b%d", i)] = nested
	}
	return b
}

func (g generator) body(schema *configschema.Block, indent string) string {
	values := []string{`"x"`, "1", "true", "null", `["a"]`, `{ x = 1 }`, "unknown", "secret", "absent"}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(schema.Attributes)) {
		if g.IntN(3) > 0 {
			fmt.Fprintf(&b, "%s%s = %s\n", indent, name, values[g.IntN(len(values))])
		}
	}
	if g.IntN(20) == 0 {
		fmt.Fprintf(&b, "%sbogus = 1\n", indent)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		nested := schema.BlockTypes[name]
		label := ""
		for i := range g.IntN(4) {
			if nested.Nesting == configschema.NestingMap {
				label = fmt.Sprintf(" %q", fmt.Sprint("k", g.IntN(4)))
			}
			if g.IntN(4) > 0 {
				fmt.Fprintf(&b, "%s%s%s {\n%s%s}\n", indent, name, label, g.body(&nested.Block, indent+"  "), indent)
				continue
			}
			over := []string{`["a", "b"]`, "[]", "unknown", "secrets"}[g.IntN(4)]
			labels := ""
			if label != "" {
				labels = fmt.Sprintf("labels = [\"d%d${%s.key}\"]\n", i, name)
			}
			fmt.Fprintf(&b, "%sdynamic %q {\n%sfor_each = %s\n%scontent {\n%s}\n}\n", indent, name, labels, over, indent, g.body(&nested.Block, indent+"  "))
		}
	}
	return b.String()
}

// TestDecodeBodyIsLikeHCLDec checks that DecodeBody returns the same diagnostics as package hcldec
// and, if there are no errors, the same value. The order of diagnostics may differ.
func TestDecodeBodyIsLikeHCLDec(t *testing.T) {
	t.Parallel()
	ctx := context(map[string]cty.Value{
		"unknown": cty.DynamicVal, "secret": cty.StringVal("s").Mark(lang.Sensitive),
		"secrets": cty.TupleVal([]cty.Value{cty.StringVal("s")}).Mark(lang.Sensitive),
	})
	failing := 0
	for seed := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		schema := g.schema(2)
		text := g.body(&schema, "")
		parsed := lang.ExpandDynamic(body(t, text), &schema, ctx)
		want, wantDiags := hcldec.Decode(parsed, spec(&schema), ctx)
		got, gotDiags := lang.DecodeBody(parsed, &schema, ctx)
		if diff := cmp.Diff(sortedMessages(wantDiags), sortedMessages(gotDiags)); diff != "" {
			t.Fatalf("seed %d: messages (-hcldec +ours):\n%s\n%s", seed, diff, text)
		}
		if gotDiags.HasErrors() {
			failing++
			continue // the value is then unspecified
		}
		if !got.RawEquals(want) {
			t.Fatalf("seed %d:\n%s\nours   %#v\nhcldec %#v", seed, text, got, want)
		}
	}
	if failing < 100 || failing > 900 {
		t.Errorf("%d of 1000 bodies fail, want 100 to 900", failing)
	}
}

func sortedMessages(diags hcl.Diagnostics) []string {
	var out []string
	for _, d := range diags {
		out = append(out, d.Error())
	}
	slices.Sort(out)
	return out
}
