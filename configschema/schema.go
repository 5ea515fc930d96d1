package configschema

import "github.com/zclconf/go-cty/cty"

// StringKind says how a description is to be read.
type StringKind int

const (
	// StringPlain is text without markup; it is the zero value.
	StringPlain StringKind = iota
	// StringMarkdown is CommonMark.
	StringMarkdown
)

// Block is the schema of one object that is written with block syntax: the body
// of a resource, of a provider, or of a nested block.
type Block struct {
	// Attributes are the arguments and exported values, by name.
	Attributes map[string]*Attribute
	// BlockTypes are the nested blocks, by name. A name may not be in both maps.
	BlockTypes map[string]*NestedBlock

	Description     string
	DescriptionKind StringKind

	// Deprecated makes clients warn wherever the block is used.
	Deprecated         bool
	DeprecationMessage string
}

// Attribute is the schema of one attribute. Exactly one of Type and NestedType
// is set.
type Attribute struct {
	// Type is the type constraint of the attribute.
	Type cty.Type
	// NestedType gives the attributes of an object, or of the objects in a
	// collection, each with behaviour of its own.
	NestedType *Object

	Description     string
	DescriptionKind StringKind

	// Required, Optional and Computed: Required stands alone, Optional and
	// Computed may stand together (the provider chooses where the configuration
	// is silent).
	Required bool
	Optional bool
	Computed bool

	// Sensitive values are never shown by clients. It does not keep a value out
	// of state: that is WriteOnly.
	Sensitive bool
	// WriteOnly values come with the configuration only; they are null in every
	// state and plan.
	WriteOnly bool

	Deprecated         bool
	DeprecationMessage string
}

// Object is the schema of a nested attribute type, and of a resource identity.
//
// For an identity, Required means "required for import" and Optional means
// "optional for import"; Nesting is NestingSingle.
type Object struct {
	Attributes map[string]*Attribute
	Nesting    NestingMode

	Description     string
	DescriptionKind StringKind
}

// NestedBlock is a block type inside a block.
type NestedBlock struct {
	Block

	Nesting NestingMode

	// MinItems and MaxItems bound how many blocks a configuration may have; a
	// MaxItems of zero is no bound. Only list and set nesting use them freely;
	// single nesting has them both 0 or both 1.
	MinItems, MaxItems int
}

// NestingMode says how the objects of a nested type or block are held.
type NestingMode int

const (
	// NestingInvalid is the zero value and never lawful.
	NestingInvalid NestingMode = iota
	// NestingSingle is one object, or null.
	NestingSingle
	// NestingGroup is one object, never null; for blocks only.
	NestingGroup
	// NestingList is a list of objects (a tuple where types are dynamic).
	NestingList
	// NestingSet is a set of objects.
	NestingSet
	// NestingMap is a map of objects (an object where types are dynamic).
	NestingMap
)
