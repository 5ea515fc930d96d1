package wire

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/set"
)

// go-cty sorts the elements of a set on each access: set.Set.Values calls
// OrderedRules.Less for each comparison, and for elements that are not primitive,
// setRules.Less encodes both elements with makeSetHashBytes. With a few hundred objects this
// takes longer than the rest of a request. The fix in go-cty would be to compute the
// bytes once for each element in Values, and to sort by these bytes. This file encodes each
// element once. The order, and so the bytes of an encoded set, is the same as in go-cty.

// setForm is the declaration of [set.Set] in go-cty 1.18. [direct] depends on it too.
type setForm struct {
	vals  map[int][]any
	rules set.Rules[any]
}

// Elements returns the same elements as v.AsValueSlice(). It is faster for lists and
// for sets of objects.
func Elements(v cty.Value) []cty.Value {
	ty := v.Type()
	if !ty.IsListType() && !ty.IsSetType() {
		return v.AsValueSlice()
	}
	s := sequenceOf(v, nil)
	if s.raw == nil {
		return s.vals
	}
	ety := ty.ElementType()
	elems := make([]cty.Value, len(s.raw))
	for i := range elems {
		elems[i] = s.at(i, ety)
	}
	return elems
}

// Each calls visit for each element of a list, a tuple or a map. The order for a map is
// undefined. The key is "" except for a map. v must be known, without marks, and
// not null.
func Each(v cty.Value, visit func(key string, elem cty.Value)) {
	ty := v.Type()
	if ty.IsMapType() {
		e, ety := entriesOf(v), ty.ElementType()
		for key, raw := range e.raw {
			visit(key, compose(ety, raw))
		}
		for key, elem := range e.vals {
			visit(key, elem)
		}
		return
	}
	s, tuple := sequenceOf(v, nil), ty.IsTupleType()
	for i := range s.len() {
		if tuple {
			visit("", s.at(i, ty.TupleElementType(i)))
		} else {
			visit("", s.at(i, ty.ElementType()))
		}
	}
}

// objectsInOrder returns the sorted elements of a set of objects. The result ok is false
// for other values, and if go-cty does not have the expected representation or appendKey does
// not encode an element. elem is the codec of the elements, or nil.
func objectsInOrder(v cty.Value, elem *Codec) (raw []any, ok bool) {
	if !direct || !v.Type().IsSetType() || !v.Type().ElementType().IsObjectType() {
		return nil, false
	}
	s, ok := content(v).(set.Set[any])
	if !ok {
		return nil, false
	}
	if elem == nil {
		elem = compile(v.Type().ElementType())
	}
	vals := setContent(s)
	type keyed struct {
		elem     any
		from, to int // position of the encoded element in buf
	}
	sorted := make([]keyed, 0, len(vals))
	var buf []byte
	for _, hash := range sortedKeys(vals) {
		for _, e := range vals[hash] {
			from := len(buf)
			if buf, ok = elem.appendKey(buf, e); !ok {
				return nil, false
			}
			sorted = append(sorted, keyed{e, from, len(buf)})
		}
	}
	slices.SortStableFunc(sorted, func(a, b keyed) int { return bytes.Compare(buf[a.from:a.to], buf[b.from:b.to]) })
	raw = make([]any, len(sorted))
	for i := range sorted {
		raw[i] = sorted[i].elem
	}
	return raw, true
}

// staticElem returns the codec of the elements, or nil if their type has dynamic parts.
func (c *Codec) staticElem() *Codec {
	if c.static {
		return c.elem
	}
	return nil
}

// appendKey encodes an element as go-cty does to sort elements: known objects before
// unknown ones, and both before null. The result ok is false for a value that appendKey does
// not encode, such as a tuple or a marked value.
func (c *Codec) appendKey(buf []byte, raw any) (_ []byte, ok bool) {
	v := compose(c.ty, raw)
	switch {
	case v.IsMarked():
		return nil, false
	case !v.IsKnown():
		return append(buf, '?'), true
	case raw == nil:
		return append(buf, '~'), true
	}
	switch c.kind { //nolint:exhaustive // tuples and dynamic parts are too rare
	case kindString:
		s, ok := raw.(string)
		return strconv.AppendQuote(buf, s), ok
	case kindBool:
		b, ok := raw.(bool)
		if b {
			return append(buf, 'T'), ok
		}
		return append(buf, 'F'), ok
	case kindNumber:
		f, ok := raw.(*big.Float)
		if !ok {
			return nil, false
		}
		return appendNumberKey(buf, f), true
	case kindObject:
		return c.appendObjectKey(buf, raw)
	case kindMap:
		return c.appendMapKey(buf, raw)
	case kindList:
		elems, ok := raw.([]any)
		return c.appendElementKeys(buf, elems, ok)
	case kindSet:
		elems, ok := objectsInOrder(v, c.elem)
		if !ok {
			for _, e := range v.AsValueSlice() {
				elems = append(elems, content(e))
			}
		}
		return c.appendElementKeys(buf, elems, true)
	}
	return nil, false
}

// appendNumberKey writes integers of at most ten digits exactly, and other numbers with ten significant digits.
func appendNumberKey(buf []byte, f *big.Float) []byte {
	const tenDigits = 1e10
	if i, acc := f.Int64(); acc == big.Exact && -tenDigits < i && i < tenDigits && (i != 0 || !f.Signbit()) {
		return strconv.AppendInt(buf, i, 10)
	}
	return f.Append(buf, 'g', 10)
}

func (c *Codec) appendObjectKey(buf []byte, raw any) (_ []byte, ok bool) {
	attrs, ok := raw.(map[string]any)
	if !ok {
		return nil, false
	}
	buf = append(buf, '<')
	for i, name := range c.names {
		if buf, ok = c.items[i].appendKey(buf, attrs[name]); !ok {
			return nil, false
		}
		buf = append(buf, ';')
	}
	return append(buf, '>'), true
}

func (c *Codec) appendMapKey(buf []byte, raw any) (_ []byte, ok bool) {
	entries, ok := raw.(map[string]any)
	if !ok {
		return nil, false
	}
	buf = append(buf, '{')
	for _, name := range sortedKeys(entries) {
		buf = append(strconv.AppendQuote(buf, name), ':')
		if buf, ok = c.elem.appendKey(buf, entries[name]); !ok {
			return nil, false
		}
		buf = append(buf, ';')
	}
	return append(buf, '}'), true
}

func (c *Codec) appendElementKeys(buf []byte, elems []any, ok bool) ([]byte, bool) {
	buf = append(buf, '[')
	for _, e := range elems {
		if !ok {
			break
		}
		if buf, ok = c.elem.appendKey(buf, e); ok {
			buf = append(buf, ';')
		}
	}
	return append(buf, ']'), ok
}
