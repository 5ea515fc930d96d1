// Package wiretest generates random types and values for tests of codecs and of their
// users.
//
// The result depends only on the random source, so a failure can be repeated with
// the seed of that source. Values are valid: they conform to their type, the elements of a
// collection have one type, and refinements do not contradict each other.
//
// It is for tests only: those of internal/wire, internal/hostile and tfprotov6.
package wiretest

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Rand returns the random source of a seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)) }

// Type returns a type that is nested at most depth times.
func Type(r *rand.Rand, depth int) cty.Type {
	const primitives, all = 4, 9
	n := all
	if depth <= 0 {
		n = primitives
	}
	switch r.IntN(n) {
	case 0:
		return cty.String
	case 1:
		return cty.Number
	case 2:
		return cty.Bool
	case 3:
		return cty.DynamicPseudoType
	case 4:
		return cty.List(Type(r, depth-1))
	case 5:
		return cty.Set(Type(r, depth-1))
	case 6:
		return cty.Map(Type(r, depth-1))
	case 7:
		types := make([]cty.Type, r.IntN(4))
		for i := range types {
			types[i] = Type(r, depth-1)
		}
		return cty.Tuple(types)
	default:
		types := make(map[string]cty.Type)
		for i := range r.IntN(6) {
			types[fmt.Sprintf("%s_%d", []string{"a", "name", "é", "tag<"}[r.IntN(4)], i)] = Type(r, depth-1)
		}
		return cty.Object(types)
	}
}

// Options selects the random values that [Value] may return.
type Options struct {
	// Unknown allows unknown values, with and without refinements.
	Unknown bool
	// NoNull excludes a null at the root.
	NoNull bool
	// Short excludes strings of more than a few hundred bytes.
	Short bool

	// inSet is whether the value is a part of an element of a set.
	inSet bool
}

// Value returns a value that conforms to ty.
func Value(r *rand.Rand, ty cty.Type, o Options) cty.Value {
	return value(r, concrete(r, ty, 2), o)
}

// concrete returns ty with its dynamic types replaced, so that the elements of a collection
// have the same type.
func concrete(r *rand.Rand, ty cty.Type, depth int) cty.Type {
	switch {
	case ty == cty.DynamicPseudoType:
		return concrete(r, Type(r, depth), depth-1)
	case ty.IsListType():
		return cty.List(concrete(r, ty.ElementType(), depth))
	case ty.IsSetType():
		return cty.Set(concrete(r, ty.ElementType(), depth))
	case ty.IsMapType():
		return cty.Map(concrete(r, ty.ElementType(), depth))
	case ty.IsTupleType():
		types := make([]cty.Type, 0, ty.Length())
		for _, ety := range ty.TupleElementTypes() {
			types = append(types, concrete(r, ety, depth))
		}
		return cty.Tuple(types)
	case ty.IsObjectType():
		types := make(map[string]cty.Type)
		for _, name := range sortedNames(ty) {
			types[name] = concrete(r, ty.AttributeType(name), depth)
		}
		return cty.Object(types)
	default:
		return ty
	}
}

func value(r *rand.Rand, ty cty.Type, o Options) cty.Value {
	if !o.NoNull && r.IntN(12) == 0 {
		return cty.NullVal(ty)
	}
	if o.Unknown && r.IntN(10) == 0 {
		return unknown(r, ty)
	}
	o.NoNull = false
	switch {
	case ty == cty.String:
		return cty.StringVal(text(r, o))
	case ty == cty.Number:
		return number(r)
	case ty == cty.Bool:
		return cty.BoolVal(r.IntN(2) == 0)
	case ty.IsListType():
		if elems := elements(r, ty.ElementType(), o, false); len(elems) > 0 {
			return cty.ListVal(elems)
		}
		return cty.ListValEmpty(ty.ElementType())
	case ty.IsSetType():
		inner := o
		inner.inSet = true
		if elems := elements(r, ty.ElementType(), inner, o.inSet); len(elems) > 0 {
			return cty.SetVal(elems)
		}
		return cty.SetValEmpty(ty.ElementType())
	case ty.IsMapType():
		elems := make(map[string]cty.Value)
		for _, v := range elements(r, ty.ElementType(), o, false) {
			elems[text(r, o)] = v
		}
		if len(elems) == 0 {
			return cty.MapValEmpty(ty.ElementType())
		}
		return cty.MapVal(elems)
	case ty.IsTupleType():
		var elems []cty.Value
		for _, ety := range ty.TupleElementTypes() {
			elems = append(elems, value(r, ety, o))
		}
		return cty.TupleVal(elems)
	default:
		attrs := make(map[string]cty.Value)
		for _, name := range sortedNames(ty) {
			attrs[name] = value(r, ty.AttributeType(name), o)
		}
		return cty.ObjectVal(attrs)
	}
}

