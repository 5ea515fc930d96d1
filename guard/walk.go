package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// flaws is the set of flaws that one walk over a value finds. If the value is invalid, a second
// walk finds their places.
type flaws uint8

const (
	// holdsUnknown means that some part is unknown.
	holdsUnknown flaws = 1 << iota
	// holdsWriteOnly means that a write-only attribute is not null.
	holdsWriteOnly
	// holdsMark means that some part has a mark, which cannot be sent.
	holdsMark
)

// first returns the problem for the first flaw of order that is in found, or none.
func (found flaws) first(order ...flaws) problem {
	for _, flaw := range order {
		switch found & flaw {
		case holdsUnknown:
			return unknownPart
		case holdsWriteOnly:
			return writeOnlyValue
		case holdsMark:
			return wrongType
		}
	}
	return none
}

// flawsOf returns the flaws of a value of the type of the shape.
func (s *shape) flawsOf(v cty.Value) flaws { return s.root.flawsOf(v, false) }

// flawsInPlan is flawsOf for a value that may be unknown in part: it reads only the
// parts with write-only attributes.
func (s *shape) flawsInPlan(v cty.Value) flaws { return s.root.flawsOf(v, true) }

// flawsOf returns the flaws of a value of the type of the node; for other types the
// result is undefined. With writeOnlyParts it skips parts without write-only
// attributes, and unknown values are not a flaw.
//
// It visits each part at most once, and allocates only for sets and dynamic parts.
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
			wire.Each(v, func(_ string, elem cty.Value) { found |= n.elem.flawsOf(elem, writeOnlyParts) })
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
			wire.Each(v, func(_ string, elem cty.Value) { found |= n.elem.flawsOf(elem, writeOnlyParts) })
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
