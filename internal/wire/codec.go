package wire

import (
	"bytes"
	"reflect"
	"sync"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Codec converts values of one type. It is immutable and safe for concurrent use.
type Codec struct {
	ty   cty.Type
	kind kind

	// static means that the type has no dynamic parts, so that all decoded values
	// share one type.
	static bool

	// elem is the codec of the elements of a collection.
	elem *Codec
	// empty is the collection without elements.
	empty cty.Value

	// items are the codecs of the attributes of an object, in the order of names, or
	// of the elements of a tuple.
	items []*Codec
	// names are the sorted attribute names, and index has their positions in names.
	names []string
	index map[string]int
	// msgpackKeys and jsonKeys are the encoded names. A JSON key ends with its colon.
	msgpackKeys []string
	jsonKeys    []string
}

type kind uint8

const (
	kindCapsule kind = iota // not supported by the protocol
	kindString
	kindNumber
	kindBool
	kindDynamic
	kindList
	kindSet
	kindMap
	kindTuple
	kindObject
)

// NewCodec returns the codec of ty. The codec of a capsule type, which the protocol
// does not support, returns an error for every known value that is not null. NilType, which
// schemas must not have, is treated as dynamic, as in configschema.
func NewCodec(ty cty.Type) *Codec {
	if ty == cty.NilType {
		ty = cty.DynamicPseudoType
	}
	return compile(ty.WithoutOptionalAttributesDeep())
}

// Most attributes have one of these types, whose codecs are shared.
var (
	stringCodec = &Codec{ty: cty.String, kind: kindString, static: true}
	numberCodec = &Codec{ty: cty.Number, kind: kindNumber, static: true}
	boolCodec   = &Codec{ty: cty.Bool, kind: kindBool, static: true}
	anyCodec    = &Codec{ty: cty.DynamicPseudoType, kind: kindDynamic}
)

func compile(ty cty.Type) *Codec {
	switch ty {
	case cty.String:
		return stringCodec
	case cty.Number:
		return numberCodec
	case cty.Bool:
		return boolCodec
	case cty.DynamicPseudoType:
		return anyCodec
	}
	c := &Codec{ty: ty, static: true}
	switch {
	case ty.IsListType():
		c.kind, c.empty = kindList, cty.ListValEmpty(ty.ElementType())
	case ty.IsSetType():
		c.kind, c.empty = kindSet, cty.SetValEmpty(ty.ElementType())
	case ty.IsMapType():
		c.kind, c.empty = kindMap, cty.MapValEmpty(ty.ElementType())
	case ty.IsTupleType():
		c.kind = kindTuple
		for _, ety := range ty.TupleElementTypes() {
			c.addItem(ety)
		}
	case ty.IsObjectType():
		c.compileObject()
	default:
		c.kind = kindCapsule
	}
	if ty.IsCollectionType() {
		c.elem = compile(ty.ElementType())
		c.static = c.elem.static
	}
	return c
}

func (c *Codec) compileObject() {
	atys := c.ty.AttributeTypes()
	c.kind = kindObject
	c.names = sortedKeys(atys)
	c.index = make(map[string]int, len(atys))
	c.items = make([]*Codec, 0, len(atys))
	c.msgpackKeys, c.jsonKeys = make([]string, len(atys)), make([]string, len(atys))
	var msgpack, json []byte
	for i, name := range c.names {
		c.addItem(atys[name])
		c.index[name] = i
		msgpack = appendMsgpackString(msgpack[:0], name)
		json = append(appendJSONString(json[:0], name), ':')
		c.msgpackKeys[i], c.jsonKeys[i] = string(msgpack), string(json)
	}
}

func (c *Codec) addItem(ty cty.Type) {
	item := compile(ty)
	c.items = append(c.items, item)
	c.static = c.static && item.static
}

// Type returns the type that c was compiled for.
func (c *Codec) Type() cty.Type { return c.ty }

// Null returns the null value of the type that c was compiled for.
func (c *Codec) Null() cty.Value { return cty.NullVal(c.ty) }

// sameAttributes reports whether two object types share their map of attributes, as
// types derived from one schema do. Such types are identical.
func sameAttributes(a, b map[string]cty.Type) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// scratch has buffers for encoding, so that the result is allocated once in its final
// size. Large buffers are not reused.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 1 << 20

// DecodeDynamic decodes a value of the protocol. It decodes nil and an empty value as
// a typed null, and prefers msgpack to JSON if both are set. The errors are those of
// [Codec.DecodeMsgpack] and [Codec.DecodeJSON].
func (c *Codec) DecodeDynamic(dv *tfplugin.DynamicValue) (cty.Value, error) {
	switch {
	case dv == nil:
	case len(dv.MsgPack) > 0:
		return c.DecodeMsgpack(dv.MsgPack)
	case len(dv.JSON) > 0:
		return c.DecodeJSON(dv.JSON)
	}
	return c.Null(), nil
}

// EncodeDynamic encodes a value for the protocol, as msgpack. For [cty.NilVal] it
// returns nil. The errors are those of [Codec.AppendMsgpack].
func (c *Codec) EncodeDynamic(v cty.Value) (*tfplugin.DynamicValue, error) {
	if v == cty.NilVal {
		return nil, nil
	}
	buf := scratch.Get().(*[]byte)
	out, err := c.AppendMsgpack((*buf)[:0], v)
	if cap(out) <= maxScratch {
		*buf = out
		defer scratch.Put(buf)
	}
	if err != nil {
		return nil, err
	}
	if cap(out) > maxScratch {
		return &tfplugin.DynamicValue{MsgPack: out}, nil
	}
	return &tfplugin.DynamicValue{MsgPack: bytes.Clone(out)}, nil
}

// Object builds a known object of the type of a codec. It builds the same value as
// [cty.ObjectVal] at a fraction of the cost. Every attribute must be set to a value of
// exactly its type.
type Object struct{ builder objectBuilder }

// NewObject returns a builder for an object of the codec's type, which must be an
// object type.
func (c *Codec) NewObject() Object { return Object{c.newObject()} }

// Set sets the named attribute.
func (o Object) Set(name string, v cty.Value) { o.builder.set(name, v) }

// Value returns the object. Set must not be called afterwards.
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

// Strings returns a map of known strings as a Go map. The result ok is false for any other
// value, and if go-cty does not have the expected representation.
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

// SameStrings reports whether a known map of strings equals m. The result ok is false only
// if the result ok of [Strings] is false too.
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
