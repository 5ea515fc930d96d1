package configschema

import "github.com/zclconf/go-cty/cty"

// FilterT is a condition on an attribute or a block type at a path. The path has
// attribute steps only.
type FilterT[T any] func(path cty.Path, schema T) bool

// FilterReadOnlyAttribute reports whether a configuration cannot set the attribute.
func FilterReadOnlyAttribute(_ cty.Path, attribute *Attribute) bool {
	return attribute.Computed && !attribute.Optional
}

// FilterDeprecatedAttribute reports whether the attribute is deprecated.
func FilterDeprecatedAttribute(_ cty.Path, attribute *Attribute) bool { return attribute.Deprecated }

// FilterDeprecatedBlock reports whether the block type is deprecated.
func FilterDeprecatedBlock(_ cty.Path, block *NestedBlock) bool { return block.Deprecated }

// FilterOr returns a condition that is true if any of the filters is true.
func FilterOr[T any](filters ...FilterT[T]) FilterT[T] {
	return func(path cty.Path, schema T) bool {
		for _, is := range filters {
			if is(path, schema) {
				return true
			}
		}
		return false
	}
}

// Filter returns a copy of the block without the attributes and block types for
// which the filters are true, at any depth. A nil filter keeps all.
func (b *Block) Filter(filterAttribute FilterT[*Attribute], filterBlock FilterT[*NestedBlock]) *Block {
	return b.filter(nil, filterAttribute, filterBlock)
}

func (b *Block) filter(at cty.Path, filterAttribute FilterT[*Attribute], filterBlock FilterT[*NestedBlock]) *Block {
	if b == nil {
		return nil
	}
	out := *b
	out.Attributes = filterAttributes(b.Attributes, at, filterAttribute)
	out.BlockTypes = make(map[string]*NestedBlock, len(b.BlockTypes))
	for name, nested := range b.BlockTypes {
		path := child(at, cty.GetAttrStep{Name: name})
		if nested == nil || filterBlock != nil && filterBlock(path, nested) {
			continue
		}
		kept := *nested
		kept.Block = *nested.Block.filter(path, filterAttribute, filterBlock)
		out.BlockTypes[name] = &kept
	}
	return &out
}

func filterAttributes(attrs map[string]*Attribute, at cty.Path, filter FilterT[*Attribute]) map[string]*Attribute {
	out := make(map[string]*Attribute, len(attrs))
	for name, attr := range attrs {
		path := child(at, cty.GetAttrStep{Name: name})
		if attr == nil || filter != nil && filter(path, attr) {
			continue
		}
		kept := *attr
		if attr.NestedType != nil {
			object := *attr.NestedType
			object.Attributes = filterAttributes(object.Attributes, path, filter)
			kept.NestedType = &object
		}
		out[name] = &kept
	}
	return out
}
