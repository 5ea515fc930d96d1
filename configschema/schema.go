package configschema

import "github.com/zclconf/go-cty/cty"

// StringKind is the markup of a description.
type StringKind int

const (
	// StringPlain is text without markup.
	StringPlain StringKind = iota
	// StringMarkdown is CommonMark.
	StringMarkdown
)

// Block is the schema of an object in block syntax, such as the body of a resource, a
// provider or a nested block.
type Block struct {
	// Attributes has the arguments and exported values by name.
	Attributes map[string]*Attribute
	// BlockTypes has the nested blocks by name. A name must not be in both
	// Attributes and BlockTypes.
	BlockTypes map[string]*NestedBlock

	Description     string
	DescriptionKind StringKind

	// Deprecated makes clients warn when the block is used.
	Deprecated         bool
	DeprecationMessage string

	// Computed means, for a nested block, that the provider may choose the blocks if
	// the configuration has none. Terraform 1.16 and later support it; OpenTofu does not.
	// A provider with such blocks cannot be served, because terraform-plugin-go cannot
	// transmit Computed.
	Computed bool
}

// Attribute is the schema of one attribute. Exactly one of Type and NestedType
// is set.
type Attribute struct {
	// Type is the type constraint of the attribute.
	Type cty.Type
	// NestedType has the attributes of an object, or of the objects in a
	// collection.
	NestedType *Object

	Description     string
	DescriptionKind StringKind

	// Required excludes Optional and Computed. Optional and Computed together
	// mean that the provider chooses a value if the configuration does not set
	// one.
	Required bool
	Optional bool
	Computed bool

	// Sensitive values are not shown by clients. They are stored in the state,
	// unlike WriteOnly values.
	Sensitive bool
	// WriteOnly values exist in the configuration only; they are null in every
	// state and plan.
	WriteOnly bool

	Deprecated         bool
	DeprecationMessage string
}

// Object is the schema of a nested attribute type, and of a resource identity.
//
// In an identity, Required means required for import, Optional means optional
// for import, and Nesting is NestingSingle.
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

	// MinItems and MaxItems limit the number of blocks in a configuration; a
	// MaxItems of zero means no limit. With single nesting, both are 0 or both
	// are 1; with group and map nesting, both are 0.
	MinItems, MaxItems int
}

// NestingMode is the kind of collection that holds the objects of a nested type or block.
type NestingMode int

const (
	// NestingInvalid is the zero value, which is invalid.
	NestingInvalid NestingMode = iota
	// NestingSingle is one object, or null.
	NestingSingle
	// NestingGroup is one object that is never null. It is for blocks only.
	NestingGroup
	// NestingList is a list of objects (for blocks with dynamic types, a tuple).
	NestingList
	// NestingSet is a set of objects.
	NestingSet
	// NestingMap is a map of objects (for blocks with dynamic types, an object).
	NestingMap
)

// ContainsSensitive reports whether any attribute of the block, at any depth,
// is sensitive.
func (b *Block) ContainsSensitive() bool { return b.contains(isSensitive) }

// ContainsDeprecated reports whether any attribute of the block, at any depth,
// is deprecated.
func (b *Block) ContainsDeprecated() bool { return b.contains(isDeprecated) }

// ContainsWriteOnly reports whether any attribute of the block, at any depth,
// is write-only.
func (b *Block) ContainsWriteOnly() bool { return b.contains(isWriteOnly) }

// ContainsSensitive reports whether any attribute of the nested type, at any
// depth, is sensitive.
func (o *Object) ContainsSensitive() bool { return o.contains(isSensitive) }

// ContainsWriteOnly reports whether any attribute of the nested type, at any
// depth, is write-only.
func (o *Object) ContainsWriteOnly() bool { return o.contains(isWriteOnly) }

// ContainsComputedBlocks reports whether the block or any nested block, at any depth, is
// computed.
func (b *Block) ContainsComputedBlocks() bool {
	if b == nil {
		return false
	}
	if b.Computed {
		return true
	}
	for _, nested := range b.BlockTypes {
		if nested != nil && nested.Block.ContainsComputedBlocks() {
			return true
		}
	}
	return false
}

func isSensitive(a *Attribute) bool  { return a.Sensitive }
func isWriteOnly(a *Attribute) bool  { return a.WriteOnly }
func isDeprecated(a *Attribute) bool { return a.Deprecated }
func isDynamic(a *Attribute) bool {
	return a.NestedType == nil && a.Type != cty.NilType && a.Type.HasDynamicTypes()
}

func (b *Block) contains(is func(*Attribute) bool) bool {
	if b == nil {
		return false
	}
	for _, attr := range b.Attributes {
		if attr.contains(is) {
			return true
		}
	}
	for _, nested := range b.BlockTypes {
		if nested != nil && nested.Block.contains(is) {
			return true
		}
	}
	return false
}

func (o *Object) contains(is func(*Attribute) bool) bool {
	if o == nil {
		return false
	}
	for _, attr := range o.Attributes {
		if attr.contains(is) {
			return true
		}
	}
	return false
}

func (a *Attribute) contains(is func(*Attribute) bool) bool {
	return a != nil && (is(a) || a.NestedType.contains(is))
}
