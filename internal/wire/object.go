package wire

import "github.com/zclconf/go-cty/cty"

// Object puts a known object of a codec's type together, attribute by attribute.
// It is [cty.ObjectVal] for who knows the type already, at a fraction of the
// cost. Every attribute must be set, to a value of just its type.
type Object struct{ builder objectBuilder }

// NewObject begins an object of the codec's type, which must be an object type.
func (c *Codec) NewObject() Object { return Object{c.newObject()} }

// Set sets an attribute.
func (o Object) Set(name string, v cty.Value) { o.builder.set(name, v) }

// Value is the object. Nothing may be set afterwards.
func (o Object) Value() cty.Value { return o.builder.value() }

// Attribute is object.GetAttr for the i-th attribute in the order of names, of
// a known object of the codec's type.
func (c *Codec) Attribute(object cty.Value, i int) cty.Value {
	if direct && c.static {
		if raw, ok := content(object).(map[string]any); ok {
			return compose(c.items[i].ty, raw[c.names[i]])
		}
	}
	return object.GetAttr(c.names[i])
}