// elements returns random elements. If few is set, there are at most two, as for a set inside an
// element of another set: go-cty sorts the inner set for each comparison in the outer set, which
// takes minutes for three levels of twenty numbers.
func elements(r *rand.Rand, ty cty.Type, o Options, few bool) []cty.Value {
	n := r.IntN(4)
	if r.IntN(20) == 0 {
		n = 15 + r.IntN(5)
	}
	if few {
		n = min(n, 2)
	}
	elems := make([]cty.Value, n)
	for i := range elems {
		elems[i] = value(r, ty, o)
	}
	return elems
}

var texts = []string{
	"", "a", "hello world", "0644", "tab\tnewline\nquote\"back\\slash", "<b>&amp;</b>", "\u2028\u2029\x00\x1f\x7f",
	"Ame\u0301lie", "Amélie", "日本語", "🤷🏽‍♀️", "1e5", "true",
}

func text(r *rand.Rand, o Options) string {
	switch r.IntN(20) {
	case 0:
		sizes := []int{31, 32, 255, 256, 65535, 65536}
		if o.Short {
			sizes = sizes[:4]
		}
		b := make([]byte, sizes[r.IntN(len(sizes))])
		for i := range b {
			b[i] = byte('a' + i%26)
		}
		return string(b)
	case 1:
		return "\u0301" + texts[r.IntN(len(texts))] + "\u0301"
	default:
		return texts[r.IntN(len(texts))]
	}
}

var numbers = []string{
	"0", "1", "-1", "31", "-32", "-33", "127", "128", "-128", "-129", "255", "256", "65535", "65536", "-32768", "-32769",
	"2147483648", "4294967295", "4294967296", "-2147483648", "-2147483649", "9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "18446744073709551615", "18446744073709551616", "0.5", "-0.1", "3.141592653589793",
	"3.14159265358979323846264338327950288", "1e100", "-1e-100", "123456789012345678901234567890.5", "1e400",
}

func number(r *rand.Rand) cty.Value {
	switch r.IntN(5) {
	case 0:
		return cty.NumberIntVal(r.Int64() >> r.IntN(64))
	case 1:
		return cty.NumberFloatVal(r.NormFloat64())
	case 2:
		// The text that go-cty writes for a number, and equality, depend on the
		// precision.
		f := new(big.Float).SetMantExp(big.NewFloat(r.Float64()+0.5), r.IntN(2000)-1000)
		return cty.NumberVal(f.SetPrec([]uint{53, 64, 512}[r.IntN(3)]))
	default:
		return cty.MustParseNumberVal(numbers[r.IntN(len(numbers))])
	}
}

func unknown(r *rand.Rand, ty cty.Type) cty.Value {
	v := cty.UnknownVal(ty)
	if r.IntN(2) == 0 {
		v = v.RefineNotNull()
	}
	if r.IntN(2) == 0 {
		return v
	}
	switch {
	case ty == cty.String:
		// An empty prefix is not a refinement, and encoders cut a long prefix.
		return v.Refine().StringPrefixFull("p" + texts[r.IntN(len(texts))]).NewValue()
	case ty == cty.Number:
		b := v.Refine().NumberRangeLowerBound(cty.NumberIntVal(int64(r.IntN(300))), r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			b = b.NumberRangeUpperBound(cty.MustParseNumberVal("1000.25"), r.IntN(2) == 0)
		}
		return b.NewValue()
	case ty.IsCollectionType():
		return v.Refine().CollectionLengthLowerBound(r.IntN(5)).CollectionLengthUpperBound(10 + r.IntN(500)).NewValue()
	default:
		return v
	}
}

// sortedNames returns the names of the attributes: random choices must not depend on
// the order of a map.
func sortedNames(ty cty.Type) []string {
	return slices.Sorted(maps.Keys(ty.AttributeTypes()))
}
