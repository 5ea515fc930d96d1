package runtime

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// encoder converts Go values to cty values. If a reference value is given and is
// equal, it is returned itself, which avoids normalising long strings and sorting
// maps again.
type encoder struct {
	// sparse makes the zero value of a nested field null if the field has a default
	// or the provider may determine it, as in a configuration that does not set it.
	sparse bool
	// held means that a field that only the configuration determines is null if the
	// reference is null, whatever the Go value is, as at the top level.
	held bool
	// infinite allows infinite numbers, which are allowed only in results of functions:
	// JSON, the format of states, has none.
	infinite bool
}

// leavesNull reports whether a field of a nested object stays null as in ref.
func (e encoder) leavesNull(f *field, ref cty.Value) bool {
	return e.held && ref != cty.NilVal && ref.IsNull() && f.plainOptional()
}

// inside returns the encoder for the value of a field. Nothing stays null in a value
// that only the provider determines.
func (e encoder) inside(f *field) encoder {
	e.held = e.held && !f.computedOnly()
	return e
}

// object encodes the fields of src, a struct. ref may be NilVal, null or unknown.
func (e encoder) object(fields []*field, src reflect.Value, ref cty.Value) (cty.Value, error) {
	attrs := make(map[string]cty.Value, len(fields))
	for _, f := range fields {
		r := cty.NilVal
		if usable(ref) {
			r = ref.GetAttr(f.name)
		}
		switch {
		case f.writeOnly:
			attrs[f.name] = f.node.null // a write-only value is never stored
			continue
		case e.leavesNull(f, r):
			attrs[f.name] = r
			continue
		}
		v, err := e.inside(f).field(f, src, r)
		if err != nil {
			return cty.NilVal, err
		}
		attrs[f.name] = v
	}
	return cty.ObjectVal(attrs), nil
}

// field encodes one field of the struct src.
func (e encoder) field(f *field, src reflect.Value, ref cty.Value) (cty.Value, error) {
	x := f.in(src)
	if f.block && f.node.kind != kindPointer && f.node.kind != kindObject && x.IsNil() {
		return f.node.empty(), nil // repeated blocks are never null
	}
	// The zero value of an optional field that cannot hold null stands for null,
	// unless it is known to have been configured.
	if (f.optional || e.sparse && (f.computed || f.def != cty.NilVal)) && !f.node.nullable() && x.IsZero() && !usable(ref) {
		return f.node.null, nil
	}
	v, err := e.value(f.node, x, ref)
	if err != nil {
		return cty.NilVal, diag.WithPath(cty.Path{f.step}, err)
	}
	return v, nil
}

func usable(ref cty.Value) bool {
	return ref != cty.NilVal && ref.IsKnown() && !ref.IsNull()
}

func (e encoder) value(n *node, src reflect.Value, ref cty.Value) (cty.Value, error) {
	switch n.kind {
	case kindString:
		if n.equals != nil && n.decodesTo(src, ref) {
			return ref, nil
		}
		return stringVal(src.String(), ref)
	case kindBool:
		return cty.BoolVal(src.Bool()), nil
	case kindInt:
		i := src.Int()
		if usable(ref) {
			if r, acc := ref.AsBigFloat().Int64(); acc == big.Exact && r == i {
				return ref, nil
			}
		}
		return cty.NumberIntVal(i), nil
	case kindUint:
		return cty.NumberUIntVal(src.Uint()), nil
	case kindFloat:
		x := src.Float()
		if n.decodesTo(src, ref) {
			return ref, nil // ref may have more digits
		}
		if math.IsInf(x, 0) && !e.infinite {
			return cty.NilVal, errInfinite
		}
		return floatVal(x, n.goType.Bits())
	case kindBigFloat:
		if src.IsNil() {
			return n.null, nil
		}
		return e.finite(cty.NumberVal(new(big.Float).Copy(src.Interface().(*big.Float)))) //nolint:forcetypeassert // guaranteed by the kind
	case kindText:
		return e.text(n, src, ref)
	case kindDynamic:
		if v := src.Interface().(cty.Value); v != cty.NilVal { //nolint:forcetypeassert // guaranteed by the kind
			return e.finite(v)
		}
		return n.null, nil
	case kindAny:
		if src.IsNil() && ref != cty.NilVal && ref.IsNull() {
			return ref, nil // ref has the planned type
		}
		v, err := plainValue(src.Interface())
		if err != nil {
			return cty.NilVal, err
		}
		if usable(ref) && samePlain(v, ref) {
			return ref, nil // ref has the planned types
		}
		return e.finite(v)
	case kindPointer:
		if src.IsNil() {
			return n.null, nil
		}
		return e.value(n.elem, src.Elem(), ref)
	case kindValue:
		return e.wrapped(n, src, ref)
	}
	switch {
	case usable(ref) && e.repeats(n, src, ref):
		return ref, nil
	case n.kind == kindMap:
		return e.mapping(n, src, ref)
	case n.kind == kindObject:
		return e.object(n.fields, src, ref)
	default:
		return e.slice(n, src, ref)
	}
}

