package wire

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

const (
	// maxDynamicDepth limits the nesting of values of dynamic type, each of which
	// has its own type.
	maxDynamicDepth = 100
	// maxPrealloc limits the number of elements of a collection that are allocated in advance
	// because of a received length.
	maxPrealloc = 1 << 10
)

// DecodeMsgpack decodes a value of the type of c, and returns an error if b does not begin
// with such a value. The result shares no memory with b.
func (c *Codec) DecodeMsgpack(b []byte) (cty.Value, error) {
	r := msgpackReader{s: string(b), reserve: len(b)}
	v, err := c.decodeMsgpack(&r)
	if err != nil {
		return cty.NilVal, pathError(err)
	}
	return v, nil
}

func (c *Codec) decodeMsgpack(r *msgpackReader) (cty.Value, error) {
	code, err := r.peek()
	if err != nil {
		return cty.NilVal, err
	}
	if code == mpNil {
		r.pos++
		return cty.NullVal(c.ty), nil
	}
	if isExt(code) {
		return c.decodeUnknown(r)
	}
	switch c.kind {
	case kindString:
		s, err := r.text("a string")
		if err != nil {
			return cty.NilVal, err
		}
		return stringValue(s), nil
	case kindNumber:
		return r.number()
	case kindBool:
		b, err := r.bool()
		if err != nil {
			return cty.NilVal, err
		}
		return cty.BoolVal(b), nil
	case kindObject:
		return c.decodeMsgpackObject(r)
	case kindMap:
		return c.decodeMsgpackMap(r)
	case kindList:
		return c.decodeMsgpackList(r)
	case kindSet:
		return c.decodeMsgpackSet(r)
	case kindTuple:
		return c.decodeMsgpackTuple(r)
	case kindDynamic:
		return decodeMsgpackDynamic(r)
	default:
		return cty.NilVal, failCapsule()
	}
}

func failCapsule() error { return failf("the protocol does not support values of this type") }

func (c *Codec) decodeMsgpackObject(r *msgpackReader) (cty.Value, error) {
	n, err := r.mapLen("an object")
	if err != nil {
		return cty.NilVal, err
	}
	obj := c.newObject()
	inOrder := true
	for i := range n {
		key, err := r.text("a string as attribute name")
		if err != nil {
			return cty.NilVal, err
		}
		// Encoders sort the names, so key is nearly always the next name of the type.
		at := i
		if !inOrder || at >= len(c.names) || c.names[at] != key {
			inOrder = false
			if at, err = c.attribute(key); err != nil {
				return cty.NilVal, err
			}
			if obj.has(c.names[at]) {
				return cty.NilVal, failf("attribute %s is repeated", quoteName(key))
			}
		}
		v, err := c.items[at].decodeMsgpack(r)
		if err != nil {
			return cty.NilVal, underAttr(c.names[at], err)
		}
		obj.set(c.names[at], v)
	}
	if n < len(c.names) {
		return cty.NilVal, obj.missing()
	}
	return obj.value(), nil
}

func (c *Codec) decodeMsgpackMap(r *msgpackReader) (cty.Value, error) {
	n, err := r.mapLen("a map")
	if err != nil {
		return cty.NilVal, err
	}
	m := c.newMap(r.prealloc(n))
	for range n {
		key, err := r.text("a string as map key")
		if err != nil {
			return cty.NilVal, err
		}
		key = normalize(key)
		v, err := c.elem.decodeMsgpack(r)
		if err != nil {
			return cty.NilVal, underKey(key, err)
		}
		m.set(key, v)
	}
	return m.value()
}

func (c *Codec) decodeMsgpackList(r *msgpackReader) (cty.Value, error) {
	n, err := r.arrayLen("a list")
	if err != nil {
		return cty.NilVal, err
	}
	list := c.newList(r.prealloc(n))
	for i := range n {
		v, err := c.elem.decodeMsgpack(r)
		if err != nil {
			return cty.NilVal, underIndex(i, err)
		}
		list.add(v)
	}
	return list.value()
}

func (c *Codec) decodeMsgpackSet(r *msgpackReader) (cty.Value, error) {
	n, err := r.arrayLen("a set")
	if err != nil {
		return cty.NilVal, err
	}
	elems := make([]cty.Value, 0, r.prealloc(n))
	for range n {
		v, err := c.elem.decodeMsgpack(r)
		if err != nil {
			return cty.NilVal, inSet(err)
		}
		elems = append(elems, v)
	}
	return c.setOf(elems)
}

func (c *Codec) decodeMsgpackTuple(r *msgpackReader) (cty.Value, error) {
	n, err := r.arrayLen("a tuple")
	if err != nil {
		return cty.NilVal, err
	}
	if n != len(c.items) {
		return cty.NilVal, failf("a tuple of %s is required, got %d", diag.Count(len(c.items), "element"), n)
	}
	elems := make([]cty.Value, n)
	for i, item := range c.items {
		if elems[i], err = item.decodeMsgpack(r); err != nil {
			return cty.NilVal, underIndex(i, err)
		}
	}
	return cty.TupleVal(elems), nil
}

// decodeMsgpackDynamic decodes a value with its type: [type as JSON, value].
func decodeMsgpackDynamic(r *msgpackReader) (cty.Value, error) {
	n, err := r.arrayLen("an array of a type and a value")
	if err != nil {
		return cty.NilVal, err
	}
	if n != 2 {
		return cty.NilVal, failf("an array of a type and a value is required")
	}
	if r.depth++; r.depth > maxDynamicDepth {
		return cty.NilVal, &failure{err: errTooDeep}
	}
	defer func() { r.depth-- }()
	typeJSON, err := r.text("the type of the value")
	if err != nil {
		return cty.NilVal, err
	}
	c, err := codecOfTypeJSON(typeJSON)
	if err != nil {
		return cty.NilVal, err
	}
	return c.decodeMsgpack(r)
}
