package wire

import (
	"math"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/ctystrings"
)

// An unknown value is an extension value. Without refinements it has type 0 and one byte.
// With refinements it has type extRefined and a map of the refinements.
const (
	extRefined     = 0x0c
	maxRefinements = 1024
	maxPrefix      = 256
	// maxUnknownElems limits the known length of an unknown list, which go-cty converts to a
	// list of unknown elements.
	maxUnknownElems = 64
)

const (
	refineNull      = 1
	refinePrefix    = 2
	refineMin       = 3
	refineMax       = 4
	refineLengthMin = 5
	refineLengthMax = 6
)

// boundCodec is the codec of a bound of a number: the bound and whether it is included.
var boundCodec = NewCodec(cty.Tuple([]cty.Type{cty.Number, cty.Bool}))

func (c *Codec) decodeUnknown(r *msgpackReader) (cty.Value, error) {
	id, body, err := r.ext()
	if err != nil {
		return cty.NilVal, err
	}
	if len(body) <= 1 {
		return cty.UnknownVal(c.ty), nil
	}
	if id != extRefined {
		return cty.NilVal, failf("unknown extension type 0x%02x", id)
	}
	if len(body) > maxRefinements {
		return cty.NilVal, failf("the refinements of an unknown value are too long")
	}
	refinements := msgpackReader{s: body, depth: r.depth}
	n, err := refinements.mapLen("a map of refinements")
	if err != nil {
		return cty.NilVal, err
	}
	if c.kind == kindDynamic {
		// Ignore the refinements: an unknown value of unknown type has none.
		return cty.UnknownVal(c.ty), nil
	}
	return c.refine(&refinements, n)
}

// refine reads n refinements and returns an unknown value with them. It returns an error if a
// refinement is invalid, or if the refinements contradict each other. For contradictions, which
// cannot be checked in advance, go-cty panics.
func (c *Codec) refine(r *msgpackReader, n int) (v cty.Value, err error) {
	defer func() {
		if recover() != nil {
			v, err = cty.NilVal, failf("the refinements of an unknown value contradict each other")
		}
	}()
	b := cty.UnknownVal(c.ty).Refine()
	length := lengthRange{max: math.MaxInt}
	for range n {
		key, err := r.int()
		if err != nil {
			return cty.NilVal, err
		}
		if key < refineNull || key > refineLengthMax {
			// A later version of the format has added this refinement and the refinements
			// after it. Decoders may ignore them.
			break
		}
		if err := c.refineOnce(r, b, &length, key); err != nil {
			return cty.NilVal, err
		}
	}
	if c.elem != nil {
		b.CollectionLengthLowerBound(length.min)
		if c.kind != kindList || length.min != length.max || length.min <= maxUnknownElems {
			b.CollectionLengthUpperBound(length.max)
		}
	}
	return b.NewValue(), nil
}

// lengthRange has the bounds of the length of a collection.
type lengthRange struct{ min, max int }

func (c *Codec) refineOnce(r *msgpackReader, b *cty.RefinementBuilder, length *lengthRange, key int64) error {
	switch key {
	case refineNull:
		isNull, err := r.bool()
		if err != nil {
			return err
		}
		if isNull {
			b.Null()
		} else {
			b.NotNull()
		}
	case refinePrefix:
		prefix, err := r.text("a string as prefix")
		if err != nil {
			return err
		}
		if c.kind != kindString || !utf8.ValidString(prefix) {
			return failRefinement()
		}
		b.StringPrefixFull(prefix)
	case refineMin, refineMax:
		bound, err := boundCodec.decodeMsgpack(r)
		if err != nil {
			return err
		}
		if c.kind != kindNumber || !bound.IsWhollyKnown() || bound.IsNull() {
			return failRefinement()
		}
		limit, included := bound.Index(cty.Zero), bound.Index(cty.NumberIntVal(1))
		if limit.IsNull() || included.IsNull() {
			return failRefinement()
		}
		if key == refineMin {
			b.NumberRangeLowerBound(limit, included.True())
		} else {
			b.NumberRangeUpperBound(limit, included.True())
		}
	case refineLengthMin, refineLengthMax:
		bound, err := r.int()
		if err != nil {
			return err
		}
		if c.elem == nil {
			return failRefinement()
		}
		if key == refineLengthMin {
			length.min = max(length.min, int(bound))
		} else {
			length.max = min(length.max, int(bound))
		}
	}
	return nil
}

func failRefinement() error {
	return failf("a refinement of an unknown value is invalid for its type")
}

func appendMsgpackUnknown(dst []byte, v cty.Value) []byte {
	if totallyUnknown(v) || v.Type() == cty.DynamicPseudoType {
		return append(dst, mpFixExt1, 0, 0)
	}
	n, body := appendRefinements(nil, v.Range())
	if n == 0 || len(body) >= maxRefinements {
		return append(dst, mpFixExt1, 0, 0)
	}
	// There are fewer than 16 refinements, so the head of the map is one byte.
	dst = appendMsgpackExt(dst, extRefined, len(body)+1)
	dst = append(dst, mpFixMap|byte(n))
	return append(dst, body...)
}

func appendRefinements(dst []byte, rng cty.ValueRange) (n int, _ []byte) {
	if rng.DefinitelyNotNull() {
		n++
		dst = append(dst, refineNull, mpFalse)
	}
	ty := rng.TypeConstraint()
	switch {
	case ty == cty.Number:
		if min, included := rng.NumberLowerBound(); min.IsKnown() && !min.RawEquals(cty.NegativeInfinity) {
			n++
			dst = appendBound(append(dst, refineMin), min, included)
		}
		if max, included := rng.NumberUpperBound(); max.IsKnown() && !max.RawEquals(cty.PositiveInfinity) {
			n++
			dst = appendBound(append(dst, refineMax), max, included)
		}
	case ty == cty.String:
		if prefix := rng.StringPrefix(); prefix != "" {
			// As in go-cty, a longer prefix is cut: decoders limit the size of all refinements.
			if len(prefix) > maxPrefix {
				prefix = ctystrings.SafeKnownPrefix(prefix[:maxPrefix-1])
			}
			n++
			dst = appendMsgpackString(append(dst, refinePrefix), prefix)
		}
	case ty.IsCollectionType():
		if min := rng.LengthLowerBound(); min != 0 {
			n++
			dst = appendMsgpackInt(append(dst, refineLengthMin), int64(min))
		}
		if max := rng.LengthUpperBound(); max != math.MaxInt {
			n++
			dst = appendMsgpackInt(append(dst, refineLengthMax), int64(max))
		}
	}
	return n, dst
}

func appendBound(dst []byte, bound cty.Value, included bool) []byte {
	dst = appendMsgpackNumber(append(dst, mpFixArray|2), floatOf(bound))
	return appendMsgpackBool(dst, included)
}
