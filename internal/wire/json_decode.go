package wire

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/diag"
)

// DecodeJSON decodes a value of the type of c. Missing attributes are null, except in a part of
// dynamic type, where they are an error. Attributes that the type does not have are an error.
func (c *Codec) DecodeJSON(b []byte) (cty.Value, error) {
	return c.decodeJSONFrom(b, false)
}

// DecodeStateJSON decodes a stored object for an upgrade: attributes that the type
// does not have are dropped, at any depth, and missing attributes are treated as by
// [Codec.DecodeJSON]. Data after the object is an error.
func (c *Codec) DecodeStateJSON(b []byte) (cty.Value, error) {
	return c.decodeJSONFrom(b, true)
}

func (c *Codec) decodeJSONFrom(b []byte, lenient bool) (cty.Value, error) {
	d := jsonDecoder{jsonReader: jsonReader{s: string(b)}, lenient: lenient}
	v, err := d.decode(c)
	if err != nil {
		return cty.NilVal, pathError(err)
	}
	if d.space(); lenient && d.pos < len(d.s) {
		return cty.NilVal, pathError(failJSON())
	}
	return v, nil
}

type jsonDecoder struct {
	jsonReader
	lenient bool
	// dynamic is set if the type comes from the input. Objects then must have all their
	// attributes: a short input can have a long type and very many empty objects.
	dynamic bool
}

func (d *jsonDecoder) decode(c *Codec) (cty.Value, error) {
	first := d.next()
	if first == 'n' {
		return cty.NullVal(c.ty), d.literal("null")
	}
	switch c.kind {
	case kindString, kindNumber, kindBool:
		return d.primitive(c, first)
	case kindObject:
		return d.objectValue(c)
	case kindMap:
		return d.mapValue(c)
	case kindList:
		return d.listValue(c)
	case kindSet:
		return d.setValue(c)
	case kindTuple:
		return d.tupleValue(c)
	case kindDynamic:
		return d.dynamicValue()
	default:
		return cty.NilVal, failCapsule()
	}
}

// primitive decodes a primitive value. It converts a value of a different primitive type if
// possible, because states of early versions have such values.
func (d *jsonDecoder) primitive(c *Codec, first byte) (cty.Value, error) {
	switch {
	case first == '"':
		s, err := d.str()
		if err != nil {
			return cty.NilVal, err
		}
		switch c.kind {
		case kindString:
			return stringValue(s), nil
		case kindNumber:
			return parseNumber(s)
		}
		v, err := convert.Convert(cty.StringVal(s), cty.Bool)
		if err != nil {
			return cty.NilVal, failf("a bool is required")
		}
		return v, nil
	case first == 't' || first == 'f':
		word := "true"
		if first == 'f' {
			word = "false"
		}
		if err := d.literal(word); err != nil {
			return cty.NilVal, err
		}
		switch c.kind {
		case kindBool:
			return cty.BoolVal(first == 't'), nil
		case kindString:
			return cty.StringVal(word), nil
		}
	case first == '-' || first >= '0' && first <= '9':
		s, err := d.number()
		if err != nil {
			return cty.NilVal, err
		}
		switch c.kind {
		case kindNumber:
			return parseNumber(s)
		case kindString:
			return cty.StringVal(s), nil
		}
	case first != '{' && first != '[':
		return cty.NilVal, failJSON()
	}
	return cty.NilVal, failf("a %s is required", c.ty.FriendlyName())
}

func (d *jsonDecoder) objectValue(c *Codec) (cty.Value, error) {
	obj := c.newObject()
	next := 0
	err := d.object(func(name string) error {
		// Encoders sort the names, so name is nearly always the next name of the type.
		at := next
		if at >= len(c.names) || c.names[at] != name {
			var err error
			if at, err = c.attribute(name); err != nil {
				if d.lenient {
					return d.skip()
				}
				return err
			}
		}
		next = at + 1
		v, err := d.decode(c.items[at])
		if err != nil {
			return underAttr(c.names[at], err)
		}
		obj.set(c.names[at], v)
		return nil
	})
	if err != nil {
		return cty.NilVal, err
	}
	if d.dynamic {
		if err := obj.missing(); err != nil {
			return cty.NilVal, err
		}
	}
	obj.fill()
	return obj.value(), nil
}

func (d *jsonDecoder) mapValue(c *Codec) (cty.Value, error) {
	m := c.newMap(0)
	err := d.object(func(key string) error {
		key = normalize(key)
		v, err := d.decode(c.elem)
		if err != nil {
			return underKey(key, err)
		}
		m.set(key, v)
		return nil
	})
	if err != nil {
		return cty.NilVal, err
	}
	return m.value()
}

func (d *jsonDecoder) listValue(c *Codec) (cty.Value, error) {
	list := c.newList(0)
	err := d.array(func(i int) error {
		v, err := d.decode(c.elem)
		if err != nil {
			return underIndex(i, err)
		}
		list.add(v)
		return nil
	})
	if err != nil {
		return cty.NilVal, err
	}
	return list.value()
}

func (d *jsonDecoder) setValue(c *Codec) (cty.Value, error) {
	var elems []cty.Value
	err := d.array(func(int) error {
		v, err := d.decode(c.elem)
		elems = append(elems, v)
		return err
	})
	if err != nil {
		return cty.NilVal, inSet(err)
	}
	return c.setOf(elems)
}

func (d *jsonDecoder) tupleValue(c *Codec) (cty.Value, error) {
	elems := make([]cty.Value, 0, len(c.items))
	err := d.array(func(i int) error {
		if i >= len(c.items) {
			return failf("a tuple of %s is required, got more", diag.Count(len(c.items), "element"))
		}
		v, err := d.decode(c.items[i])
		if err != nil {
			return underIndex(i, err)
		}
		elems = append(elems, v)
		return nil
	})
	if err != nil {
		return cty.NilVal, err
	}
	if len(elems) < len(c.items) {
		return cty.NilVal, failf("a tuple of %s is required, got %d", diag.Count(len(c.items), "element"), len(elems))
	}
	return cty.TupleVal(elems), nil
}

// dynamicValue decodes a value with its type: {"value": …, "type": …}, in any order.
func (d *jsonDecoder) dynamicValue() (cty.Value, error) {
	if d.depth++; d.depth > maxDynamicDepth {
		return cty.NilVal, &failure{err: errTooDeep}
	}
	defer func() { d.depth-- }()
	var c *Codec
	value := jsonDecoder{lenient: d.lenient, dynamic: true}
	err := d.object(func(name string) error {
		d.space()
		start := d.pos
		if err := d.skip(); err != nil {
			return err
		}
		part := d.s[start:d.pos]
		switch name {
		case "type":
			var err error
			c, err = codecOfTypeJSON(part)
			return err
		case "value":
			value.s = part
			return nil
		}
		return failf("an object with the keys type and value is required: unexpected key %s", quoteName(name))
	})
	if err != nil {
		return cty.NilVal, err
	}
	if c == nil || value.s == "" {
		return cty.NilVal, failf("an object with the keys type and value is required")
	}
	value.depth = d.depth
	return value.decode(c)
}