// errInfinite is the error for an infinite number.
var errInfinite = errors.New("the number is infinite, so it cannot be stored")

// finite returns v, and an error if v has an infinite number that e does not allow.
func (e encoder) finite(v cty.Value) (cty.Value, error) {
	if e.infinite {
		return v, nil
	}
	err := cty.Walk(v, func(at cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.Number && usable(v) && v.AsBigFloat().IsInf() {
			return false, diag.WithPath(at.Copy(), errInfinite)
		}
		return true, nil
	})
	return v, err
}

// floatVal returns the number for a float: a whole number exactly, and any other as the shortest
// decimal that parses to it. Configuration and state contain decimals, and the binary float 0.1 is not exactly the
// decimal 0.1.
func floatVal(x float64, bits int) (cty.Value, error) {
	switch {
	case math.IsNaN(x):
		return cty.NilVal, errors.New("the number is NaN, which cannot be stored")
	case x == math.Trunc(x):
		return cty.NumberFloatVal(x), nil
	}
	return cty.ParseNumberVal(strconv.FormatFloat(x, 'g', -1, bits))
}

// stringVal returns ref if it equals s, and otherwise s as a normalised value. It compares
// first, because comparing equal strings that share memory is immediate. A string that is not valid
// UTF-8 is an error: it would be stored as a different one.
func stringVal(s string, ref cty.Value) (cty.Value, error) {
	switch {
	case usable(ref) && ref.AsString() == s:
		return ref, nil
	case !utf8.ValidString(s):
		return cty.NilVal, errors.New("the string is not valid UTF-8, so it cannot be stored; encode it as base64")
	}
	return cty.StringVal(s), nil
}

// storedKey returns the key of an entry that is added to elems: strings are stored in Unicode
// normalisation form C. It returns an error for a key that is not valid UTF-8, and
// for a key that elems already has, because one of the two entries would be lost.
func storedKey(key string, elems map[string]cty.Value) (string, error) {
	if !utf8.ValidString(key) {
		return "", errors.New("a key of the map is not valid UTF-8, so it cannot be stored; encode it as base64")
	}
	key = cty.NormalizeString(key)
	if _, twice := elems[key]; twice {
		return "", errors.New("two keys of the map are equal in Unicode normalisation form C (NFC), in which they are stored")
	}
	return key, nil
}

// decodesTo reports whether ref decodes to src or an equivalent value.
func (n *node) decodesTo(src reflect.Value, ref cty.Value) bool {
	if !usable(ref) {
		return false
	}
	var d decoder
	x := reflect.New(n.goType).Elem()
	d.value(n, ref, x)
	return d.unknowns == 0 && d.err() == nil && n.equal(src, x)
}

// text encodes src as its text, or returns ref if that parses to the same value. A text that its
// own type cannot parse is never stored, because it could not be read again: it becomes null
// for the zero value, and is an error for any other value.
func (e encoder) text(n *node, src reflect.Value, ref cty.Value) (cty.Value, error) {
	m, ok := reflect.TypeAssert[encoding.TextMarshaler](src)
	if !ok {
		// The method has a pointer receiver, and src may not be addressable.
		p := reflect.New(src.Type())
		p.Elem().Set(src)
		m = p.Interface().(encoding.TextMarshaler) //nolint:forcetypeassert // guaranteed by the kind
	}
	text, err := m.MarshalText()
	if err != nil {
		return cty.NilVal, err
	}
	switch s := string(text); {
	case usable(ref) && (ref.AsString() == s || n.decodesTo(src, ref)):
		return ref, nil
	case n.parses(s):
		return stringVal(s, cty.NilVal)
	case src.IsZero():
		return n.null, nil
	default:
		return cty.NilVal, fmt.Errorf("provider bug: a %s was encoded as a text that the type cannot parse; please report this", n.goType)
	}
}

// parses reports whether the type can parse the text.
func (n *node) parses(text string) bool {
	x := reflect.New(n.goType).Interface().(encoding.TextUnmarshaler) //nolint:forcetypeassert // guaranteed by the kind
	return !failed(x.UnmarshalText([]byte(text)))
}

func (e encoder) wrapped(n *node, src reflect.Value, ref cty.Value) (cty.Value, error) {
	if !src.CanAddr() {
		p := reflect.New(src.Type()).Elem()
		p.Set(src)
		src = p
	}
	w := src.Addr().Interface().(anyValue) //nolint:forcetypeassert // guaranteed by the kind
	switch w.valueState() {
	case valueUnknown:
		return n.unknown, nil
	case valueNull:
		return n.null, nil
	default:
		return e.value(n.elem, w.valueElem(), ref)
	}
}

