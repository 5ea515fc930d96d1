package objchange_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

func TestNormalizeObjectFromLegacySDK(t *testing.T) {
	t.Parallel()
	inner := configschema.Block{
		Attributes: map[string]*configschema.Attribute{"a": {Type: cty.String, Optional: true}},
		BlockTypes: map[string]*configschema.NestedBlock{"deep": {
			Nesting: configschema.NestingList, Block: configschema.Block{Attributes: map[string]*configschema.Attribute{"d": {Type: cty.String, Optional: true}}},
		}},
	}
	deepType := cty.Object(map[string]cty.Type{"d": cty.String})
	ty := inner.ImpliedType()
	object := func(a, deep cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"a": a, "deep": deep})
	}
	none, text := cty.ListValEmpty(deepType), cty.StringVal("x")
	nullDeep := object(text, cty.NullVal(cty.List(deepType))) // with a list that is null
	clean := object(text, none)
	unknown := object(cty.UnknownVal(cty.String), cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"d": cty.UnknownVal(cty.String)})}))
	for name, tt := range map[string]struct {
		nesting   configschema.NestingMode
		val, want cty.Value
	}{
		"single, null":            {configschema.NestingSingle, cty.NullVal(ty), cty.NullVal(ty)},
		"single, unknown":         {configschema.NestingSingle, cty.UnknownVal(ty), unknown},
		"single, null inside":     {configschema.NestingSingle, nullDeep, clean},
		"group, null":             {configschema.NestingGroup, cty.NullVal(ty), object(cty.NullVal(cty.String), none)},
		"group, unknown":          {configschema.NestingGroup, cty.UnknownVal(ty), unknown},
		"list, null":              {configschema.NestingList, cty.NullVal(cty.List(ty)), cty.ListValEmpty(ty)},
		"list, unknown":           {configschema.NestingList, cty.UnknownVal(cty.List(ty)), cty.ListVal([]cty.Value{unknown})},
		"list, null inside":       {configschema.NestingList, cty.ListVal([]cty.Value{nullDeep, clean}), cty.ListVal([]cty.Value{clean, clean})},
		"list, null element":      {configschema.NestingList, cty.ListVal([]cty.Value{cty.NullVal(ty)}), cty.ListVal([]cty.Value{cty.NullVal(ty)})},
		"list, marked":            {configschema.NestingList, cty.ListVal([]cty.Value{object(text.Mark("m"), cty.NullVal(cty.List(deepType)))}), cty.ListVal([]cty.Value{object(text.Mark("m"), none)})},
		"set, null":               {configschema.NestingSet, cty.NullVal(cty.Set(ty)), cty.SetValEmpty(ty)},
		"set, unknown":            {configschema.NestingSet, cty.UnknownVal(cty.Set(ty)), cty.SetVal([]cty.Value{unknown})},
		"set, equal in the end":   {configschema.NestingSet, cty.SetVal([]cty.Value{nullDeep, clean}), cty.SetVal([]cty.Value{clean})},
		"map, null":               {configschema.NestingMap, cty.NullVal(cty.Map(ty)), cty.NullVal(cty.Map(ty))},
		"map, null inside":        {configschema.NestingMap, cty.MapVal(map[string]cty.Value{"k": nullDeep}), cty.MapVal(map[string]cty.Value{"k": nullDeep})},
		"list, known and a block": {configschema.NestingList, cty.ListVal([]cty.Value{clean}), cty.ListVal([]cty.Value{clean})},
	} {
		schema := &configschema.Block{
			Attributes: map[string]*configschema.Attribute{"top": {Type: cty.List(cty.String), Computed: true}},
			BlockTypes: map[string]*configschema.NestedBlock{"b": {Nesting: tt.nesting, Block: inner}},
		}
		whole := func(b cty.Value) cty.Value {
			return cty.ObjectVal(map[string]cty.Value{"top": cty.NullVal(cty.List(cty.String)), "b": b})
		}
		if got := objchange.NormalizeObjectFromLegacySDK(whole(tt.val), schema); !got.RawEquals(whole(tt.want)) {
			t.Errorf("%s: got %#v, want %#v", name, got, whole(tt.want))
		}
	}
}

func TestNormalizeOtherObjects(t *testing.T) {
	t.Parallel()
	schema := &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{"dynamic": {
		Nesting: configschema.NestingList, Block: configschema.Block{Attributes: map[string]*configschema.Attribute{"any": {Type: cty.DynamicPseudoType, Optional: true}}},
	}}}
	ty := schema.ImpliedType()
	for _, val := range []cty.Value{cty.NullVal(ty), cty.ObjectVal(map[string]cty.Value{"dynamic": cty.NullVal(cty.DynamicPseudoType)}), cty.EmptyObjectVal, cty.True} {
		if got := objchange.NormalizeObjectFromLegacySDK(val, schema); !got.RawEquals(val) {
			t.Errorf("%#v became %#v, want no change", val, got)
		}
	}
	if got := objchange.NormalizeObjectFromLegacySDK(cty.NilVal, schema); !got.RawEquals(cty.NullVal(ty)) {
		t.Errorf("NilVal became %#v, want a null object", got)
	}
}
