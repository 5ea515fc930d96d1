package wire

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

// AppendMsgpack appends v, which must be of the type of c, to dst. If there is an
// error, AppendMsgpack returns dst unchanged.
func (c *Codec) AppendMsgpack(dst []byte, v cty.Value) ([]byte, error) {
	out, err := c.appendMsgpack(dst, v)
	if err != nil {
		return dst, pathError(err)
	}
	return out, nil
}

func (c *Codec) appendMsgpack(dst []byte, v cty.Value) ([]byte, error) {
	if v.IsMarked() {
		return nil, failMarked()
	}
	ty := v.Type()
	if c.kind == kindDynamic && ty != cty.DynamicPseudoType {
		return appendMsgpackDynamic(dst, v)
	}
	if !v.IsKnown() {
		if err := c.admit(ty); err != nil {
			return nil, err
		}
		return appendMsgpackUnknown(dst, v), nil
	}
	if v.IsNull() {
		if err := c.admit(ty); err != nil {
			return nil, err
		}
		return append(dst, mpNil), nil
	}
	switch c.kind {
	case kindString:
		if ty != cty.String {
			return nil, c.failType(ty)
		}
		return appendMsgpackString(dst, v.AsString()), nil
	case kindNumber:
		if ty != cty.Number {
			return nil, c.failType(ty)
		}
		f := floatOf(v)
		if tooLarge(f) {
			return nil, failTooLarge()
		}
		return appendMsgpackNumber(dst, f), nil
	case kindBool:
		if ty != cty.Bool {
			return nil, c.failType(ty)
		}
		return appendMsgpackBool(dst, v.True()), nil
	case kindObject:
		return c.appendMsgpackObject(dst, v, ty)
	case kindMap:
		return c.appendMsgpackMap(dst, v, ty)
	case kindList, kindSet:
		return c.appendMsgpackSequence(dst, v, ty)
	case kindTuple:
		return c.appendMsgpackTuple(dst, v, ty)
	default:
		return nil, failCapsule()
	}
}

func (c *Codec) appendMsgpackObject(dst []byte, v cty.Value, ty cty.Type) ([]byte, error) {
	types, err := c.attributeTypes(ty)
	if err != nil {
		return nil, err
	}
	dst = appendMsgpackMapLen(dst, len(c.names))
	values := entriesOf(v)
	for i, name := range c.names {
		dst = append(dst, c.msgpackKeys[i]...)
		aty := c.items[i].ty
		if types != nil {
			aty = types[name]
		}
		if dst, err = c.items[i].appendMsgpack(dst, values.get(name, aty)); err != nil {
			return nil, underAttr(name, err)
		}
	}
	return dst, nil
}

func (c *Codec) appendMsgpackMap(dst []byte, v cty.Value, ty cty.Type) (_ []byte, err error) {
	if !ty.IsMapType() {
		return nil, c.failType(ty)
	}
	ety := ty.ElementType()
	values := entriesOf(v)
	keys := values.keys()
	dst = appendMsgpackMapLen(dst, len(keys))
	for _, key := range keys {
		dst = appendMsgpackString(dst, key)
		if dst, err = c.elem.appendMsgpack(dst, values.get(key, ety)); err != nil {
			return nil, underKey(key, err)
		}
	}
	return dst, nil
}

// appendMsgpackSequence encodes a list or a set.
func (c *Codec) appendMsgpackSequence(dst []byte, v cty.Value, ty cty.Type) (_ []byte, err error) {
	if isSet := ty.IsSetType(); isSet != (c.kind == kindSet) || !isSet && !ty.IsListType() {
		return nil, c.failType(ty)
	}
	ety := ty.ElementType()
	values := sequenceOf(v, c.staticElem())
	dst = appendMsgpackArrayLen(dst, values.len())
	for i := range values.len() {
		if dst, err = c.elem.appendMsgpack(dst, values.at(i, ety)); err != nil {
			return nil, c.underElement(i, err)
		}
	}
	return dst, nil
}

func (c *Codec) appendMsgpackTuple(dst []byte, v cty.Value, ty cty.Type) ([]byte, error) {
	types, err := c.elementTypes(ty)
	if err != nil {
		return nil, err
	}
	values := sequenceOf(v, nil)
	dst = appendMsgpackArrayLen(dst, len(types))
	for i, ety := range types {
		if dst, err = c.items[i].appendMsgpack(dst, values.at(i, ety)); err != nil {
			return nil, underIndex(i, err)
		}
	}
	return dst, nil
}

