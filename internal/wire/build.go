package wire

import (
	"github.com/zclconf/go-cty/cty"
)

// The builders collect the parts of a decoded value. If the type is known in
// advance, they fill the representation of go-cty. Otherwise, and without direct access,
// go-cty derives the type from the parts.

// attribute returns the index of the attribute with a name from encoded data, or an error if there
// is none. The name need not be normalised.
func (c *Codec) attribute(name string) (int, error) {
	if i, ok := c.index[name]; ok {
		return i, nil
	}
	if i, ok := c.index[normalize(name)]; ok {
		return i, nil
	}
	return 0, failf("unsupported attribute %s", quoteName(name))
}

// objectBuilder collects the attributes of an object.
type objectBuilder struct{ mapBuilder }

func (c *Codec) newObject() objectBuilder { return objectBuilder{c.newMap(len(c.names))} }

func (o objectBuilder) has(name string) bool {
	if o.raw != nil {
		_, ok := o.raw[name]
		return ok
	}
	_, ok := o.vals[name]
	return ok
}

// fill sets the missing attributes to null.
func (o objectBuilder) fill() {
	if len(o.raw)+len(o.vals) == len(o.codec.names) {
		return
	}
	for i, name := range o.codec.names {
		if !o.has(name) {
			o.set(name, o.codec.items[i].Null())
		}
	}
}

// missing returns an error with the first missing attribute, or nil if none is missing.
func (o objectBuilder) missing() error {
	for _, name := range o.codec.names {
		if !o.has(name) {
			return failf("attribute %s is missing", quoteName(name))
		}
	}
	return nil
}

func (o objectBuilder) value() cty.Value {
	if o.raw != nil {
		return compose(o.codec.ty, o.raw)
	}
	return cty.ObjectVal(o.vals)
}

type mapBuilder struct {
	codec *Codec
	raw   map[string]any
	vals  map[string]cty.Value
}

func (c *Codec) newMap(size int) mapBuilder {
	if direct && c.static {
		return mapBuilder{codec: c, raw: make(map[string]any, size)}
	}
	return mapBuilder{codec: c, vals: make(map[string]cty.Value, size)}
}

func (m mapBuilder) set(key string, v cty.Value) {
	if m.raw != nil {
		m.raw[key] = content(v)
		return
	}
	m.vals[key] = v
}

func (m mapBuilder) value() (cty.Value, error) {
	switch {
	case m.raw != nil:
		return compose(m.codec.ty, m.raw), nil
	case len(m.vals) == 0:
		return m.codec.empty, nil
	case !cty.CanMapVal(m.vals):
		return cty.NilVal, failMixed("map")
	}
	return cty.MapVal(m.vals), nil
}

type listBuilder struct {
	codec *Codec
	raw   []any
	vals  []cty.Value
}

func (c *Codec) newList(size int) listBuilder {
	if direct && c.static {
		return listBuilder{codec: c, raw: make([]any, 0, size)}
	}
	return listBuilder{codec: c, vals: make([]cty.Value, 0, size)}
}

func (l *listBuilder) add(v cty.Value) {
	if l.raw != nil {
		l.raw = append(l.raw, content(v))
		return
	}
	l.vals = append(l.vals, v)
}

func (l *listBuilder) value() (cty.Value, error) {
	switch {
	case l.raw != nil:
		return compose(l.codec.ty, l.raw), nil
	case len(l.vals) == 0:
		return l.codec.empty, nil
	case !cty.CanListVal(l.vals):
		return cty.NilVal, failMixed("list")
	}
	return cty.ListVal(l.vals), nil
}

// setOf returns the set of elems, or an error if their types differ.
func (c *Codec) setOf(elems []cty.Value) (cty.Value, error) {
	switch {
	case len(elems) == 0:
		return c.empty, nil
	case !c.static && !cty.CanSetVal(elems):
		return cty.NilVal, failMixed("set")
	}
	if c.static {
		set := cty.NewValueSet(c.elem.ty)
		for _, v := range elems {
			set.Add(v)
		}
		return cty.SetValFromValueSet(set), nil
	}
	return cty.SetVal(elems), nil
}

func failMixed(what string) error {
	return failf("the elements of the %s have different types", what)
}
