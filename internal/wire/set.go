package wire

import (
	"bytes"
	"math/big"
	"slices"
	"sort"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/set"
)

// go-cty puts the elements of a set in order each time they are looked at, and
// writes two elements out in full for each comparison: with a few hundred
// objects, that costs more than all the rest of a request. Here each element is
// written out once. The order is the same, and with it the bytes of an encoded
// set.

// setForm is [set.Set] as go-cty 1.18 declares it. [direct] is also about this.
type setForm struct {
	vals  map[int][]any
	rules set.Rules[any]
}

// Elements is v.AsValueSlice, sooner where v is a list or a set of objects.
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

// objectsInOrder are the elements of a set of objects. It is not ok for anything
// else, or where an element is not what this file knows of. The codec is that of
// the elements, nil if there is none yet.
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
	buckets := make([]int, 0, len(vals))
	for hash := range vals {
		buckets = append(buckets, hash)
	}
	sort.Ints(buckets)
	in := inOrder{elems: make([]any, 0, len(vals)), keys: make([]key, 0, len(vals))}
	var buf []byte
	for _, hash := range buckets {
		for _, e := range vals[hash] {
			from := len(buf)
			if buf, ok = elem.appendKey(buf, e); !ok {
				return nil, false
			}
			in.elems = append(in.elems, e)
			in.keys = append(in.keys, key{from, len(buf)})
		}
	}
	in.buf = buf
	sort.Stable(&in)
	return in.elems, true
}

// staticElem is the codec of all elements, nil where their types may differ.
func (c *Codec) staticElem() *Codec {
	if c.static {
		return c.elem
	}
	return nil
}

// key is where an element is written out.
type key struct{ from, to int }

// inOrder sorts elements by their keys.
type inOrder struct {
	elems []any
	keys  []key
	buf   []byte
}

func (s *inOrder) Len() int { return len(s.elems) }

func (s *inOrder) Swap(i, j int) {
	s.elems[i], s.elems[j] = s.elems[j], s.elems[i]
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
}

func (s *inOrder) Less(i, j int) bool {
	a, b := s.keys[i], s.keys[j]
	return bytes.Compare(s.buf[a.from:a.to], s.buf[b.from:b.to]) < 0
}

// appendKey writes an element out as go-cty does to order it: an object before
// an unknown one, and both before null. It is not ok for what cannot be in an
// encoded value.
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

// appendNumberKey writes ten digits; a whole number of less has them all.
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
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	slices.Sort(names)
	buf = append(buf, '{')
	for _, name := range names {
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
