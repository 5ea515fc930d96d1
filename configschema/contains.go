package configschema

import "github.com/zclconf/go-cty/cty"

// ContainsSensitive reports whether any attribute of the block, at any depth,
// is sensitive.
func (b *Block) ContainsSensitive() bool { return b.contains(isSensitive) }

// ContainsWriteOnly reports whether any attribute of the block, at any depth,
// is write-only.
func (b *Block) ContainsWriteOnly() bool { return b.contains(isWriteOnly) }

// ContainsSensitive reports whether any attribute of the nested type, at any
// depth, is sensitive.
func (o *Object) ContainsSensitive() bool { return o.contains(isSensitive) }

// ContainsWriteOnly reports whether any attribute of the nested type, at any
// depth, is write-only.
func (o *Object) ContainsWriteOnly() bool { return o.contains(isWriteOnly) }

func isSensitive(a *Attribute) bool { return a.Sensitive }
func isWriteOnly(a *Attribute) bool { return a.WriteOnly }
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
