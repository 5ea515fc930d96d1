package runtime_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// gen makes random configurations for a schema.
type gen struct {
	*rand.Rand
	unknowns bool
}

func (g gen) block(b *configschema.Block) cty.Value {
	out := map[string]cty.Value{}
	for name, a := range b.Attributes {
		out[name] = g.attribute(name, a)
	}
	for name, nb := range b.BlockTypes {
		out[name] = g.nested(nb)
	}
	return cty.ObjectVal(out)
}

func (g gen) attribute(name string, a *configschema.Attribute) cty.Value {
	ty := a.Type
	if a.NestedType != nil {
		ty = a.NestedType.ImpliedType()
	}
	switch {
	case !a.Required && !a.Optional, a.Optional && g.IntN(3) == 0:
		return cty.NullVal(ty)
	case g.unknowns && name != "name" && g.IntN(12) == 0:
		return cty.UnknownVal(ty)
	case a.NestedType == nil:
		return g.value(name, ty)
	}
	object := func() cty.Value {
		attrs := map[string]cty.Value{}
		for n, inner := range a.NestedType.Attributes {
			attrs[n] = g.attribute(n, inner)
		}
		return cty.ObjectVal(attrs)
	}
	return g.collection(a.NestedType.Nesting, ty, object)
}

func (g gen) nested(nb *configschema.NestedBlock) cty.Value {
	return g.collection(nb.Nesting, nb.ImpliedType(), func() cty.Value { return g.block(&nb.Block) })
}

func (g gen) collection(mode configschema.NestingMode, ty cty.Type, object func() cty.Value) cty.Value {
	n := g.IntN(4)
	elems := make([]cty.Value, n)
	for i := range elems {
		elems[i] = object()
	}
	switch {
	case mode == configschema.NestingSingle && n == 0:
		return cty.NullVal(ty)
	case mode == configschema.NestingSingle:
		return elems[0]
	case mode == configschema.NestingMap && n > 0:
		m := map[string]cty.Value{}
		for i, e := range elems {
			m[fmt.Sprint("k", i)] = e
		}
		return cty.MapVal(m)
	case mode == configschema.NestingSet && n > 0:
		return cty.SetVal(elems)
	case mode == configschema.NestingList && n > 0:
		return cty.ListVal(elems)
	case ty.IsMapType():
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	default:
		return cty.ListValEmpty(ty.ElementType())
	}
}

// value returns a random value for the attribute of Site with the name and type.
func (g gen) value(name string, ty cty.Type) cty.Value {
	pick := func(words ...string) cty.Value { return cty.StringVal(words[g.IntN(len(words))]) }
	switch {
	case name == "doc":
		return pick(`{"a":1,"b":[true]}`, `{ "b": [true], "a": 1 }`, `null`, `[]`)
	case name == "mode":
		return pick("644", "0644", "755", "0")
	case name == "nets" && ty == cty.String:
		return pick("10.0.0.0/8", "fe80::/10", "FE80::/10")
	case ty == cty.String:
		return pick("a", "A", "b", "B", "c")
	case ty == cty.Number:
		return cty.NumberIntVal(int64(g.IntN(5)))
	case ty == cty.Bool:
		return cty.BoolVal(g.IntN(2) == 0)
	case ty == cty.DynamicPseudoType:
		return []cty.Value{cty.True, cty.StringVal("x"), cty.EmptyTupleVal}[g.IntN(3)]
	}
	n := g.IntN(3)
	elems := make([]cty.Value, n)
	for i := range elems {
		elems[i] = g.value(name, ty.ElementType())
	}
	switch {
	case n == 0 && ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case n == 0 && ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	case n == 0:
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsListType():
		return cty.ListVal(elems)
	case ty.IsSetType():
		return cty.SetVal(elems)
	}
	m := map[string]cty.Value{}
	for i, e := range elems {
		m[fmt.Sprint("k", i)] = e
	}
	return cty.MapVal(m)
}
