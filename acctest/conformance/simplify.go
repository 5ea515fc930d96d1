package conformance

import (
	"iter"
	"maps"
	"math/big"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// edits are those that make a configuration smaller.
func (k *shrinker) edits(config cty.Value) iter.Seq[edit] {
	return func(yield func(edit) bool) { k.blockEdits(k.s.body, nil, config, yield) }
}

func (k *shrinker) blockEdits(b *configschema.Block, path cty.Path, v cty.Value, yield func(edit) bool) bool {
	if v.IsNull() || !v.Type().IsObjectType() {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		at, here := path.Copy().GetAttr(name), v.GetAttr(name)
		if empty := nested.EmptyValue(); !here.RawEquals(empty) && !yield(edit{at, empty}) {
			return false
		}
		if !k.objectsEdits(at, here, yield, func(at cty.Path, here cty.Value) bool {
			return k.blockEdits(&nested.Block, at, here, yield)
		}) {
			return false
		}
	}
	return k.attributesEdits(b.Attributes, path, v, yield)
}

func (k *shrinker) attributesEdits(attrs map[string]*configschema.Attribute, path cty.Path, v cty.Value, yield func(edit) bool) bool {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr, at, here := attrs[name], path.Copy().GetAttr(name), v.GetAttr(name)
		if here.IsNull() {
			continue
		}
		if attr.Optional && !yield(edit{at, attr.EmptyValue()}) {
			return false
		}
		if k.s.Values[nameOf(at)] != nil {
			continue
		}
		if attr.NestedType != nil {
			if !k.objectsEdits(at, here, yield, func(at cty.Path, here cty.Value) bool {
				return here.IsNull() || k.attributesEdits(attr.NestedType.Attributes, at, here, yield)
			}) {
				return false
			}
			continue
		}
		if !simplerValues(at, here, yield) {
			return false
		}
	}
	return true
}

// objectsEdits makes collections of objects shorter, and each object smaller.
func (k *shrinker) objectsEdits(at cty.Path, v cty.Value, yield func(edit) bool, inside func(cty.Path, cty.Value) bool) bool {
	switch ty := v.Type(); {
	case v.IsNull():
		return true
	case ty.IsListType(), ty.IsTupleType(), ty.IsMapType():
		if !shorter(at, v, yield) {
			return false
		}
		for key, e := range v.Elements() {
			if !inside(at.Copy().Index(key), e) {
				return false
			}
		}
		return true
	case ty.IsSetType():
		return shorter(at, v, yield)
	default:
		return inside(at, v)
	}
}

// shorter yields a collection with none, half, and one less of its elements.
func shorter(at cty.Path, v cty.Value, yield func(edit) bool) bool {
	n := v.LengthInt()
	if n == 0 {
		return true
	}
	if !yield(edit{at, keeping(v, func(int) bool { return false })}) {
		return false
	}
	if n > 2 && !yield(edit{at, keeping(v, func(i int) bool { return i < n/2 })}) {
		return false
	}
	for drop := range min(n, 8) {
		if n > 1 && !yield(edit{at, keeping(v, func(i int) bool { return i != drop })}) {
			return false
		}
	}
	return true
}

// keeping is a collection with some of its elements.
func keeping(v cty.Value, keep func(i int) bool) cty.Value {
	var list []cty.Value
	keyed := map[string]cty.Value{}
	i := 0
	for key, e := range v.Elements() {
		if keep(i) {
			list = append(list, e)
			if key.Type() == cty.String && !v.Type().IsSetType() {
				keyed[key.AsString()] = e
			}
		}
		i++
	}
	switch ty := v.Type(); {
	case ty.IsMapType():
		return mapOf(ty.ElementType(), keyed)
	case ty.IsObjectType():
		return cty.ObjectVal(keyed)
	case ty.IsSetType():
		return setOf(ty.ElementType(), list)
	case ty.IsListType():
		return listOf(ty.ElementType(), list)
	default:
		return cty.TupleVal(list)
	}
}

// simplerValues yields simpler values of any type.
func simplerValues(at cty.Path, v cty.Value, yield func(edit) bool) bool {
	if v.IsNull() || !v.IsKnown() {
		return true
	}
	ty := v.Type()
	switch {
	case ty == cty.String:
		for _, s := range simplerTexts(v.AsString()) {
			if !yield(edit{at, cty.StringVal(s)}) {
				return false
			}
		}
	case ty == cty.Number:
		for _, n := range simplerNumbers(v.AsBigFloat()) {
			if !yield(edit{at, cty.NumberVal(n)}) {
				return false
			}
		}
	case ty == cty.Bool:
		return v.False() || yield(edit{at, cty.False})
	case ty.IsListType(), ty.IsMapType(), ty.IsSetType():
		if ok := shorter(at, v, yield); !ok || ty.IsSetType() {
			return ok
		}
	}
	if ty.IsListType() || ty.IsMapType() || ty.IsTupleType() {
		for key, e := range v.Elements() {
			if !simplerValues(at.Copy().Index(key), e, yield) {
				return false
			}
		}
	}
	if ty.IsObjectType() {
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			if !simplerValues(at.Copy().GetAttr(name), v.GetAttr(name), yield) {
				return false
			}
		}
	}
	return true
}

// simplerTexts are shorter, or one of "a" and "A".
func simplerTexts(s string) []string {
	runes := []rune(s)
	var out []string
	if s == "" {
		return nil
	}
	out = append(out, "")
	if s != "a" {
		out = append(out, "a")
	}
	if s != "a" && s != "A" {
		out = append(out, "A")
	}
	if len(runes) > 1 {
		half := len(runes) / 2
		out = append(out, string(runes[:half]), string(runes[half:]), string(runes[1:]), string(runes[:len(runes)-1]))
	}
	return out
}

// simplerNumbers are nearer to zero.
func simplerNumbers(n *big.Float) []*big.Float {
	var out []*big.Float
	one := big.NewFloat(1)
	if n.Sign() == 0 {
		return nil
	}
	out = append(out, big.NewFloat(0))
	if new(big.Float).Abs(n).Cmp(one) > 0 {
		whole, _ := new(big.Float).Quo(n, big.NewFloat(2)).Int(nil)
		out = append(out, one, new(big.Float).SetInt(whole))
	} else if n.Cmp(one) != 0 {
		out = append(out, one)
	}
	return out
}
