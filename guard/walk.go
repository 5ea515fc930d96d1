package guard

import (
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// flaws is what one walk over a value finds. Where they are is found by a second
// walk, which only a wrong value gets.
type flaws uint8

const (
	// holdsUnknown: some part is unknown.
	holdsUnknown flaws = 1 << iota
	// holdsSecret: a write-only attribute is not null.
	holdsSecret
	// holdsMark: some part has a mark, which cannot be sent.
	holdsMark
)

// flawsOf looks at a whole value of the shape's type.
func (s *shape) flawsOf(v cty.Value) flaws { return s.root.flawsOf(v, false) }

// flawsInPlan looks only where write-only attributes are, for values that may be
// unknown in part.
func (s *shape) flawsInPlan(v cty.Value) flaws { return s.root.flawsOf(v, true) }

// flawsOf of a value with another type than the node's is undefined, except
// where the type is dynamic. With secretsOnly, parts without write-only
// attributes are skipped and unknown values are no flaw.
//
// It visits each part once and allocates for sets and for maps with new keys
// only: that is where cty gives no other way to look inside.
func (n *node) flawsOf(v cty.Value, secretsOnly bool) flaws {
	if n.writeOnly {
		if v.IsNull() {
			return 0
		}
		return holdsSecret
	}
	if secretsOnly && !n.holdsWriteOnly {
		return 0
	}
	if v.IsMarked() {
		return holdsMark
	}
	if !v.IsKnown() {
		if secretsOnly {
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
			found |= f.flawsOf(v.GetAttr(f.name), secretsOnly)
		}
	case sequence:
		if ty := v.Type(); ty.IsListType() || ty.IsTupleType() {
			for i := range v.LengthInt() {
				if i < len(indexes) {
					found |= n.elem.flawsOf(v.Index(indexes[i]), secretsOnly)
				} else {
					found |= n.elem.flawsOf(v.Index(cty.NumberIntVal(int64(i))), secretsOnly)
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
			found |= n.elem.flawsOf(elem, secretsOnly)
		}
	case mapping:
		switch ty := v.Type(); {
		case ty.IsMapType():
			for _, key := range n.keys.of(v) {
				found |= n.elem.flawsOf(v.Index(key), secretsOnly)
			}
		case ty.IsObjectType():
			for name := range ty.AttributeTypes() {
				found |= n.elem.flawsOf(v.GetAttr(name), secretsOnly)
			}
		case !v.IsWhollyKnown():
			found |= holdsUnknown
		}
	case anything:
		if !v.IsWhollyKnown() {
			found |= holdsUnknown
		}
	}
	if secretsOnly {
		found &^= holdsUnknown
	}
	return found
}

// indexes are the keys of the first elements of a list, made once because cty
// makes a big number of each.
var indexes = func() (keys [64]cty.Value) {
	for i := range keys {
		keys[i] = cty.NumberIntVal(int64(i))
	}
	return keys
}()

// keyCache remembers the keys of the map that was looked at last in one place of
// a schema. Cty gives out the keys of a map only by copying and sorting them,
// which takes longer than looking at the elements; and the maps in one place,
// such as the tags of a resource, mostly have the same keys.
type keyCache struct{ last atomic.Pointer[[]cty.Value] }

// cacheable is how many keys are remembered at most.
const cacheable = 512

// of is the keys of m, in any order. The slice is shared.
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
	if n <= cacheable {
		c.last.Store(&keys)
	}
	return keys
}

func hasAll(m cty.Value, keys []cty.Value) bool {
	for _, key := range keys {
		if m.HasIndex(key) != cty.True { // its method True takes five times as long
			return false
		}
	}
	return true
}
