package runtime

import (
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// pool holds the elements of one set of which those of another take theirs, each
// once. Sets have no places, so it has to be tried which fits; to try only those
// that may fit, elements are kept by the values that neither a default nor the
// provider nor another spelling changes.
type pool struct {
	node  *node // of the elements
	elems []cty.Value
	left  int
	taken []bool
	all   []int
	byKey map[int][]int
	loose []int // those whose key is not known
}

func newPool(n *node, elems []cty.Value) *pool {
	p := &pool{node: n.innermost(), elems: elems, left: len(elems), taken: make([]bool, len(elems)), byKey: make(map[int][]int, len(elems))}
	for i, e := range elems {
		p.all = append(p.all, i)
		if key, ok := p.node.key(e); ok {
			p.byKey[key] = append(p.byKey[key], i)
		} else {
			p.loose = append(p.loose, i)
		}
	}
	return p
}

// take takes an element for one like it, the first of those that fit.
func (p *pool) take(like cty.Value, fits func(cty.Value) bool) (cty.Value, bool) {
	for _, i := range p.candidates(like) {
		if !p.taken[i] && fits(p.elems[i]) {
			p.taken[i] = true
			p.left--
			return p.elems[i], true
		}
	}
	return cty.NilVal, false
}

func (p *pool) candidates(like cty.Value) []int {
	key, ok := p.node.key(like)
	switch {
	case !ok:
		return p.all
	case len(p.loose) == 0:
		return p.byKey[key]
	default:
		return slices.Concat(p.byKey[key], p.loose)
	}
}

// key is the same for all values that an element may be settled or spelt as. It
// is not known where a part of it is not.
func (n *node) key(elem cty.Value) (key int, ok bool) {
	if !usable(elem) {
		return 0, elem.IsKnown()
	}
	for _, f := range n.fields {
		if !f.plain() {
			continue
		}
		v := elem.GetAttr(f.name)
		if !v.IsKnown() {
			return 0, false
		}
		key = key*31 + v.Hash()
	}
	return key, true
}

// plain reports whether the field is what configuration says, in one spelling.
func (f *field) plain() bool {
	if f.computed || f.writeOnly || f.def != cty.NilVal || f.optional && !f.nullable() {
		return false
	}
	switch inner := f.node.innermost(); inner.kind { //nolint:exhaustive // the others may have several
	case kindBool, kindInt, kindUint:
		return true
	case kindString:
		return inner.equals == nil
	default:
		return false
	}
}

// respell gives the elements of a set, which have no places, the spelling of the
// element of ref that they could have been planned as.
func (e encoder) respell(n *node, elems []cty.Value, src reflect.Value, ref cty.Value) {
	if !usable(ref) || !ref.Type().IsSetType() {
		return
	}
	planned := newPool(n, wire.Elements(ref))
	var open []int
	for i, v := range elems {
		if _, ok := planned.take(v, v.RawEquals); !ok {
			open = append(open, i)
		}
	}
	for _, i := range open {
		planned.take(elems[i], func(p cty.Value) bool {
			v, err := e.value(n, src.Index(i), p)
			if err != nil || !becomes(p, v) {
				return false
			}
			elems[i] = v
			return true
		})
	}
}

// becomes reports whether actual is planned with its unknown parts filled in.
func becomes(planned, actual cty.Value) bool {
	switch {
	case !planned.IsKnown():
		return true
	case planned.IsNull() || actual.IsNull() || planned.IsWhollyKnown():
		return planned.RawEquals(actual)
	}
	ty := planned.Type()
	switch {
	case ty.IsObjectType():
		for name := range ty.AttributeTypes() {
			if !becomes(planned.GetAttr(name), actual.GetAttr(name)) {
				return false
			}
		}
		return true
	case planned.LengthInt() != actual.LengthInt():
		return false
	case ty.IsSetType():
		return true // a set inside a set: its elements have no places either
	}
	for key, p := range planned.Elements() {
		if actual.HasIndex(key).False() || !becomes(p, actual.Index(key)) {
			return false
		}
	}
	return true
}
