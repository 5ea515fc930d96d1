package wire_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
)

// TestLaws checks that the codec encodes values to the same bytes as go-cty and decodes bytes
// to the same values.
func TestLaws(t *testing.T) {
	t.Parallel()
	if !wire.Direct() {
		t.Error("the representation of values in go-cty differs from that in direct.go")
	}
	for seed := range uint64(400) {
		checkMsgpack(t, seed)
		checkJSON(t, seed)
	}
}

func TestLawsWithoutDirectAccess(t *testing.T) { //nolint:paralleltest // see WithoutDirect
	wire.WithoutDirect(func() {
		for seed := range uint64(150) {
			checkMsgpack(t, seed)
			checkJSON(t, seed)
		}
	})
}

func FuzzLaws(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkMsgpack(t, seed)
		checkJSON(t, seed)
	})
}

func checkMsgpack(t *testing.T, seed uint64) {
	t.Helper()
	r := wiretest.Rand(seed)
	ty := wiretest.Type(r, 3)
	v := wiretest.Value(r, ty, wiretest.Options{Unknown: true})
	codec := wire.NewCodec(ty)

	want, err := ctymsgpack.Marshal(v, ty)
	if err != nil {
		t.Fatalf("seed %d: go-cty cannot encode %#v: %s", seed, v, err)
	}
	got, err := codec.AppendMsgpack(nil, v)
	if err != nil {
		t.Fatalf("seed %d: encode %#v of %#v: %s", seed, v, ty, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("seed %d: %#v of %#v is encoded as\n%q, want\n%q", seed, v, ty, got, want)
	}
	wantBack, ok := oracle(func() (cty.Value, error) { return ctymsgpack.Unmarshal(want, ty) })
	back, err := codec.DecodeMsgpack(want)
	if !ok {
		mixed(t, seed, ty, err)
		return
	}
	if err != nil {
		t.Fatalf("seed %d: decode %q of %#v: %s", seed, want, ty, err)
	}
	same(t, seed, back, wantBack)
	if again, err := codec.AppendMsgpack(nil, back); err != nil || !bytes.Equal(again, want) {
		t.Fatalf("seed %d: the decoded value is encoded as\n%q (error %v), want\n%q", seed, again, err, want)
	}
}

func checkJSON(t *testing.T, seed uint64) {
	t.Helper()
	r := wiretest.Rand(seed)
	ty := wiretest.Type(r, 3)
	v := wiretest.Value(r, ty, wiretest.Options{})
	codec := wire.NewCodec(ty)

	want, err := ctyjson.Marshal(v, ty)
	if err != nil {
		t.Fatalf("seed %d: go-cty cannot encode %#v: %s", seed, v, err)
	}
	got, err := codec.AppendJSON(nil, v)
	if err != nil {
		t.Fatalf("seed %d: encode %#v of %#v: %s", seed, v, ty, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("seed %d: %#v of %#v is encoded as\n%s, want\n%s", seed, v, ty, got, want)
	}
	wantBack, ok := oracle(func() (cty.Value, error) { return ctyjson.Unmarshal(want, ty) })
	for name, decode := range map[string]func([]byte) (cty.Value, error){"strict": codec.DecodeJSON, "lenient": codec.DecodeStateJSON} {
		back, err := decode(want)
		if !ok {
			mixed(t, seed, ty, err)
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %s decoding of %s of %#v: %s", seed, name, want, ty, err)
		}
		same(t, seed, back, wantBack)
	}
}

// mixed checks the error for a value that go-cty encodes but cannot decode: a collection
// of dynamic type with null elements, whose type is not encoded, and other elements.
func mixed(t *testing.T, seed uint64, ty cty.Type, err error) {
	t.Helper()
	if err == nil || !ty.HasDynamicTypes() {
		t.Fatalf("seed %d: for a value of type %#v that go-cty cannot decode, got error %v, want an error and a type with dynamic parts", seed, ty, err)
	}
	located(t, err)
}

// same ends the test unless both values and their types are equal.
func same(t *testing.T, seed uint64, got, want cty.Value) {
	t.Helper()
	if !got.Type().Equals(want.Type()) {
		t.Fatalf("seed %d: the decoded type is %#v, want %#v", seed, got.Type(), want.Type())
	}
	if !got.RawEquals(want) {
		t.Fatalf("seed %d: the decoded value is %#v, want %#v", seed, got, want)
	}
}

// FuzzDecodeMsgpack checks that for any input the result is a value that can be encoded,
// or an error with a path. If go-cty decodes the input, the value is the same, except for
// the cases in the package documentation and for inputs that may have refinements.
func FuzzDecodeMsgpack(f *testing.F) {
	for seed := range uint64(30) {
		r := wiretest.Rand(seed)
		ty := wiretest.Type(r, 3)
		data, err := ctymsgpack.Marshal(wiretest.Value(r, ty, wiretest.Options{Unknown: true}), ty)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, data)
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		ty := wiretest.Type(wiretest.Rand(seed), 3)
		codec := wire.NewCodec(ty)
		v, err := codec.DecodeMsgpack(data)
		refined := bytes.IndexByte(data, 0x0c) >= 0
		long := func(codes ...byte) bool {
			return slices.ContainsFunc(codes, func(code byte) bool { return bytes.IndexByte(data, code) >= 0 })
		}
		byCty := func() (cty.Value, error) {
			// Arrays and maps with a length of 32 bits, and refined lengths of 32 and 64 bits.
			if long(0xdd, 0xdf) || refined && long(0xce, 0xcf, 0xd2, 0xd3) {
				return cty.NilVal, errors.New("go-cty may allocate memory for billions of missing elements")
			}
			return ctymsgpack.Unmarshal(data, ty)
		}
		if err != nil {
			refused(t, err, byCty)
			return
		}
		if _, err := codec.AppendMsgpack(nil, v); err != nil {
			t.Fatalf("a decoded value cannot be encoded: %s", err)
		}
		// At an unknown refinement, go-cty returns wrong values and this codec
		// stops refining.
		if want, ok := oracle(byCty); ok && !v.RawEquals(want) && !refined {
			t.Fatalf("decoded %#v, go-cty decodes %#v", v, want)
		}
	})
}

