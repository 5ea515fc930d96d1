package guard

import (
	"hash/maphash"
	"math"
	"math/big"
	"math/bits"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// maxCalls limits the number of stored calls. Each takes 16 bytes.
const maxCalls = 4096

// purity stores the arguments and results of calls of functions, only as hashes, because
// they may be sensitive and large. A call replaces an older one with the same hash modulo
// maxCalls, so memory is bounded. The zero value is ready to use.
type purity struct {
	mu    sync.Mutex
	calls []struct{ args, result uint64 }
}

// same reports whether a result equals the stored one for the arguments. If none is stored, it
// stores the result and returns true. The arguments and the result must be wholly known.
//
// It never returns false for equal results: values that cannot be hashed are not stored,
// and equal results have equal hashes. Calls with different arguments are compared only if
// their 64-bit hashes collide, which has a probability of 2^-28 in 16 million calls.
func (p *purity) same(f *function, args []cty.Value, result cty.Value) bool {
	in := hasher{exact: true, sum: f.salt}
	for i, arg := range args {
		s := f.param(i)
		if s.dynamic {
			in.typ(arg.Type())
		}
		in.value(s.root, arg)
	}
	out := hasher{}
	out.value(f.result.root, result)
	if in.failed || out.failed {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = make([]struct{ args, result uint64 }, maxCalls)
	}
	call := &p.calls[in.sum%maxCalls]
	if call.args == in.sum {
		return call.result == out.sum
	}
	call.args, call.result = in.sum, out.sum
	return true
}

// hasher hashes wholly known values. It allocates in the same cases as flawsOf, and for
// numbers, because cty only returns copies.
type hasher struct {
	// exact means that different numbers have different hashes. Otherwise, numbers that int64
	// cannot represent are rounded to float64, so that equal numbers of different precision have
	// equal hashes.
	exact bool
	// failed means that the value cannot be hashed.
	failed bool
	sum    uint64
}

var seed = maphash.MakeSeed()

func hashText(s string) uint64 { return maphash.String(seed, s) }

// add appends x to the hash.
func (h *hasher) add(x uint64) {
	hi, lo := bits.Mul64(h.sum^0x9e3779b97f4a7c15, x^0xd1b54a32d192ed03)
	h.sum = hi ^ lo ^ bits.RotateLeft64(h.sum, 23)
}

func (h *hasher) integer(i int64) {
	h.add(uint64(i)) //nolint:gosec // the sign bit is hashed too
}

// The kinds of values and types.
const (
	hashNull = iota + 1
	hashTrue
	hashFalse
	hashString
	hashNumber
	hashBool
	hashList
	hashSet
	hashMap
	hashObject
	hashTuple
)

// value adds a value of the type of the node.
func (h *hasher) value(n *node, v cty.Value) {
	if v.IsNull() {
		h.add(hashNull)
		return
	}
	switch n.kind {
	case leaf:
		h.primitive(v)
	case object:
		h.add(hashObject)
		for i := range n.fields {
			h.value(n.fields[i].node, v.GetAttr(n.fields[i].name))
		}
	case sequence:
		h.add(hashList)
		h.integer(int64(v.LengthInt()))
		wire.Each(v, func(_ string, elem cty.Value) { h.value(n.elem, elem) })
	case set:
		h.add(hashSet)
		var sum uint64 // independent of the order
		for _, elem := range wire.Elements(v) {
			sum += h.unordered(n.elem, elem, 0)
		}
		h.add(sum)
	case mapping:
		h.add(hashMap)
		var sum uint64
		wire.Each(v, func(key string, elem cty.Value) { sum += h.unordered(n.elem, elem, hashText(key)) })
		h.add(sum)
	case anything:
		h.anything(v)
	}
}

// unordered returns the hash of an element of a collection without an order.
func (h *hasher) unordered(n *node, v cty.Value, key uint64) uint64 {
	one := hasher{exact: h.exact}
	one.add(key)
	one.value(n, v)
	h.failed = h.failed || one.failed
	return one.sum
}

// anything adds a value of dynamic type.
func (h *hasher) anything(v cty.Value) {
	ty := v.Type()
	if !ty.IsTupleType() {
		h.value(typeNode(ty), v)
		return
	}
	h.add(hashTuple)
	h.integer(int64(v.LengthInt()))
	for it := v.ElementIterator(); it.Next(); {
		_, elem := it.Element()
		h.value(typeNode(elem.Type()), elem)
	}
}

func (h *hasher) primitive(v cty.Value) {
	switch v.Type() {
	case cty.String:
		h.add(hashText(v.AsString()))
	case cty.Bool:
		if v.True() {
			h.add(hashTrue)
		} else {
			h.add(hashFalse)
		}
	case cty.Number:
		h.number(v.AsBigFloat())
	default:
		h.failed = true // a capsule
	}
}

func (h *hasher) number(f *big.Float) {
	h.add(hashNumber)
	if i, accuracy := f.Int64(); accuracy == big.Exact {
		h.integer(i)
		return
	}
	nearest, accuracy := f.Float64()
	h.add(math.Float64bits(nearest))
	if h.exact && accuracy != big.Exact {
		h.add(hashText(f.Text('p', 0)))
	}
}

// typ adds a type: the result may depend on the types of dynamic arguments.
func (h *hasher) typ(ty cty.Type) {
	switch {
	case ty == cty.String:
		h.add(hashString)
	case ty == cty.Number:
		h.add(hashNumber)
	case ty == cty.Bool:
		h.add(hashBool)
	case ty.IsListType():
		h.add(hashList)
		h.typ(ty.ElementType())
	case ty.IsSetType():
		h.add(hashSet)
		h.typ(ty.ElementType())
	case ty.IsMapType():
		h.add(hashMap)
		h.typ(ty.ElementType())
	case ty.IsTupleType():
		h.add(hashTuple)
		h.integer(int64(ty.Length()))
		for _, elem := range ty.TupleElementTypes() {
			h.typ(elem)
		}
	case ty.IsObjectType():
		var sum uint64
		for name, attr := range ty.AttributeTypes() {
			one := hasher{exact: h.exact}
			one.add(hashText(name))
			one.typ(attr)
			sum += one.sum
		}
		h.add(hashObject)
		h.add(sum)
	case ty == cty.DynamicPseudoType: // of an untyped null, or of the elements of an empty collection
		h.add(hashNull)
	default:
		h.failed = true
	}
}
