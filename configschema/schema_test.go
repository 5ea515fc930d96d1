package configschema_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

type (
	attrs  = map[string]*configschema.Attribute
	blocks = map[string]*configschema.NestedBlock
)

func optional(ty cty.Type) *configschema.Attribute {
	return &configschema.Attribute{Type: ty, Optional: true}
}

func nestedBlock(mode configschema.NestingMode, a attrs) *configschema.NestedBlock {
	return &configschema.NestedBlock{Nesting: mode, Block: configschema.Block{Attributes: a}}
}

func nestedType(mode configschema.NestingMode, a attrs) *configschema.Attribute {
	return &configschema.Attribute{Optional: true, NestedType: &configschema.Object{Nesting: mode, Attributes: a}}
}

func TestImpliedTypeAndEmptyValue(t *testing.T) {
	t.Parallel()
	str, dyn := attrs{"a": optional(cty.String)}, attrs{"a": optional(cty.DynamicPseudoType)}
	strObj := cty.Object(map[string]cty.Type{"a": cty.String})
	dynObj := cty.Object(map[string]cty.Type{"a": cty.DynamicPseudoType})
	tests := map[string]struct {
		block     *configschema.Block
		wantType  cty.Type
		wantEmpty cty.Value
	}{
		"nil": {nil, cty.EmptyObject, cty.EmptyObjectVal},
		"attribute": {
			&configschema.Block{Attributes: attrs{"x": optional(cty.Number)}},
			cty.Object(map[string]cty.Type{"x": cty.Number}),
			cty.ObjectVal(map[string]cty.Value{"x": cty.NullVal(cty.Number)}),
		},
		"attribute with optional attributes": {
			&configschema.Block{Attributes: attrs{"x": optional(cty.List(cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": cty.String}, []string{"a"})))}},
			cty.Object(map[string]cty.Type{"x": cty.List(strObj)}),
			cty.ObjectVal(map[string]cty.Value{"x": cty.NullVal(cty.List(strObj))}),
		},
		"attribute without a type": {
			&configschema.Block{Attributes: attrs{"x": {Optional: true}}},
			cty.Object(map[string]cty.Type{"x": cty.DynamicPseudoType}),
			cty.ObjectVal(map[string]cty.Value{"x": cty.NullVal(cty.DynamicPseudoType)}),
		},
		"nested types": {
			&configschema.Block{Attributes: attrs{
				"single": nestedType(configschema.NestingSingle, str),
				"list":   nestedType(configschema.NestingList, dyn),
				"set":    nestedType(configschema.NestingSet, str),
				"map":    nestedType(configschema.NestingMap, dyn),
			}},
			cty.Object(map[string]cty.Type{
				"single": strObj, "list": cty.List(dynObj), "set": cty.Set(strObj), "map": cty.Map(dynObj),
			}),
			cty.ObjectVal(map[string]cty.Value{
				"single": cty.NullVal(strObj), "list": cty.NullVal(cty.List(dynObj)),
				"set": cty.NullVal(cty.Set(strObj)), "map": cty.NullVal(cty.Map(dynObj)),
			}),
		},
		"blocks": {
			&configschema.Block{BlockTypes: blocks{
				"single": nestedBlock(configschema.NestingSingle, str),
				"group":  nestedBlock(configschema.NestingGroup, str),
				"list":   nestedBlock(configschema.NestingList, str),
				"set":    nestedBlock(configschema.NestingSet, str),
				"map":    nestedBlock(configschema.NestingMap, str),
			}},
			cty.Object(map[string]cty.Type{
				"single": strObj, "group": strObj, "list": cty.List(strObj), "set": cty.Set(strObj), "map": cty.Map(strObj),
			}),
			cty.ObjectVal(map[string]cty.Value{
				"single": cty.NullVal(strObj),
				"group":  cty.ObjectVal(map[string]cty.Value{"a": cty.NullVal(cty.String)}),
				"list":   cty.ListValEmpty(strObj), "set": cty.SetValEmpty(strObj), "map": cty.MapValEmpty(strObj),
			}),
		},
		"dynamic blocks are structural": {
			&configschema.Block{BlockTypes: blocks{
				"single": nestedBlock(configschema.NestingSingle, dyn),
				"list":   nestedBlock(configschema.NestingList, dyn),
				"map":    nestedBlock(configschema.NestingMap, dyn),
			}},
			cty.Object(map[string]cty.Type{
				"single": dynObj, "list": cty.DynamicPseudoType, "map": cty.DynamicPseudoType,
			}),
			cty.ObjectVal(map[string]cty.Value{
				"single": cty.NullVal(dynObj), "list": cty.EmptyTupleVal, "map": cty.EmptyObjectVal,
			}),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.block.ImpliedType(); !got.Equals(tt.wantType) {
				t.Errorf("implied type %#v, want %#v", got, tt.wantType)
			}
			got := tt.block.EmptyValue()
			if !got.RawEquals(tt.wantEmpty) {
				t.Errorf("empty value %#v, want %#v", got, tt.wantEmpty)
			}
			if errs := got.Type().TestConformance(tt.block.ImpliedType()); len(errs) > 0 {
				t.Errorf("the empty value does not have the implied type: %v", errs)
			}
		})
	}
}

func TestObjectEmptyValue(t *testing.T) {
	t.Parallel()
	object := &configschema.Object{Nesting: configschema.NestingSingle, Attributes: attrs{"a": optional(cty.String)}}
	want := cty.ObjectVal(map[string]cty.Value{"a": cty.NullVal(cty.String)})
	if got := object.EmptyValue(); !got.RawEquals(want) {
		t.Errorf("single: %#v, want %#v", got, want)
	}
	for _, mode := range []configschema.NestingMode{configschema.NestingList, configschema.NestingSet, configschema.NestingMap} {
		object := &configschema.Object{Nesting: mode, Attributes: attrs{"a": optional(cty.String)}}
		got := object.EmptyValue()
		if got.LengthInt() != 0 || !got.Type().Equals(object.ImpliedType()) {
			t.Errorf("mode %d: the empty value is %#v, want an empty %#v", mode, got, object.ImpliedType())
		}
	}
}

func TestEnclosingAttributeAndSensitiveAt(t *testing.T) {
	t.Parallel()
	secret := &configschema.Attribute{Type: cty.Map(cty.String), Optional: true, Sensitive: true}
	open := optional(cty.Map(cty.String))
	inner := nestedType(configschema.NestingMap, attrs{"secret": secret, "open": open})
	hidden := nestedType(configschema.NestingSingle, attrs{"open": open})
	hidden.Sensitive = true
	schema := &configschema.Block{
		Attributes: attrs{"open": open, "secret": secret, "nested": inner, "hidden": hidden},
		BlockTypes: blocks{
			"list":  nestedBlock(configschema.NestingList, attrs{"secret": secret, "open": open}),
			"group": nestedBlock(configschema.NestingGroup, attrs{"open": open}),
		},
	}
	index := cty.NumberIntVal(0)
	tests := map[string]struct {
		path          cty.Path
		wantAttr      *configschema.Attribute
		wantSensitive bool
	}{
		"root":                            {nil, nil, true},
		"open":                            {cty.GetAttrPath("open"), open, false},
		"inside open":                     {cty.GetAttrPath("open").IndexString("k"), open, false},
		"inside secret":                   {cty.GetAttrPath("secret").IndexString("k"), secret, true},
		"nested whole":                    {cty.GetAttrPath("nested"), inner, true},
		"nested element":                  {cty.GetAttrPath("nested").IndexString("k"), inner, true},
		"nested open":                     {cty.GetAttrPath("nested").IndexString("k").GetAttr("open"), open, false},
		"nested secret, attribute key":    {cty.GetAttrPath("nested").GetAttr("k").GetAttr("secret"), secret, true},
		"open in a sensitive nested type": {cty.GetAttrPath("hidden").GetAttr("open"), open, true},
		"block":                           {cty.GetAttrPath("list"), nil, true},
		"block element":                   {cty.GetAttrPath("list").Index(index), nil, true},
		"open in block":                   {cty.GetAttrPath("list").Index(index).GetAttr("open"), open, false},
		"secret in block":                 {cty.GetAttrPath("list").Index(index).GetAttr("secret"), secret, true},
		"group":                           {cty.GetAttrPath("group"), nil, false},
		"open in group":                   {cty.GetAttrPath("group").GetAttr("open"), open, false},
		"no such attribute":               {cty.GetAttrPath("nothing").GetAttr("at").Index(index), nil, false},
		"index at the root":               {cty.IndexPath(index), nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := schema.EnclosingAttribute(tt.path); got != tt.wantAttr {
				t.Errorf("attribute %+v, want %+v", got, tt.wantAttr)
			}
			if got := schema.SensitiveAt(tt.path); got != tt.wantSensitive {
				t.Errorf("sensitive %t, want %t", got, tt.wantSensitive)
			}
		})
	}
}

func TestByPath(t *testing.T) {
	t.Parallel()
	open, inner := optional(cty.Map(cty.String)), optional(cty.String)
	nested := nestedType(configschema.NestingList, attrs{"inner": inner, "deep": nestedType(configschema.NestingSingle, attrs{"inner": inner})})
	deep := nestedBlock(configschema.NestingMap, attrs{"inner": inner})
	outer := &configschema.NestedBlock{Nesting: configschema.NestingList, Block: configschema.Block{Attributes: attrs{"open": open}, BlockTypes: blocks{"deep": deep}}}
	schema := &configschema.Block{Attributes: attrs{"open": open, "nested": nested}, BlockTypes: blocks{"outer": outer}}
	path := func(names ...any) (p cty.Path) {
		for _, name := range names {
			switch name := name.(type) {
			case string:
				p = p.GetAttr(name)
			case int:
				p = p.IndexInt(name)
			case []string:
				p = p.IndexString(name[0])
			}
		}
		return p
	}
	key := []string{"foo"}
	for name, tt := range map[string]struct {
		path  cty.Path
		attr  *configschema.Attribute
		block *configschema.NestedBlock
	}{
		"root":                                      {nil, nil, nil},
		"attribute":                                 {path("open"), open, nil},
		"inside the value of an attribute":          {path("open", key), open, nil},
		"nested type":                               {path("nested"), nested, nil},
		"element of a nested type":                  {path("nested", 1), nil, nil},
		"attribute of a nested type":                {path("nested", 1, "inner"), inner, nil},
		"unknown attribute of a nested type":        {path("nested", 1, "b2", key, "no"), nil, nil},
		"in a nested nested type":                   {path("nested", 1, "deep", "inner"), inner, nil},
		"unknown attribute of a nested nested type": {path("nested", 1, "deep", "no"), nil, nil},
		"block":                           {path("outer"), nil, outer},
		"element of a block":              {path("outer", 1), nil, outer},
		"attribute of a block":            {path("outer", 1, "open"), open, nil},
		"block in a block":                {path("outer", 1, "deep"), nil, deep},
		"element of a block in a block":   {path("outer", 1, "deep", key), nil, deep},
		"attribute of a block in a block": {path("outer", 1, "deep", key, "inner"), inner, nil},
		"unknown attribute of a block":    {path("outer", 1, "no"), nil, nil},
		"unknown attribute":               {path("no", 1), nil, nil},
		"index":                           {path(1), nil, nil},
	} {
		if got := schema.AttributeByPath(tt.path); got != tt.attr {
			t.Errorf("%s: attribute %+v, want %+v", name, got, tt.attr)
		}
		if got := schema.NestedBlockByPath(tt.path); got != tt.block {
			t.Errorf("%s: block %+v, want %+v", name, got, tt.block)
		}
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	deep := func(a *configschema.Attribute) *configschema.Block {
		list := nestedType(configschema.NestingList, attrs{"x": a})
		return &configschema.Block{BlockTypes: blocks{"b": nestedBlock(configschema.NestingSet, attrs{"n": list})}}
	}
	plain := deep(optional(cty.String))
	sensitive := deep(&configschema.Attribute{Type: cty.String, Optional: true, Sensitive: true})
	writeOnly := deep(&configschema.Attribute{Type: cty.String, Optional: true, WriteOnly: true})
	computed := deep(optional(cty.String))
	computed.BlockTypes["b"].BlockTypes = blocks{"c": {Block: configschema.Block{Computed: true}}}
	for name, tt := range map[string]struct{ got, want bool }{
		"plain, sensitive":       {plain.ContainsSensitive(), false},
		"plain, write-only":      {plain.ContainsWriteOnly(), false},
		"sensitive, sensitive":   {sensitive.ContainsSensitive(), true},
		"sensitive, write-only":  {sensitive.ContainsWriteOnly(), false},
		"write-only, sensitive":  {writeOnly.ContainsSensitive(), false},
		"write-only, write-only": {writeOnly.ContainsWriteOnly(), true},
		"nil":                    {(*configschema.Block)(nil).ContainsSensitive(), false},
		"plain, computed":        {plain.ContainsComputedBlocks(), false},
		"computed, computed":     {computed.ContainsComputedBlocks(), true},
		"nil, computed":          {(*configschema.Block)(nil).ContainsComputedBlocks(), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %t, want %t", name, tt.got, tt.want)
		}
	}
}
