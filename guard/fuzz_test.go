package guard_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// FuzzReadFindsWhatIsUnknown compares the guard's walk with cty's, over values of a type
// with many kinds of parts: a read is rejected if and only if its value is not wholly known.
func FuzzReadFindsWhatIsUnknown(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add([]byte("\x10\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\x01\xcc\xdd\xee\xff"))
	body := everything()
	p := guard.Wrap(&mutant{
		Interface: fake{},
		schema: func(r *provider.GetProviderSchemaResponse) {
			r.ResourceTypes["fake_plain"] = provider.Schema{Body: body}
		},
		read: func(r *provider.ReadResourceResponse) { r.Identity = cty.NilVal },
	})
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := chooser(choices)
		object := make(values)
		types := body.ImpliedType().AttributeTypes()
		for _, name := range slices.Sorted(maps.Keys(types)) {
			object[name] = c.value(types[name], 3)
		}
		v := cty.ObjectVal(object)
		got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "fake_plain", PriorState: v})
		var want []string
		if !v.IsWhollyKnown() {
			want = []string{"READ-007"}
		}
		if diff := cmp.Diff(want, brokenRules(got.Diagnostics)); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", v, diff)
		}
	})
}

func everything() *configschema.Block {
	inner := cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.List(cty.Number)})
	attrs := make(attributes)
	for name, ty := range map[string]cty.Type{
		"text": cty.String, "number": cty.Number, "flag": cty.Bool, "any": cty.DynamicPseudoType,
		"list": cty.List(inner), "set": cty.Set(cty.String), "map": cty.Map(cty.Map(cty.String)),
		"tuple": cty.Tuple([]cty.Type{cty.String, inner}), "object": inner,
	} {
		attrs[name] = &configschema.Attribute{Type: ty, Computed: true}
	}
	return &configschema.Block{
		Attributes: attrs,
		BlockTypes: map[string]*configschema.NestedBlock{
			"fixed":  {Nesting: configschema.NestingMap, Block: *plainBody()},
			"single": {Nesting: configschema.NestingSingle, Block: *plainBody()},
		},
	}
}

// chooser creates values from fuzz input.
type chooser []byte

func (c *chooser) next() byte {
	if len(*c) == 0 {
		return 1
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return b
}

func (c *chooser) value(ty cty.Type, depth int) cty.Value {
	choice := c.next()
	switch {
	case choice%16 == 2:
		return cty.UnknownVal(ty)
	case choice%16 == 3 || depth == 0:
		return cty.NullVal(ty)
	}
	n := int(choice) % 3
	switch {
	case ty == cty.String:
		return cty.StringVal(string(rune('a' + choice%8)))
	case ty == cty.Number:
		return cty.NumberIntVal(int64(choice))
	case ty == cty.Bool:
		return cty.BoolVal(choice%2 == 0)
	case ty == cty.DynamicPseudoType:
		return c.value([]cty.Type{cty.String, cty.List(cty.String), cty.EmptyObject}[n], depth-1)
	case ty.IsObjectType():
		attrs := make(values)
		for _, name := range []string{"a", "b", "name"} {
			if ty.HasAttribute(name) {
				attrs[name] = c.value(ty.AttributeType(name), depth-1)
			}
		}
		return cty.ObjectVal(attrs)
	case ty.IsTupleType():
		var all []cty.Value
		for _, ety := range ty.TupleElementTypes() {
			all = append(all, c.value(ety, depth-1))
		}
		return cty.TupleVal(all)
	case n == 0 && ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case n == 0 && ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	case n == 0:
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsMapType():
		all := make(values)
		for range n {
			all[string(rune('k'+c.next()%4))] = c.value(ty.ElementType(), depth-1)
		}
		return cty.MapVal(all)
	}
	var all []cty.Value
	for range n {
		all = append(all, c.value(ty.ElementType(), depth-1))
	}
	if ty.IsSetType() {
		return cty.SetVal(all)
	}
	return cty.ListVal(all)
}
