package configschema

import "github.com/zclconf/go-cty/cty"

// AttributeByPath is the innermost attribute that path leads to or into: for a
// path inside the value of a plain attribute it is that attribute. It is nil
// where path ends at a block or leads nowhere.
//
// Keys of maps are understood in both forms that paths have them in, index
// steps and attribute steps.
func (b *Block) AttributeByPath(path cty.Path) *Attribute {
	var found *Attribute
	b.walkPath(path, func(a *Attribute) { found = a })
	return found
}

// SensitiveAt reports whether the value at path is, is inside, or contains the
// value of a sensitive attribute, and so may not be shown.
func (b *Block) SensitiveAt(path cty.Path) bool {
	inside := false
	rest := b.walkPath(path, func(a *Attribute) { inside = inside || a.Sensitive })
	return inside || rest != nil && rest.contains(isSensitive)
}

// container is what a path may end at.
type container interface {
	contains(is func(*Attribute) bool) bool
}

// walkPath calls visit for each attribute on the way and returns what path ends
// at: a block, a nested type or an attribute; nil if it leads nowhere.
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

// skipElement drops the step that chooses an element of a collection.
func skipElement(mode NestingMode, path cty.Path) cty.Path {
	switch mode {
	case NestingList, NestingSet, NestingMap:
		if len(path) > 0 {
			return path[1:]
		}
	}
	return path
}
