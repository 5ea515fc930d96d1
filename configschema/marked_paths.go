package configschema

import (
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// SensitivePaths returns the paths in val, below basePath, of the sensitive
// attributes of the block, including those that are null. It does not descend into
// a sensitive attribute, nor into null and unknown values.
func (b *Block) SensitivePaths(val cty.Value, basePath cty.Path) []cty.Path {
	return b.pathsOf(isSensitive, val, basePath, nil)
}

// WriteOnlyPaths returns the paths in val, below basePath, of the write-only
// attributes of the block, as [Block.SensitivePaths] does.
func (b *Block) WriteOnlyPaths(val cty.Value, basePath cty.Path) []cty.Path {
	return b.pathsOf(isWriteOnly, val, basePath, nil)
}

// DeprecatedPaths returns the paths in val, below basePath, of the deprecated
// attributes of the block, as [Block.SensitivePaths] does.
func (b *Block) DeprecatedPaths(val cty.Value, basePath cty.Path) []cty.Path {
	return b.pathsOf(isDeprecated, val, basePath, nil)
}

// SensitivePaths returns the paths in val, a value of the nested type, of its
// sensitive attributes, as [Block.SensitivePaths] does.
func (o *Object) SensitivePaths(val cty.Value, basePath cty.Path) []cty.Path {
	return o.pathsOf(isSensitive, val, basePath, nil)
}

// WriteOnlyPaths returns the paths in val, a value of the nested type, of its
// write-only attributes, as [Block.SensitivePaths] does.
func (o *Object) WriteOnlyPaths(val cty.Value, basePath cty.Path) []cty.Path {
	return o.pathsOf(isWriteOnly, val, basePath, nil)
}

// WriteOnlyValues yields the write-only attributes in val that are not null, with their paths.
// The type of val may differ from that of the schema.
func (b *Block) WriteOnlyValues(val cty.Value) iter.Seq2[cty.Path, cty.Value] {
	return func(yield func(cty.Path, cty.Value) bool) {
		if val == cty.NilVal || !b.ContainsWriteOnly() {
			return
		}
		_ = cty.Walk(val, func(path cty.Path, v cty.Value) (bool, error) {
			attr := b.EnclosingAttribute(path)
			if attr == nil || !attr.WriteOnly {
				return true, nil
			}
			if !v.IsNull() && !yield(path.Copy(), v) {
				return false, io.EOF // ends the walk
			}
			return false, nil
		})
	}
}

func (b *Block) pathsOf(is func(*Attribute) bool, val cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	val, _ = val.Unmark()
	if !b.contains(is) || !hasElements(val) {
		return found
	}
	found = attributePaths(b.Attributes, is, val, at, found)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		if nested == nil || !nested.Block.contains(is) || !val.Type().HasAttribute(name) {
			continue
		}
		forElements(nested.Nesting, val.GetAttr(name), child(at, cty.GetAttrStep{Name: name}), func(object cty.Value, at cty.Path) {
			found = nested.Block.pathsOf(is, object, at, found)
		})
	}
	return found
}

func (o *Object) pathsOf(is func(*Attribute) bool, val cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	if !o.contains(is) {
		return found
	}
	forElements(o.Nesting, val, at, func(object cty.Value, at cty.Path) {
		if object, _ = object.Unmark(); hasElements(object) {
			found = attributePaths(o.Attributes, is, object, at, found)
		}
	})
	return found
}

func attributePaths(attrs map[string]*Attribute, is func(*Attribute) bool, object cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr := attrs[name]
		if !attr.contains(is) || !object.Type().HasAttribute(name) {
			continue
		}
		path := child(at, cty.GetAttrStep{Name: name})
		if is(attr) {
			found = append(found, path)
		} else {
			found = attr.NestedType.pathsOf(is, object.GetAttr(name), path, found)
		}
	}
	return found
}

// forElements calls visit for each object of a nested type or block.
func forElements(mode NestingMode, val cty.Value, at cty.Path, visit func(object cty.Value, at cty.Path)) {
	val, _ = val.Unmark()
	switch mode {
	case NestingSingle, NestingGroup:
		visit(val, at)
	case NestingList, NestingSet, NestingMap:
		if !hasElements(val) || !val.CanIterateElements() {
			return
		}
		for key, object := range val.Elements() {
			step := cty.PathStep(cty.IndexStep{Key: key})
			if val.Type().IsObjectType() { // a map of blocks with dynamic types
				step = cty.GetAttrStep{Name: key.AsString()}
			}
			visit(object, child(at, step))
		}
	}
}

// hasElements reports whether val is known and not null.
func hasElements(val cty.Value) bool { return val != cty.NilVal && val.IsKnown() && !val.IsNull() }

// child returns a new path with one more step.
func child(path cty.Path, step cty.PathStep) cty.Path {
	return append(slices.Clip(slices.Clone(path)), step)
}
