package runtime

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// bytesReader turns fuzz input into choices; at its end, every choice is the first one.
type bytesReader struct{ data []byte }

func (r *bytesReader) pick(n int) int {
	if len(r.data) == 0 {
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return int(b) % n
}

var leafTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint32](), reflect.TypeFor[float64](), reflect.TypeFor[*big.Float](), reflect.TypeFor[any](),
	reflect.TypeFor[cty.Value](), reflect.TypeFor[Value[string]](), reflect.TypeFor[Value[[]int]](),
	reflect.TypeFor[[]byte](), reflect.TypeFor[chan int](), reflect.TypeFor[map[int]string](),
}

var fuzzTags = []string{
	"", ",optional", ",computed", ",sensitive", ",writeonly", ",set", ",block", ",optional,set", ",set,block",
	",volatile", ",optional,transient", ",optional,writeonly", "other", "-", ",nonsense", "Bad Name",
}

// goType returns a random type, usually a valid one for a field.
func (r *bytesReader) goType(depth int) reflect.Type {
	if depth > 0 {
		switch r.pick(8) {
		case 1:
			return reflect.SliceOf(r.goType(depth - 1))
		case 2:
			return reflect.MapOf(reflect.TypeFor[string](), r.goType(depth-1))
		case 3:
			return reflect.PointerTo(r.goType(depth - 1))
		case 4, 5:
			return r.structType(depth - 1)
		}
	}
	return leafTypes[r.pick(len(leafTypes))]
}

func (r *bytesReader) structType(depth int) reflect.Type {
	fields := make([]reflect.StructField, 1+r.pick(4))
	for i := range fields {
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("Field%c", 'A'+i),
			Type: r.goType(depth),
			Tag:  reflect.StructTag(fmt.Sprintf("tf:%q", fuzzTags[r.pick(len(fuzzTags))])),
		}
	}
	return reflect.StructOf(fields)
}

// fill sets v, with its elements and fields, to random values. Values of other types, such as any and
// cty.Value, stay zero.
func (r *bytesReader) fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the rest stays zero
	case reflect.String:
		v.SetString([]string{"", "a", "é", "line\nline"}[r.pick(4)])
	case reflect.Bool:
		v.SetBool(r.pick(2) == 1)
	case reflect.Int8, reflect.Int, reflect.Int64:
		v.SetInt(int64(r.pick(256)) - 128)
	case reflect.Uint32:
		v.SetUint(uint64(r.pick(256)))
	case reflect.Float64:
		v.SetFloat(float64(r.pick(256)) / 8)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.pick(3), 3))
		for i := range v.Len() {
			r.fill(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for i := range r.pick(3) {
			elem := reflect.New(v.Type().Elem()).Elem()
			r.fill(elem)
			v.SetMapIndex(reflect.ValueOf(string(rune('a'+i))), elem)
		}
	case reflect.Pointer:
		if v.Type() != bigFloatType && r.pick(2) == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == ctyValueType {
			return
		}
		if w, ok := reflect.TypeAssert[anyValue](v.Addr()); ok {
			w.setValueState(valueState(r.pick(3)))
			if w.valueState() == valueKnown {
				r.fill(w.valueElem())
			}
			return
		}
		for _, field := range v.Fields() {
			r.fill(field)
		}
	}
}

// FuzzSchemaDerivation checks that for any struct, either registration fails, or the
// schema is valid and has the type of the converted values.
func FuzzSchemaDerivation(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 4, 2, 0, 1, 4, 1, 0, 8, 0, 5, 1, 6, 0, 7})
	f.Add([]byte{2, 1, 4, 1, 0, 0, 6, 1, 0, 5, 3, 1, 2, 0, 1, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &bytesReader{data}
		fields, err := compileFields(r.structType(4))
		if err != nil {
			return
		}
		attrs, _, err := mergeFields(fields, nil, nil)
		if err != nil {
			return
		}
		body := (&form{attrs: attrs}).block("")
		if err := body.InternalValidate(); err != nil {
			t.Fatalf("an invalid schema was derived: %v", err)
		}
		ty := body.ImpliedType()
		if want := objectType(fields); !ty.Equals(want) {
			t.Fatalf("the schema is of type %#v, the values are of type %#v", ty, want)
		}
	})
}

func FuzzConversion(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 4, 2, 0, 1, 4, 1, 0, 8, 0, 5, 1, 6, 0, 7, 9, 200, 3, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &bytesReader{data}
		st := r.structType(3)
		fields, err := compileFields(st)
		if err != nil {
			return
		}
		src := reflect.New(st).Elem()
		r.fill(src)
		first, err := encoder{}.object(fields, src, cty.NilVal)
		if err != nil || !first.IsWhollyKnown() {
			return // for example elements of different dynamic types, or an unknown Value
		}
		// With the reference, a round trip changes no value, not even a zero value that would otherwise mean null.
		// Without the reference, a second round trip does not change the result of the first.
		if again := roundTrip(t, fields, st, first, first); !again.RawEquals(first) {
			t.Fatalf("the value is not the same after a round trip:\n%#v\n%#v", first, again)
		}
		second := roundTrip(t, fields, st, first, cty.NilVal)
		if third := roundTrip(t, fields, st, second, cty.NilVal); !third.RawEquals(second) {
			t.Fatalf("the value is not the same after a second round trip:\n%#v\n%#v", second, third)
		}
	})
}

func roundTrip(t *testing.T, fields []*field, st reflect.Type, v, ref cty.Value) cty.Value {
	t.Helper()
	dst := reflect.New(st).Elem()
	var d decoder
	d.object(fields, v, dst)
	if err := d.err(); err != nil {
		t.Fatalf("the encoded value cannot be decoded: %v", err)
	}
	again, err := encoder{}.object(fields, dst, ref)
	if err != nil {
		t.Fatal(err)
	}
	return again
}
