package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func optional(ty cty.Type) *configschema.Attribute {
	return &configschema.Attribute{Type: ty, Optional: true}
}

func nestedType(mode configschema.NestingMode, a attrs) *configschema.Attribute {
	return &configschema.Attribute{Optional: true, NestedType: &configschema.Object{Nesting: mode, Attributes: a}}
}

func blockOf(mode configschema.NestingMode, least, most int, a attrs) *configschema.NestedBlock {
	return &configschema.NestedBlock{Nesting: mode, MinItems: least, MaxItems: most, Block: configschema.Block{Attributes: a}}
}

// everything returns a schema with all kinds of attributes and blocks.
func everything() *configschema.Block {
	computed := func() attrs {
		return attrs{
			"name": {Type: cty.String, Required: true}, "size": {Type: cty.Number, Optional: true},
			"serial": {Type: cty.Number, Computed: true}, "label": {Type: cty.String, Optional: true, Computed: true},
		}
	}
	plain := func() attrs { return attrs{"name": {Type: cty.String, Required: true}, "on": optional(cty.Bool)} }
	return &configschema.Block{
		Attributes: attrs{
			"id":       {Type: cty.String, Computed: true},
			"name":     {Type: cty.String, Required: true},
			"note":     {Type: cty.String, Optional: true, Computed: true},
			"password": {Type: cty.String, Optional: true, Sensitive: true},
			"token":    {Type: cty.String, Optional: true, WriteOnly: true},
			"number":   optional(cty.Number),
			"on":       optional(cty.Bool),
			"list":     optional(cty.List(cty.String)),
			"set":      optional(cty.Set(cty.Number)),
			"map":      optional(cty.Map(cty.String)),
			"deep":     optional(cty.Map(cty.List(cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.Set(cty.String)})))),
			"tuple":    optional(cty.Tuple([]cty.Type{cty.String, cty.Bool})),
			"any":      optional(cty.DynamicPseudoType),
			"single":   nestedType(configschema.NestingSingle, computed()),
			"many":     nestedType(configschema.NestingList, computed()),
			"some":     nestedType(configschema.NestingSet, plain()),
			"keyed":    nestedType(configschema.NestingMap, computed()),
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"one_block":   blockOf(configschema.NestingSingle, 0, 0, computed()),
			"must_block":  blockOf(configschema.NestingSingle, 1, 1, plain()),
			"group_block": blockOf(configschema.NestingGroup, 0, 0, attrs{"on": optional(cty.Bool)}),
			"list_block":  blockOf(configschema.NestingList, 1, 3, computed()),
			"set_block":   blockOf(configschema.NestingSet, 0, 2, plain()),
			"map_block":   blockOf(configschema.NestingMap, 0, 0, plain()),
			"any_block":   blockOf(configschema.NestingList, 0, 0, attrs{"any": optional(cty.DynamicPseudoType)}),
		},
	}
}

// idealOptions gives p an empty cloud and returns options with p as the provider.
func idealOptions(p *ideal) conformance.Options {
	p.cloud = &cloud{objects: map[string]cty.Value{}}
	return conformance.Options{
		Provider: func(context.Context) (provider.Interface, error) { return p, nil }, Seed: 1, ShrinkFor: 20 * time.Second,
		Types: map[string]conformance.Type{"ideal_thing": {ImportID: idOf}},
	}
}

// TestEverything checks that a correct provider with the schema that everything returns
// breaks no law, and that the generated configurations contain the edge cases and are valid.
func TestEverything(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	body := everything()
	p := &ideal{body: body}
	p.validate = func(config cty.Value) diag.Diagnostics {
		if errs := config.Type().TestConformance(body.ImpliedType()); len(errs) > 0 {
			t.Errorf("a configuration has the wrong type: %v", errs)
		}
		recordEdges(seen, body, config)
		return nil
	}
	options := idealOptions(p)
	options.Runs = 120
	conformance.Conformance(t, options)
	for _, edge := range []string{
		"name empty", "name long", "name other script", "name lines", "name template", "name unknown", "note null", "number zero", "number negative",
		"number big", "number fraction", "on true", "on false", "list empty", "list twice the same", "set empty", "map empty key", "deep empty", "deep 2",
		"any string", "any number", "any bool", "any tuple", "any object", "many 3", "some 2", "keyed 2", "single null", "single set", "one_block null",
		"list_block 1", "list_block 3", "set_block 2", "map_block 2", "any_block 3", "many unknown", "list unknown",
	} {
		if !seen[edge] {
			t.Errorf("the edge case %q was never generated", edge)
		}
	}
	for _, wrong := range []string{"id set", "must_block null", "list_block 0", "list_block 4", "set_block 3"} {
		if seen[wrong] {
			t.Errorf("the invalid case %q was generated", wrong)
		}
	}
}

// recordEdges records which edge cases a configuration contains.
func recordEdges(seen map[string]bool, body *configschema.Block, config cty.Value) {
	for name, v := range config.AsValueMap() {
		if !v.IsKnown() {
			seen[name+" unknown"] = true
			continue
		}
		if v.IsNull() {
			seen[name+" null"] = true
			continue
		}
		seen[name+" set"] = true
		switch ty := v.Type(); {
		case ty == cty.String:
			s := v.AsString()
			seen[name+" empty"] = seen[name+" empty"] || s == ""
			seen[name+" long"] = seen[name+" long"] || len(s) > 300
			seen[name+" other script"] = seen[name+" other script"] || strings.Contains(s, "日")
			seen[name+" lines"] = seen[name+" lines"] || strings.Count(s, "\n") == 1
			seen[name+" template"] = seen[name+" template"] || strings.Contains(s, "${")
			seen[name+" string"] = true
		case ty == cty.Number:
			f, _ := v.AsBigFloat().Float64()
			seen[name+" zero"] = seen[name+" zero"] || f == 0
			seen[name+" negative"] = seen[name+" negative"] || f < 0
			seen[name+" big"] = seen[name+" big"] || f > 1e18
			seen[name+" fraction"] = seen[name+" fraction"] || f == 0.5
			seen[name+" number"] = true
		case ty == cty.Bool:
			seen[fmt.Sprintf("%s %t", name, v.True())], seen[name+" bool"] = true, true
		case v.CanIterateElements() && (!ty.IsObjectType() || body.BlockTypes[name] != nil):
			n := v.LengthInt()
			seen[fmt.Sprintf("%s %d", name, n)] = true
			seen[name+" empty"] = seen[name+" empty"] || n == 0
			if ty.IsListType() && n > 1 && v.Index(cty.Zero).RawEquals(v.Index(cty.NumberIntVal(1))) {
				seen[name+" twice the same"] = true
			}
			if ty.IsMapType() && v.HasIndex(cty.StringVal("")).True() {
				seen[name+" empty key"] = true
			}
			seen[name+" tuple"] = seen[name+" tuple"] || ty.IsTupleType()
		default:
			seen[name+" object"] = true
		}
	}
}