func appendMsgpackDynamic(dst []byte, v cty.Value) ([]byte, error) {
	ty := v.Type()
	if ty == cty.NilType {
		return nil, failNil()
	}
	typeJSON, c, err := codecOfType(ty)
	if err != nil {
		return nil, err
	}
	dst = append(dst, mpFixArray|2)
	dst = appendMsgpackText(dst, typeJSON, mpBin8, mpBin16, mpBin32)
	return c.appendMsgpack(dst, v)
}

func appendMsgpackString(dst []byte, s string) []byte {
	if len(s) < 32 {
		return append(append(dst, mpFixStr|byte(len(s))), s...)
	}
	return appendMsgpackText(dst, s, mpStr8, mpStr16, mpStr32)
}

// appendMsgpackText writes a string or a byte string. After code8, code16 or code32, the length
// has 8, 16 or 32 bits.
func appendMsgpackText(dst []byte, s string, code8, code16, code32 byte) []byte {
	switch n := len(s); {
	case n <= math.MaxUint8:
		dst = append(dst, code8, byte(n))
	case n <= math.MaxUint16:
		dst = binary.BigEndian.AppendUint16(append(dst, code16), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint32(append(dst, code32), uint32(n))
	}
	return append(dst, s...)
}

func appendMsgpackBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, mpTrue)
	}
	return append(dst, mpFalse)
}

// appendMsgpackNumber encodes an integer that fits into an int64 as an integer, an infinity
// or a fraction that is exact in a float64 as a float, and other numbers as decimal text.
func appendMsgpackNumber(dst []byte, f *big.Float) []byte {
	if f.IsInf() {
		d, _ := f.Float64()
		return appendMsgpackFloat(dst, d)
	}
	if i, acc := f.Int64(); acc == big.Exact {
		return appendMsgpackInt(dst, i)
	}
	if d, acc := f.Float64(); acc == big.Exact && !f.IsInt() {
		return appendMsgpackFloat(dst, d)
	}
	return appendMsgpackString(dst, f.Text('f', -1))
}

func appendMsgpackFloat(dst []byte, d float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, mpFloat64), math.Float64bits(d))
}

// appendMsgpackInt encodes an integer in its shortest form. Numbers that are not negative
// have an unsigned form.
func appendMsgpackInt(dst []byte, i int64) []byte {
	switch {
	case i >= 0 && i < 0x80 || i < 0 && i >= -32:
		return append(dst, byte(i))
	case i >= 0 && i <= math.MaxUint8:
		return append(dst, mpUint8, byte(i))
	case i >= 0 && i <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, mpUint16), uint16(i))
	case i >= 0 && i <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, mpUint32), uint32(i))
	case i >= 0:
		return binary.BigEndian.AppendUint64(append(dst, mpUint64), uint64(i))
	case i >= math.MinInt8:
		return append(dst, mpInt8, byte(i))
	case i >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, mpInt16), uint16(i))
	case i >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, mpInt32), uint32(i))
	default:
		return binary.BigEndian.AppendUint64(append(dst, mpInt64), uint64(i))
	}
}

func appendMsgpackArrayLen(dst []byte, n int) []byte {
	return appendMsgpackLen(dst, n, mpFixArray, mpArray16, mpArray32)
}

func appendMsgpackMapLen(dst []byte, n int) []byte {
	return appendMsgpackLen(dst, n, mpFixMap, mpMap16, mpMap32)
}

// appendMsgpackLen writes the head of an array or a map. The codes are as for
// [msgpackReader.length].
func appendMsgpackLen(dst []byte, n int, fixed, code16, code32 byte) []byte {
	switch {
	case n < 16:
		return append(dst, fixed|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, code16), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(dst, code32), uint32(n))
	}
}

// appendMsgpackExt writes the head of an extension value of n bytes, at most 65,535.
func appendMsgpackExt(dst []byte, id byte, n int) []byte {
	switch {
	case n == 1 || n == 2 || n == 4 || n == 8 || n == 16:
		code := byte(mpFixExt1)
		for ; n > 1; n /= 2 {
			code++
		}
		return append(dst, code, id)
	case n <= math.MaxUint8:
		return append(dst, mpExt8, byte(n), id)
	default:
		return append(binary.BigEndian.AppendUint16(append(dst, mpExt16), uint16(n)), id)
	}
}