func FuzzDecodeJSON(f *testing.F) {
	for seed := range uint64(30) {
		r := wiretest.Rand(seed)
		ty := wiretest.Type(r, 3)
		data, err := ctyjson.Marshal(wiretest.Value(r, ty, wiretest.Options{}), ty)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, data)
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		ty := wiretest.Type(wiretest.Rand(seed), 3)
		codec := wire.NewCodec(ty)
		if _, err := codec.DecodeStateJSON(data); err != nil {
			located(t, err)
		}
		v, err := codec.DecodeJSON(data)
		byCty := func() (cty.Value, error) { return ctyjson.Unmarshal(data, ty) }
		if err != nil {
			refused(t, err, byCty)
			return
		}
		if want, ok := oracle(byCty); ok && !v.RawEquals(want) {
			t.Fatalf("decoded %#v, go-cty decodes %#v", v, want)
		}
	})
}

// oracle returns the value that f decodes with go-cty, and reports whether f succeeds.
// go-cty panics on some inputs.
func oracle(f func() (cty.Value, error)) (v cty.Value, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v, err := f()
	return v, err == nil
}

// refused checks the error for an input that this codec rejects. If go-cty accepts the
// input, the error must be about one of the cases in the package documentation.
func refused(t *testing.T, err error, byCty func() (cty.Value, error)) {
	t.Helper()
	located(t, err)
	if _, ok := oracle(byCty); ok && !slices.ContainsFunc([]string{
		"is missing", "is repeated", "have different types", "too large or too small", "nested too deeply", "as map key", " is required, got 0",
		"the type of the value is invalid", "a number of at most",
	}, func(s string) bool { return strings.Contains(err.Error(), s) }) {
		t.Fatalf("go-cty accepts an input that this codec rejects: %s", err)
	}
}

func located(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[cty.PathError](err); !ok {
		t.Fatalf("got error %q, want a PathError", err)
	}
}
