package runtime

import (
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// pool holds the elements of one set, each of which is paired with at most one element of
// a second set. Elements of sets have no positions, so pairs must be tried. To try
// only likely pairs, elements are indexed by the attributes that no default, provider
// or equivalent text changes.
type pool struct {
	keyed   []*field // the fields that form the key of an element
	elems   []cty.Value
	left    int
	taken   []bool
	all     []int
	byKey   map[int][]int
	unkeyed []int // indexes of the elements without a known key
}

func newPool(keyed []*field, elems []cty.Value) *pool {
	p := &pool{keyed: keyed, elems: elems, left: len(elems), taken: make([]bool, len(elems)), byKey: make(map[int][]int, len(elems))}
	for i, e := range elems {
		p.all = append(p.all, i)
		if key, ok := p.key(e); ok {
			p.byKey[key] = append(p.byKey[key], i)
		} else {
			p.unkeyed = append(p.unkeyed, i)
		}
	}
	return p
}

// take removes an element for which fits returns true, and reports whether there is one. It skips
// elements whose key differs from that of like.
func (p *pool) take(like cty.Value, fits func(cty.Value) bool) bool {
	for _, i := range p.candidates(like) {
		if !p.taken[i] && fits(p.elems[i]) {
			p.taken[i] = true
			p.left--
			return true
		}
	}
	return false
}

// pairs pairs as many of likes as possible, each with an element that fits it. Element i of
// the result is the partner of likes[i], or NilVal if there is none.
func (p *pool) pairs(likes []cty.Value, fits func(like, elem cty.Value) bool) []cty.Value {
	partners, owners := make([]cty.Value, len(likes)), make([]int, len(p.elems))
	// pair finds an element for likes[i] and reports whether there is one. To free an element,
	// it may move other values of likes to different elements. It tries to free each element at most once.
	var pair func(i int, tried []bool) bool
	pair = func(i int, tried []bool) bool {
		all := p.candidates(likes[i])
		for _, at := range all {
			if !p.taken[at] && fits(likes[i], p.elems[at]) {
				p.taken[at], owners[at], partners[i] = true, i, p.elems[at]
				p.left--
				return true
			}
		}
		if p.left == 0 {
			return false
		}
		if tried == nil {
			tried = make([]bool, len(p.elems))
		}
		for _, at := range all {
			if tried[at] || !p.taken[at] || !fits(likes[i], p.elems[at]) {
				continue
			}
			tried[at] = true
			if pair(owners[at], tried) {
				owners[at], partners[i] = i, p.elems[at]
				return true
			}
		}
		return false
	}
	for i := range likes {
		pair(i, nil)
	}
	return partners
}

func (p *pool) candidates(like cty.Value) []int {
	key, ok := p.key(like)
	switch {
	case !ok:
		return p.all
	case len(p.unkeyed) == 0:
		return p.byKey[key]
	default:
		return slices.Concat(p.byKey[key], p.unkeyed)
	}
}

// rest returns the elements that were not taken.
func (p *pool) rest() []cty.Value {
	var rest []cty.Value
	for i, e := range p.elems {
		if !p.taken[i] {
			rest = append(rest, e)
		}
	}
	return rest
}

// key returns a hash that is the same for all values that the element may be
// resolved to. Ok is false if a part of the key is unknown.
func (p *pool) key(elem cty.Value) (key int, ok bool) {
	if !usable(elem) {
		return 0, elem.IsKnown()
	}
	for _, f := range p.keyed {
		v := elem.GetAttr(f.name)
		if !v.IsKnown() {
			return 0, false
		}
		key = key*31 + v.Hash()
	}
	return key, true
}

// plain returns the fields whose values are exactly the configured values.
func (n *node) plain() []*field {
	return fieldsWhich(n.innermost().fields, (*field).plain)
}

// fixedFields returns the plain fields whose Go value determines the encoded value.
func (e encoder) fixedFields(n *node) []*field {
	return fieldsWhich(n.plain(), func(f *field) bool { return !e.held || !f.plainOptional() })
}

func fieldsWhich(fields []*field, are func(*field) bool) []*field {
	var out []*field
	for _, f := range fields {
		if are(f) {
			out = append(out, f)
		}
	}
	return out
}

// plainOptional reports whether only the configuration determines the field of a nested
// struct, and may leave it unset.
func (f *field) plainOptional() bool { return !f.block && f.classify() == classOptional }

// plain reports whether the value of the field is exactly the configured value.
func (f *field) plain() bool {
	if f.computed || f.writeOnly || f.def != cty.NilVal || f.optional && !f.node.nullable() {
		return false
	}
	switch inner := f.node.innermost(); inner.kind { //nolint:exhaustive // values of other kinds may have several representations
	case kindBool, kindInt, kindUint:
		return true
	case kindString:
		return inner.equals == nil
	default:
		return false
	}
}

// keepSpellings returns the elements of a set, each in the representation of an element of
// ref that it could have been planned as, if there is one. If the provider has merged
// equivalent elements, each of them is in the result.
func (e encoder) keepSpellings(n *node, elems []cty.Value, src reflect.Value, ref cty.Value) []cty.Value {
	if !usable(ref) || !ref.Type().IsSetType() {
		return elems
	}
	planned := newPool(n.plain(), wire.Elements(ref))
	var open []int
	for i, v := range elems {
		if !planned.take(v, v.RawEquals) {
			open = append(open, i)
		}
	}
	if planned.left == 0 {
		return elems
	}
	fixedFields := e.fixedFields(n)
	planned = newPool(fixedFields, planned.rest())
	for _, i := range open {
		planned.take(elems[i], func(p cty.Value) (ok bool) {
			elems[i], ok = e.matchSpelling(n, src.Index(i), p, elems[i])
			return ok
		})
	}
	actual := newPool(fixedFields, elems)
	for _, p := range planned.rest() {
		for _, i := range actual.candidates(p) {
			if v, ok := e.matchSpelling(n, src.Index(i), p, cty.NilVal); ok {
				elems = append(elems, v)
				break
			}
		}
	}
	return elems
}

// matchSpelling returns src in the representation of a planned element and true, if src could
// have been planned as that element, and otherwise v and false.
func (e encoder) matchSpelling(n *node, src reflect.Value, planned, v cty.Value) (cty.Value, bool) {
	decodesTo, err := e.value(n, src, planned)
	if err != nil || !becomes(planned, decodesTo) {
		return v, false
	}
	return decodesTo, true
}

// keepSpelling returns actual, which is equivalent to known, the planned or prior
// value, in the representation of known, with the unknown parts of known filled in.
func (n *node) keepSpelling(known, actual cty.Value) cty.Value {
	switch inner := n.innermost(); {
	case !known.IsKnown():
		return actual
	case known.IsNull() || !usable(actual):
		return known
	case inner.kind == kindObject:
		attrs := actual.AsValueMap()
		for _, f := range inner.fields {
			if !f.computedOnly() {
				attrs[f.name] = f.node.keepSpelling(known.GetAttr(f.name), attrs[f.name])
			}
		}
		return cty.ObjectVal(attrs)
	case !n.hasObjects() && known.IsWhollyKnown():
		return known
	case inner.kind == kindList && known.LengthInt() == actual.LengthInt() && actual.LengthInt() > 0:
		elems := wire.Elements(actual)
		for i, s := range wire.Elements(known) {
			elems[i] = inner.elem.keepSpelling(s, elems[i])
		}
		return cty.ListVal(elems)
	case inner.kind == kindMap && actual.LengthInt() > 0:
		elems := actual.AsValueMap()
		for key, s := range known.AsValueMap() {
			if e, ok := elems[key]; ok {
				elems[key] = inner.elem.keepSpelling(s, e)
			}
		}
		return cty.MapVal(elems)
	case known.IsWhollyKnown():
		return known
	default:
		return actual
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
		return true // elements of a set inside a set are not compared, because they have no positions
	}
	for key, p := range planned.Elements() {
		if actual.HasIndex(key).False() || !becomes(p, actual.Index(key)) {
			return false
		}
	}
	return true
}
