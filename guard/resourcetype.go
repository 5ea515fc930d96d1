package guard

import (
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// resourceType is the guard's information about one type of any family, derived once from
// its schema.
type resourceType struct {
	// name is the type name of a managed resource, or the start of an address, such
	// as "data.type", for other types. It is empty for the configuration of the provider.
	name   string
	schema *configschema.Block
	state  shape
	// identity is nil if the type has none.
	identity *identityType

	// valid means that the schema is valid. Otherwise prepare, which sets state and identity, is not called.
	valid          bool
	identitySchema *configschema.Object
	prepared       sync.Once

	// mutable means that the identity of an object may change.
	mutable bool
	// aliases is nil if each object has one identity.
	aliases SameIdentity
	// moves means that the provider declares support for moves.
	moves bool
	// schemaErrors explain why the schema is invalid; in that case values are not checked.
	schemaErrors diag.Diagnostics
}

// types are the types of one family by name.
type types map[string]*resourceType

// of returns the type with the name, or nil. It prepares a type on first use, because a
// process uses only a few types.
func (ts types) of(name string) *resourceType {
	t := ts[name]
	if t != nil && t.valid {
		t.prepared.Do(t.prepare)
	}
	return t
}

// undeclared returns a type that the schema of the provider does not have. Only the
// rules that need no schema are checked for it.
func undeclared(name string) *resourceType {
	return &resourceType{name: name, state: shape{ty: cty.DynamicPseudoType}}
}

func (t *resourceType) prepare() {
	t.state = newShape(t.schema.ImpliedType(), blockNode(t.schema))
	if t.identitySchema != nil {
		t.identity = newIdentityType(t.identitySchema)
	}
}

// identityType is the identity of a resource type.
type identityType struct {
	value    shape
	names    []string // of the attributes, sorted
	required []string // for import
}

// shape is a type that values must conform to, with precomputed data for checking many
// values.
type shape struct {
	ty cty.Type
	// dynamic means that ty has dynamic parts.
	dynamic bool
	root    *node
}

func newIdentityType(schema *configschema.Object) *identityType {
	t := &identityType{value: newShape(schema.ImpliedType(), attributesNode(schema.Attributes))}
	for _, f := range t.value.root.fields {
		t.names = append(t.names, f.name)
		if schema.Attributes[f.name].Required {
			t.required = append(t.required, f.name)
		}
	}
	return t
}

func newShape(ty cty.Type, root *node) shape {
	return shape{ty: ty, dynamic: ty.HasDynamicTypes(), root: root}
}

// node is one place of a shape.
type node struct {
	kind nodeKind
	// writeOnly means that the attribute is write-only.
	writeOnly bool
	// holdsWriteOnly means that the attribute, or one inside it, is write-only.
	holdsWriteOnly bool
	fields         []field // of an object: attributes, then blocks, each sorted by name
	elem           *node   // of a list, set or map
}

type field struct {
	name string
	*node
}

type nodeKind int

const (
	leaf     nodeKind = iota
	object            // has fields
	sequence          // a list, or a tuple if the elements are dynamic
	set
	mapping  // a map, or an object if the elements are dynamic
	anything // a dynamic type, or a tuple
)

func blockNode(b *configschema.Block) *node {
	n := attributesNode(b.Attributes)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		n.addField(name, collectionNode(nested.Nesting, blockNode(&nested.Block)))
	}
	return n
}

func attributesNode(attrs map[string]*configschema.Attribute) *node {
	n := &node{kind: object}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		n.addField(name, attributeNode(attrs[name]))
	}
	return n
}

func attributeNode(a *configschema.Attribute) *node {
	var n *node
	if a.NestedType != nil {
		n = collectionNode(a.NestedType.Nesting, attributesNode(a.NestedType.Attributes))
	} else {
		n = typeNode(a.Type)
	}
	n.writeOnly = a.WriteOnly
	n.holdsWriteOnly = n.holdsWriteOnly || a.WriteOnly
	return n
}

// collectionNode returns the node of a nested type or block whose elements have the node elem.
func collectionNode(mode configschema.NestingMode, elem *node) *node {
	var n *node
	switch mode {
	case configschema.NestingList:
		n = &node{kind: sequence, elem: elem}
	case configschema.NestingSet:
		n = &node{kind: set, elem: elem}
	case configschema.NestingMap:
		n = &node{kind: mapping, elem: elem}
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
		return &node{kind: mapping, elem: typeNode(ty.ElementType())}
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
