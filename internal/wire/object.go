package wire

import "github.com/zclconf/go-cty/cty"

// Object builds a known object of the type of a codec. It is [cty.ObjectVal] for a
// known type, at a fraction of the cost. Every attribute must be set, to a value of
// exactly its type.
type Object struct{ builder objectBuilder }

// NewObject returns a builder for an object of the codec's type, which must be an
// object type.
func (c *Codec) NewObject() Object { return Object{c.newObject()} }

// Set sets an attribute.
func (o Object) Set(name string, v cty.Value) { o.builder.set(name, v) }

// Value returns the object. Nothing may be set afterwards.
func (o Object) Value() cty.Value { return o.builder.value() }

// Attribute returns the i-th attribute, in the order of names, of a known object of
// the codec's type.
func (c *Codec) Attribute(object cty.Value, i int) cty.Value {
	if direct && c.static {
		if raw, ok := content(object).(map[string]any); ok {
			return compose(c.items[i].ty, raw[c.names[i]])
		}
	}
	return object.GetAttr(c.names[i])
}

// Strings returns a known map of strings as a Go map. It is not ok if an element is
// null or unknown, or if only the accessors of go-cty can tell.
func Strings(v cty.Value) (m map[string]string, ok bool) {
	raw, ok := rawMap(v)
	if !ok {
		return nil, false
	}
	m = make(map[string]string, len(raw))
	for key, elem := range raw {
		if m[key], ok = elem.(string); !ok {
			return nil, false
		}
	}
	return m, true
}

// SameStrings reports whether a known map of strings equals m. It is not ok as for
// [Strings].
func SameStrings(v cty.Value, m map[string]string) (same, ok bool) {
	raw, ok := rawMap(v)
	if !ok || len(raw) != len(m) {
		return false, ok
	}
	for key, elem := range raw {
		s, ok := elem.(string)
		if !ok {
			return false, false
		}
		if other, found := m[key]; !found || other != s {
			return false, true
		}
	}
	return true, true
}

func rawMap(v cty.Value) (map[string]any, bool) {
	if !direct || !v.Type().IsMapType() {
		return nil, false
	}
	raw, ok := content(v).(map[string]any)
	return raw, ok
}
