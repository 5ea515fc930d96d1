package wire

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// AppendJSON appends v, which must be of the type of c, to dst. Unknown values and
// infinite numbers are an error, because JSON cannot represent them. If there is an
// error, AppendJSON returns dst unchanged.
func (c *Codec) AppendJSON(dst []byte, v cty.Value) ([]byte, error) {
	out, err := c.appendJSON(dst, v)
	if err != nil {
		return dst, pathError(err)
	}
	return out, nil
}

func (c *Codec) appendJSON(dst []byte, v cty.Value) ([]byte, error) {
	if v.IsMarked() {
		return nil, failMarked()
	}
	if !v.IsKnown() {
		return nil, failf("an unknown value cannot be written as JSON")
	}
	ty := v.Type()
	if c.kind == kindDynamic && ty != cty.DynamicPseudoType {
		return appendJSONDynamic(dst, v)
	}
	if v.IsNull() {
		if err := c.admit(ty); err != nil {
			return nil, err
		}
		return append(dst, "null"...), nil
	}
	switch c.kind {
	case kindString:
		if ty != cty.String {
			return nil, c.failType(ty)
		}
		return appendJSONString(dst, v.AsString()), nil
	case kindNumber:
		if ty != cty.Number {
			return nil, c.failType(ty)
		}
		f := floatOf(v)
		if f.IsInf() || tooLarge(f) {
			return nil, failTooLarge()
		}
		// The text is the shortest that parses to the number at its precision. For
		// an integer that fits into the precision, the text has all digits.
		if i, acc := f.Int64(); acc == big.Exact && i != 0 && (f.Prec() >= 64 || -1<<53 < i && i < 1<<53) {
			return strconv.AppendInt(dst, i, 10), nil
		}
		return f.Append(dst, 'f', -1), nil
	case kindBool:
		if ty != cty.Bool {
			return nil, c.failType(ty)
		}
		if v.True() {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case kindObject:
		return c.appendJSONObject(dst, v, ty)
	case kindMap:
		return c.appendJSONMap(dst, v, ty)
	case kindList, kindSet:
		return c.appendJSONSequence(dst, v, ty)
	case kindTuple:
		return c.appendJSONTuple(dst, v, ty)
	default:
		return nil, failCapsule()
	}
}

func (c *Codec) appendJSONObject(dst []byte, v cty.Value, ty cty.Type) ([]byte, error) {
	types, err := c.attributeTypes(ty)
	if err != nil {
		return nil, err
	}
	values := entriesOf(v)
	dst = append(dst, '{')
	for i, name := range c.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.jsonKeys[i]...)
		aty := c.items[i].ty
		if types != nil {
			aty = types[name]
		}
		if dst, err = c.items[i].appendJSON(dst, values.get(name, aty)); err != nil {
			return nil, underAttr(name, err)
		}
	}
	return append(dst, '}'), nil
}

func (c *Codec) appendJSONMap(dst []byte, v cty.Value, ty cty.Type) (_ []byte, err error) {
	if !ty.IsMapType() {
		return nil, c.failType(ty)
	}
	ety := ty.ElementType()
	values := entriesOf(v)
	dst = append(dst, '{')
	for i, key := range values.keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, key), ':')
		if dst, err = c.elem.appendJSON(dst, values.get(key, ety)); err != nil {
			return nil, underKey(key, err)
		}
	}
	return append(dst, '}'), nil
}

// appendJSONSequence encodes a list or a set.
func (c *Codec) appendJSONSequence(dst []byte, v cty.Value, ty cty.Type) (_ []byte, err error) {
	if isSet := ty.IsSetType(); isSet != (c.kind == kindSet) || !isSet && !ty.IsListType() {
		return nil, c.failType(ty)
	}
	ety := ty.ElementType()
	values := sequenceOf(v, c.staticElem())
	dst = append(dst, '[')
	for i := range values.len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = c.elem.appendJSON(dst, values.at(i, ety)); err != nil {
			return nil, c.underElement(i, err)
		}
	}
	return append(dst, ']'), nil
}

func (c *Codec) appendJSONTuple(dst []byte, v cty.Value, ty cty.Type) ([]byte, error) {
	types, err := c.elementTypes(ty)
	if err != nil {
		return nil, err
	}
	values := sequenceOf(v, nil)
	dst = append(dst, '[')
	for i, ety := range types {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = c.items[i].appendJSON(dst, values.at(i, ety)); err != nil {
			return nil, underIndex(i, err)
		}
	}
	return append(dst, ']'), nil
}

func appendJSONDynamic(dst []byte, v cty.Value) ([]byte, error) {
	ty := v.Type()
	if ty == cty.NilType {
		return nil, failNil()
	}
	typeJSON, c, err := codecOfType(ty)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `{"value":`...)
	if dst, err = c.appendJSON(dst, v); err != nil {
		return nil, err
	}
	dst = append(dst, `,"type":`...)
	dst = append(dst, typeJSON...)
	return append(dst, '}'), nil
}

// appendJSONString appends a JSON string. It escapes the same characters as
// encoding/json, including the special characters of HTML.
func appendJSONString(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' && b != '<' && b != '>' && b != '&' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch b {
			case '"', '\\':
				dst = append(dst, '\\', b)
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&0xf])
			}
			i++
			start = i
			continue
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case c == '\u2028' || c == '\u2029':
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hexDigits[c&0xf])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}
