package guard

import (
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// resourceType is what the guard knows about one type of any family, derived
// once from its schema.
type resourceType struct {
	// name is what messages call it: the type name of a managed resource, the
	// beginning of an address such as "data.type" for all others.
	name   string
	schema *configschema.Block
	state  shape
	// identity is nil for a type without one.
	identity *identityType

	// state and identity are there once prepare has run, for types with a lawful
	// schema. All that is judged of a schema is judged before.
	lawful         bool
	identitySchema *configschema.Object
	prepared       sync.Once

	// mutable: the identity of an object may change.
	mutable bool
	// moves: the provider says that it answers moves.
	moves bool
	// unlawful is why the schema cannot be used; values are then not judged.
	unlawful diag.Diagnostics
}

// types are the types of one family by name.
type types map[string]*resourceType

// of is the type of a name, prepared for its answers; nil if there is none. Of a
// thousand types a run uses a few, so that they are prepared here.
func (ts types) of(name string) *resourceType {
	t := ts[name]
	if t != nil && t.lawful {
		t.prepared.Do(t.prepare)
	}
	return t
}

func (t *resourceType) prepare() {
	t.state = blockShape(t.schema)
	if t.identitySchema != nil {
		t.identity = newIdentityType(t.identitySchema)
	}
}

// identityType is the identity of a resource type.
type identityType struct {
	value    shape
	names    []string // of the attributes, sorted
	required []string // those without which an object cannot be imported
}

// shape is a type to which values have to conform, prepared for looking at many
// of them.
type shape struct {
	ty cty.Type
	// dynamic: parts of the type are left to the value.
	dynamic bool
	root    *node
}

func newIdentityType(schema *configschema.Object) *identityType {
	t := &identityType{value: objectShape(schema)}
	for _, f := range t.value.root.fields {
		t.names = append(t.names, f.name)
		if schema.Attributes[f.name].Required {
			t.required = append(t.required, f.name)
		}
	}
	return t
}

func blockShape(b *configschema.Block) shape {
	ty := b.ImpliedType()
	return shape{ty: ty, dynamic: ty.HasDynamicTypes(), root: blockNode(b)}
}

func objectShape(o *configschema.Object) shape {
	ty := o.ImpliedType()
	return shape{ty: ty, dynamic: ty.HasDynamicTypes(), root: objectNode(o)}
}

func typeShape(ty cty.Type) shape {
	return shape{ty: ty, dynamic: ty.HasDynamicTypes(), root: typeNode(ty)}
}

// node is one place of a shape.
type node struct {
	kind nodeKind
	// writeOnly: the value here must be null.
	writeOnly bool
	// holdsWriteOnly: so must one here or further inside.
	holdsWriteOnly bool
	fields         []field   // of an object, sorted by name
	elem           *node     // of a list, set or map
	keys           *keyCache // of a map
}

type field struct {
	name string
	*node
}

type nodeKind int

const (
	leaf     nodeKind = iota // nothing inside
	object                   // fields
	sequence                 // a list, or the tuple that takes its place
	set
	mapping  // a map, or the object that takes its place
	anything // left to the value
)

func blockNode(b *configschema.Block) *node {
	n := &node{kind: object}
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		n.addField(name, attributeNode(b.Attributes[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		n.addField(name, collectionNode(nested.Nesting, blockNode(&nested.Block)))
	}
	return n
}

func objectNode(o *configschema.Object) *node {
	n := &node{kind: object}
	for _, name := range slices.Sorted(maps.Keys(o.Attributes)) {
		n.addField(name, attributeNode(o.Attributes[name]))
	}
	return n
}

func attributeNode(a *configschema.Attribute) *node {
	var n *node
	if a.NestedType != nil {
		n = collectionNode(a.NestedType.Nesting, objectNode(a.NestedType))
	} else {
		n = typeNode(a.Type)
	}
	n.writeOnly = a.WriteOnly
	n.holdsWriteOnly = n.holdsWriteOnly || a.WriteOnly
	return n
}

// collectionNode is where the objects of a nested type or block are.
func collectionNode(mode configschema.NestingMode, elem *node) *node {
	var n *node
	switch mode {
	case configschema.NestingList:
		n = &node{kind: sequence, elem: elem}
	case configschema.NestingSet:
		n = &node{kind: set, elem: elem}
	case configschema.NestingMap:
		n = &node{kind: mapping, elem: elem, keys: new(keyCache)}
	default:
		return elem
	}
	n.holdsWriteOnly = elem.holdsWriteOnly
	return n
}

func typeNode(ty cty.Type) *node {
	switch {
	case ty.IsListType():
		return &node{kind: sequence, elem: typeNode(ty.ElementType())}
	case ty.IsSetType():
		return &node{kind: set, elem: typeNode(ty.ElementType())}
	case ty.IsMapType():
		return &node{kind: mapping, elem: typeNode(ty.ElementType()), keys: new(keyCache)}
	case ty.IsObjectType():
		n := &node{kind: object}
		types := ty.AttributeTypes()
		for _, name := range slices.Sorted(maps.Keys(types)) {
			n.addField(name, typeNode(types[name]))
		}
		return n
	case ty.IsPrimitiveType(), ty.IsCapsuleType():
		return &node{kind: leaf}
	default:
		return &node{kind: anything}
	}
}

func (n *node) addField(name string, f *node) {
	n.fields = append(n.fields, field{name: name, node: f})
	n.holdsWriteOnly = n.holdsWriteOnly || f.holdsWriteOnly
}
