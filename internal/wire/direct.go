package wire

import (
	"math/big"
	"reflect"
	"unsafe"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/set"
)

// go-cty's constructors derive the type of an object for each value (three maps and
// a normalisation of each name), and its accessors look each name up in two more
// maps. This would be most of the cost of decoding, although the types are determined
// when a codec is compiled. So this file builds and reads values in the representation
// of go-cty. That is safe only while go-cty has the representation below: [direct]
// is false otherwise, and the tests run with and without direct access.
//
// Without direct access, a run of 1,000 files takes the same time (0.51 s of CPU time
// of the provider for a plan), but RPCs take 1.2 to 2 times as long for small objects,
// 2 times for lists of objects, and 20 to 100 times for sets of objects.

// form is the declaration of cty.Value in go-cty 1.18.
type form struct {
	ty cty.Type
	v  any
}

var direct = formMatches()

// compose returns the value of type ty that go-cty represents as v. The caller must
// not change v afterwards.
func compose(ty cty.Type, v any) cty.Value {
	f := form{ty: ty, v: v}
	return *(*cty.Value)(unsafe.Pointer(&f))
}

// content returns the representation of v, which must not be changed.
func content(v cty.Value) any {
	return (*form)(unsafe.Pointer(&v)).v
}

// setContent returns the elements of s by their hashes, which must not be changed.
func setContent(s set.Set[any]) map[int][]any {
	return (*setForm)(unsafe.Pointer(&s)).vals
}

// formMatches reports whether go-cty has the expected representation. It compares the
// declared fields, and a value of each kind with the result of the constructors.
func formMatches() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if !sameFields(reflect.TypeFor[cty.Value](), reflect.TypeFor[form]()) ||
		!sameFields(reflect.TypeFor[set.Set[any]](), reflect.TypeFor[setForm]()) {
		return false
	}
	one := big.NewFloat(1)
	samples := []struct {
		want    cty.Value
		content any
	}{
		{cty.StringVal("a"), "a"},
		{cty.True, true},
		{cty.NumberVal(one), one},
		{cty.NullVal(cty.String), nil},
		{cty.ListVal([]cty.Value{cty.StringVal("a")}), []any{"a"}},
		{cty.TupleVal([]cty.Value{cty.StringVal("a"), cty.True}), []any{"a", true}},
		{cty.MapVal(map[string]cty.Value{"k": cty.True}), map[string]any{"k": true}},
		{cty.ObjectVal(map[string]cty.Value{"k": cty.True}), map[string]any{"k": true}},
	}
	for _, s := range samples {
		if !reflect.DeepEqual(content(s.want), s.content) || !compose(s.want.Type(), s.content).RawEquals(s.want) {
			return false
		}
	}
	if s, ok := content(cty.SetVal([]cty.Value{cty.True})).(set.Set[any]); !ok || !reflect.DeepEqual(setContent(s), map[int][]any{cty.True.Hash(): {true}}) {
		return false
	}
	return content(cty.UnknownVal(cty.Bool)) == content(cty.UnknownVal(cty.String))
}

// sameFields reports whether two structs have the same layout.
func sameFields(theirs, own reflect.Type) bool {
	if theirs.Kind() != reflect.Struct || theirs.NumField() != own.NumField() || theirs.Size() != own.Size() {
		return false
	}
	for i := range own.NumField() {
		if f, o := theirs.Field(i), own.Field(i); f.Name != o.Name || f.Type != o.Type || f.Offset != o.Offset {
			return false
		}
	}
	return true
}

// totallyUnknown reports whether v is known to be an unknown value without refinements.
// It may return false for such a value.
func totallyUnknown(v cty.Value) bool {
	return direct && content(v) == content(cty.DynamicVal)
}

// sequence reads the elements of a known list, set or tuple.
type sequence struct {
	raw  []any
	vals []cty.Value
}

// sequenceOf returns the elements of v. elem is the codec of the elements, or nil.
func sequenceOf(v cty.Value, elem *Codec) sequence {
	if direct {
		if raw, ok := content(v).([]any); ok {
			return sequence{raw: raw}
		}
		if raw, ok := objectsInOrder(v, elem); ok {
			return sequence{raw: raw}
		}
	}
	return sequence{vals: v.AsValueSlice()}
}

func (s sequence) len() int { return len(s.raw) + len(s.vals) }

func (s sequence) at(i int, ty cty.Type) cty.Value {
	if s.vals != nil {
		return s.vals[i]
	}
	return compose(ty, s.raw[i])
}

// entries reads the elements of a known map, or the attributes of a known object.
type entries struct {
	raw  map[string]any
	vals map[string]cty.Value
}

func entriesOf(v cty.Value) entries {
	if direct {
		return entries{raw: content(v).(map[string]any)}
	}
	return entries{vals: v.AsValueMap()}
}

// keys returns the keys in the order in which they are encoded.
func (e entries) keys() []string {
	if e.vals != nil {
		return sortedKeys(e.vals)
	}
	return sortedKeys(e.raw)
}

func (e entries) get(key string, ty cty.Type) cty.Value {
	if e.vals != nil {
		return e.vals[key]
	}
	return compose(ty, e.raw[key])
}

// floatOf returns a known number, which must not be changed.
func floatOf(v cty.Value) *big.Float {
	if direct {
		return content(v).(*big.Float)
	}
	return v.AsBigFloat()
}
