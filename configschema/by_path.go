package configschema

import "github.com/zclconf/go-cty/cty"

// AttributeByPath returns the attribute at path. For a path inside the value of an
// attribute without a nested type, it returns that attribute. It returns nil if path
// ends at a block or at an element of a nested type, or does not exist.
//
// Map keys may be index steps or attribute steps.
func (b *Block) AttributeByPath(path cty.Path) *Attribute {
	attr, _ := b.walkPath(path, func(*Attribute) {}).(*Attribute)
	return attr
}

// NestedBlockByPath returns the block type that is at path or has an element at path. It
// returns nil if path does not end at a block type or at one of its elements.
func (b *Block) NestedBlockByPath(path cty.Path) *NestedBlock {
	for b != nil && len(path) > 0 {
		step, ok := path[0].(cty.GetAttrStep)
		if !ok || b.BlockTypes[step.Name] == nil {
			return nil
		}
		nested := b.BlockTypes[step.Name]
		if path = skipElement(nested.Nesting, path[1:]); len(path) == 0 {
			return nested
		}
		b = &nested.Block
	}
	return nil
}

// EnclosingAttribute returns the innermost attribute on path: for a path inside
// the value of an attribute, that attribute. It returns nil if no attribute is on
// path, such as for a path that ends at a block.
//
// Map keys may be index steps or attribute steps.
func (b *Block) EnclosingAttribute(path cty.Path) *Attribute {
	var found *Attribute
	b.walkPath(path, func(a *Attribute) { found = a })
	return found
}

// SensitiveAt reports whether the value at path is, is inside, or contains the
// value of a sensitive attribute, and so must not be shown.
func (b *Block) SensitiveAt(path cty.Path) bool {
	inside := false
	rest := b.walkPath(path, func(a *Attribute) { inside = inside || a.Sensitive })
	return inside || rest != nil && rest.contains(isSensitive)
}

// container is a schema element that a path may end at.
type container interface {
	contains(is func(*Attribute) bool) bool
}

// walkPath calls visit for each attribute on path and returns the element at
// its end: a block, a nested type or an attribute, or nil if path does not
// exist. For a path inside the value of an attribute without a nested type, it
// returns that attribute.
func (b *Block) walkPath(path cty.Path, visit func(*Attribute)) container {
	if b == nil {
		return nil
	}
	if len(path) == 0 {
		return b
	}
	step, ok := path[0].(cty.GetAttrStep)
	if !ok {
		return nil
	}
	if attr := b.Attributes[step.Name]; attr != nil {
		return attr.walkPath(path[1:], visit)
	}
	nested := b.BlockTypes[step.Name]
	if nested == nil {
		return nil
	}
	return nested.Block.walkPath(skipElement(nested.Nesting, path[1:]), visit)
}

func (o *Object) walkPath(path cty.Path, visit func(*Attribute)) container {
	if len(path) == 0 {
		return o
	}
	step, ok := path[0].(cty.GetAttrStep)
	if !ok {
		return nil
	}
	attr := o.Attributes[step.Name]
	if attr == nil {
		return nil
	}
	return attr.walkPath(path[1:], visit)
}

func (a *Attribute) walkPath(path cty.Path, visit func(*Attribute)) container {
	visit(a)
	if a.NestedType == nil || len(path) == 0 {
		return a
	}
	return a.NestedType.walkPath(skipElement(a.NestedType.Nesting, path), visit)
}

// skipElement removes the step to an element of a collection.
func skipElement(mode NestingMode, path cty.Path) cty.Path {
	switch mode {
	case NestingList, NestingSet, NestingMap:
		if len(path) > 0 {
			return path[1:]
		}
	}
	return path
}
