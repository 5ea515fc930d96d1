package wire

import (
	"reflect"
	"sort"

	"github.com/zclconf/go-cty/cty"
)

// Codec converts values of one type. It is immutable and safe for concurrent use.
type Codec struct {
	ty   cty.Type
	kind kind

	// static: the type has no dynamic parts, so that all decoded values share one
	// type.
	static bool

	// elem is the codec of the elements of a collection.
	elem *Codec
	// empty is the collection without elements.
	empty cty.Value

	// items are the codecs of the attributes of an object, in the order of names, or
	// of the elements of a tuple.
	items []*Codec
	// names are the attribute names, sorted; index finds one by its name.
	names []string
	index map[string]int
	// msgpackKeys and jsonKeys are the encoded names.
	msgpackKeys []string
	jsonKeys    []string
}

type kind uint8

const (
	kindCapsule kind = iota // has no form on the wire
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

// NewCodec compiles the codec of ty. The codec of a capsule type, which the protocol
// does not have, returns an error for every value that is not null. NilType, which
// schemas may not have, counts as dynamic as in configschema.
func NewCodec(ty cty.Type) *Codec {
	if ty == cty.NilType {
		ty = cty.DynamicPseudoType
	}
	return compile(ty.WithoutOptionalAttributesDeep())
}

// What most attributes are made of is compiled once for all.
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
	c.names = make([]string, 0, len(atys))
	c.index = make(map[string]int, len(atys))
	for name := range atys {
		c.names = append(c.names, name)
	}
	sort.Strings(c.names)
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

// Null returns the null value of that type.
func (c *Codec) Null() cty.Value { return cty.NullVal(c.ty) }

// sameAttributes reports, without comparing types, that two object types are
// identical: types derived from one schema share their map of attributes.
func sameAttributes(a, b map[string]cty.Type) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}
