package guard

import (
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// flaws are the results of one walk over a value. A second walk, only over a wrong
// value, finds their places.
type flaws uint8

const (
	// holdsUnknown: some part is unknown.
	holdsUnknown flaws = 1 << iota
	// holdsWriteOnly: a write-only attribute is not null.
	holdsWriteOnly
	// holdsMark: some part has a mark, which cannot be sent.
	holdsMark
)

// flawsOf returns the flaws of a value of the type of the shape.
func (s *shape) flawsOf(v cty.Value) flaws { return s.root.flawsOf(v, false) }

// flawsInPlan is flawsOf for a value that may be unknown in part: it reads only the
// parts with write-only attributes.
func (s *shape) flawsInPlan(v cty.Value) flaws { return s.root.flawsOf(v, true) }

// flawsOf returns the flaws of a value of the type of the node; for other types the
// result is undefined. With writeOnlyParts it skips parts without write-only
// attributes, and unknown values are not a flaw.
//
// It visits each part once. It allocates for sets, and for maps with new keys:
// cty has no other way to read these.
func (n *node) flawsOf(v cty.Value, writeOnlyParts bool) flaws {
	if n.writeOnly {
		if v.IsNull() {
			return 0
		}
		return holdsWriteOnly
	}
	if writeOnlyParts && !n.holdsWriteOnly {
		return 0
	}
	if v.IsMarked() {
		return holdsMark
	}
	if !v.IsKnown() {
		if writeOnlyParts {
			return 0
		}
		return holdsUnknown
	}
	if n.kind == leaf || v.IsNull() {
		return 0
	}
	var found flaws
	switch n.kind {
	case object:
		for i := range n.fields {
			f := &n.fields[i]
			found |= f.flawsOf(v.GetAttr(f.name), writeOnlyParts)
		}
	case sequence:
		if ty := v.Type(); ty.IsListType() || ty.IsTupleType() {
			for i := range v.LengthInt() {
				if i < len(indexes) {
					found |= n.elem.flawsOf(v.Index(indexes[i]), writeOnlyParts)
				} else {
					found |= n.elem.flawsOf(v.Index(cty.NumberIntVal(int64(i))), writeOnlyParts)
				}
			}
		} else if !v.IsWhollyKnown() {
			found |= holdsUnknown
		}
	case set:
		if v.LengthInt() == 0 {
			return 0
		}
		for _, elem := range wire.Elements(v) {
			found |= n.elem.flawsOf(elem, writeOnlyParts)
		}
	case mapping:
		switch ty := v.Type(); {
		case ty.IsMapType():
			for _, key := range n.keys.of(v) {
				found |= n.elem.flawsOf(v.Index(key), writeOnlyParts)
			}
		case ty.IsObjectType():
			for name := range ty.AttributeTypes() {
				found |= n.elem.flawsOf(v.GetAttr(name), writeOnlyParts)
			}
		case !v.IsWhollyKnown():
			found |= holdsUnknown
		}
	case anything:
		if !v.IsWhollyKnown() {
			found |= holdsUnknown
		}
	}
	if writeOnlyParts {
		found &^= holdsUnknown
	}
	return found
}

// indexes are the keys of the first elements of a list, created once because each is a big
// number.
var indexes = func() (keys [64]cty.Value) {
	for i := range keys {
		keys[i] = cty.NumberIntVal(int64(i))
	}
	return keys
}()

// keyCache has the keys of the last map read in one place of a schema. cty copies and sorts
// the keys of a map on each access, which takes longer than reading the elements; maps in
// one place, such as tags, usually have the same keys.
type keyCache struct{ last atomic.Pointer[[]cty.Value] }

// maxCachedKeys limits the keys in a cache.
const maxCachedKeys = 512

// of returns the keys of m, in any order. The slice is shared.
func (c *keyCache) of(m cty.Value) []cty.Value {
	n := m.LengthInt()
	if n == 0 {
		return nil
	}
	if last := c.last.Load(); last != nil && len(*last) == n && hasAll(m, *last) {
		return *last
	}
	keys := make([]cty.Value, 0, n)
	for it := m.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		keys = append(keys, key)
	}
	if n <= maxCachedKeys {
		c.last.Store(&keys)
	}
	return keys
}

func hasAll(m cty.Value, keys []cty.Value) bool {
	for _, key := range keys {
		if m.HasIndex(key) != cty.True { // the method True takes five times as long
			return false
		}
	}
	return true
}