func (e encoder) slice(n *node, src reflect.Value, ref cty.Value) (cty.Value, error) {
	if src.IsNil() {
		return n.null, nil
	}
	if src.Len() == 0 {
		return n.empty(), nil
	}
	elems := make([]cty.Value, src.Len())
	var refs []cty.Value
	if n.kind == kindList && usable(ref) && ref.Type().IsListType() {
		refs = wire.Elements(ref)
	}
	for i := range elems {
		r := cty.NilVal
		if i < len(refs) {
			r = refs[i]
		}
		v, err := e.value(n.elem, src.Index(i), r)
		if err != nil {
			return cty.NilVal, diag.WithPath(cty.Path{cty.IndexStep{Key: cty.NumberIntVal(int64(i))}}, err)
		}
		elems[i] = v
	}
	if err := sameType(n, elems); err != nil {
		return cty.NilVal, err
	}
	if n.kind == kindSet {
		return cty.SetVal(e.keepSpellings(n.elem, elems, src, ref)), nil
	}
	return cty.ListVal(elems), nil
}

// empty returns the collection without elements.
func (n *node) empty() cty.Value {
	switch n.kind { //nolint:exhaustive // of collections
	case kindSet:
		return cty.SetValEmpty(n.elem.ctyType)
	case kindMap:
		return cty.MapValEmpty(n.elem.ctyType)
	default:
		return cty.ListValEmpty(n.elem.ctyType)
	}
}

// sameType returns an error where cty would panic: the elements of a collection of
// dynamic type must have one type.
func sameType(n *node, elems []cty.Value) error {
	if !n.elem.ctyType.HasDynamicTypes() {
		return nil
	}
	for _, v := range elems[1:] {
		if !v.Type().Equals(elems[0].Type()) {
			return fmt.Errorf("all elements must have the same type, not both %s and %s", elems[0].Type().FriendlyName(), v.Type().FriendlyName())
		}
	}
	return nil
}

func (e encoder) mapping(n *node, src reflect.Value, ref cty.Value) (cty.Value, error) {
	if src.IsNil() {
		return n.null, nil
	}
	if src.Len() == 0 {
		return n.empty(), nil
	}
	var refs map[string]cty.Value
	if usable(ref) && ref.Type().IsMapType() {
		refs = ref.AsValueMap()
	}
	elems := make(map[string]cty.Value, src.Len())
	types := make([]cty.Value, 0, 2)
	for it := src.MapRange(); it.Next(); {
		key, err := storedKey(it.Key().String(), elems)
		if err != nil {
			return cty.NilVal, err
		}
		v, err := e.value(n.elem, it.Value(), refs[key]) // the zero value means that there is no reference
		if err != nil {
			return cty.NilVal, diag.WithPath(cty.Path{cty.IndexStep{Key: cty.StringVal(key)}}, err)
		}
		elems[key] = v
		if types = append(types[:min(len(types), 1)], v); len(types) == 2 {
			if err := sameType(n, types); err != nil {
				return cty.NilVal, err
			}
		}
	}
	return cty.MapVal(elems), nil
}

// plainValue is the reverse of decoder.plain. It also converts values of all other types that a field can have.
func plainValue(x any) (cty.Value, error) {
	switch x := x.(type) {
	case nil:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case cty.Value:
		return x, nil
	case *big.Float:
		return cty.NumberVal(new(big.Float).Copy(x)), nil
	case []any:
		if len(x) == 0 {
			return cty.EmptyTupleVal, nil
		}
		elems := make([]cty.Value, len(x))
		for i := range x {
			v, err := plainValue(x[i])
			if err != nil {
				return cty.NilVal, diag.WithPath(cty.Path{cty.IndexStep{Key: cty.NumberIntVal(int64(i))}}, err)
			}
			elems[i] = v
		}
		return cty.TupleVal(elems), nil
	case map[string]any:
		attrs := make(map[string]cty.Value, len(x))
		for name, item := range x {
			key, err := storedKey(name, attrs)
			if err != nil {
				return cty.NilVal, err
			}
			v, err := plainValue(item)
			if err != nil {
				return cty.NilVal, diag.WithPath(cty.GetAttrPath(key), err)
			}
			attrs[key] = v
		}
		return cty.ObjectVal(attrs), nil
	}
	n, err := compileType(reflect.TypeOf(x), false, 0)
	if err != nil {
		return cty.NilVal, err
	}
	return encoder{infinite: true}.value(n, reflect.ValueOf(x), cty.NilVal)
}

// samePlain reports whether two values are equal as plain Go values, which do not distinguish lists
// and sets from tuples, maps from objects, and the types of null.
func samePlain(a, b cty.Value) bool {
	switch x, y := a.Type(), b.Type(); {
	case a.IsMarked() || b.IsMarked() || !a.IsKnown() || !b.IsKnown():
		return false
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull()
	case isSequence(x) && isSequence(y):
		return slices.EqualFunc(wire.Elements(a), wire.Elements(b), samePlain)
	case isMapping(x) && isMapping(y):
		return maps.EqualFunc(a.AsValueMap(), b.AsValueMap(), samePlain)
	default:
		return objchange.Equal(a, b)
	}
}

func isSequence(ty cty.Type) bool { return ty.IsListType() || ty.IsSetType() || ty.IsTupleType() }

func isMapping(ty cty.Type) bool { return ty.IsMapType() || ty.IsObjectType() }
