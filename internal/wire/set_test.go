package wire_test

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
)

var (
	inner = cty.Object(map[string]cty.Type{"on": cty.Bool, "n": cty.Number})
	outer = cty.Object(map[string]cty.Type{
		"text": cty.String, "number": cty.Number, "é": cty.Bool,
		"list": cty.List(cty.String), "map": cty.Map(cty.Number), "object": inner,
		"set": cty.Set(inner), "texts": cty.Set(cty.String), "numbers": cty.Set(cty.Number), "tuple": cty.Tuple([]cty.Type{cty.String}),
	})
)

// TestEach compares the elements with those of go-cty.
func TestEach(t *testing.T) { //nolint:paralleltest // see WithoutDirect
	values := []cty.Value{
		cty.ListValEmpty(cty.Bool),
		cty.ListVal([]cty.Value{cty.StringVal("b"), cty.UnknownVal(cty.String), cty.StringVal("a").Mark("mark")}),
		cty.TupleVal([]cty.Value{cty.True, cty.StringVal("a"), cty.NullVal(cty.DynamicPseudoType)}),
		cty.MapValEmpty(cty.Bool),
		cty.MapVal(map[string]cty.Value{"b": cty.True, "a": cty.NullVal(cty.Bool)}),
	}
	check := func() {
		for _, v := range values {
			var got []cty.Value
			entries := make(map[string]cty.Value)
			wire.Each(v, func(key string, elem cty.Value) {
				got = append(got, elem)
				entries[key] = elem
			})
			if v.Type().IsMapType() {
				if want := v.AsValueMap(); !maps.EqualFunc(entries, want, cty.Value.RawEquals) {
					t.Errorf("the elements of %#v: got %#v, want %#v", v, entries, want)
				}
			} else if want := v.AsValueSlice(); !slices.EqualFunc(got, want, cty.Value.RawEquals) {
				t.Errorf("the elements of %#v: got %#v, want %#v", v, got, want)
			}
		}
	}
	check()
	wire.WithoutDirect(check)
}

// TestElements checks that Elements returns the elements in the order of go-cty.
func TestElements(t *testing.T) {
	t.Parallel()
	for seed := range uint64(72) {
		checkElements(t, seed)
	}
}

func TestElementsWithoutDirectAccess(t *testing.T) { //nolint:paralleltest // see WithoutDirect
	wire.WithoutDirect(func() {
		for seed := range uint64(24) {
			checkElements(t, seed)
		}
	})
}

func checkElements(t *testing.T, seed uint64) {
	t.Helper()
	r := wiretest.Rand(seed)
	attrs := maps.Clone(outer.AttributeTypes())
	if seed%4 != 0 {
		delete(attrs, "tuple") // sets of objects with tuples are sorted by go-cty
	}
	if seed%3 == 0 {
		attrs = map[string]cty.Type{"number": cty.Number, "object": inner} // few attributes, so that many elements are similar
	}
	ety := cty.Object(attrs)
	elems := make([]cty.Value, 1+r.IntN(20))
	for i := range elems {
		elems[i] = wiretest.Value(r, ety, wiretest.Options{Unknown: seed%2 == 0})
	}
	for _, v := range []cty.Value{cty.SetVal(elems), cty.ListVal(elems)} {
		if got, want := wire.Elements(v), v.AsValueSlice(); !slices.EqualFunc(got, want, cty.Value.RawEquals) {
			t.Fatalf("seed %d: got the elements\n%#v, want\n%#v", seed, got, want)
		}
	}
}

// TestElementsByNumber checks that numbers are sorted by their encoded form, as
// in go-cty.
func TestElementsByNumber(t *testing.T) {
	t.Parallel()
	var elems []cty.Value
	add := func(n cty.Value) {
		elems = append(elems, cty.ObjectVal(map[string]cty.Value{"n": n, "z": cty.NumberIntVal(int64(len(elems)))}))
	}
	for _, text := range []string{
		"0", "1", "-1", "9", "10", "100000", "9999999999", "10000000000", "-9999999999", "-10000000000", "12345678901", "12345678901234567890",
		"0.1", "-0.5", "1e-5", "0.00001234", "1e21", "1.5e300", "3.141592653589793", "2.000000002", "2.000000001", "99999999999.5",
	} {
		add(cty.MustParseNumberVal(text))
	}
	add(cty.NumberVal(new(big.Float).Neg(new(big.Float))))
	v := cty.SetVal(elems)
	if got, want := wire.Elements(v), v.AsValueSlice(); !slices.EqualFunc(got, want, cty.Value.RawEquals) {
		t.Errorf("got the elements\n%#v, want\n%#v", got, want)
	}
}

// TestMarkedElements checks that marks cause an error and not a panic.
func TestMarkedElements(t *testing.T) {
	t.Parallel()
	v := cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"a": cty.True.Mark("secret")})})
	if _, err := wire.NewCodec(cty.Set(cty.Object(map[string]cty.Type{"a": cty.Bool}))).AppendMsgpack(nil, v); err == nil {
		t.Error("AppendMsgpack returned no error for a set with marks")
	}
}

func BenchmarkElements(b *testing.B) {
	elems := make([]cty.Value, 200)
	for i := range elems {
		elems[i] = cty.ObjectVal(map[string]cty.Value{
			"text": cty.StringVal(fmt.Sprintf("element-%03d", i)), "number": cty.NumberIntVal(int64(i)),
			"list": cty.ListVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
		})
	}
	v := cty.SetVal(elems)
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			wire.Elements(v)
		}
	})
	b.Run("go-cty", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.AsValueSlice()
		}
	})
}

// TestErrorsInsideSets checks that an error inside an element of a set has the
// path of the set, because elements have no names.
func TestErrorsInsideSets(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.Object(map[string]cty.Type{"links": cty.Set(cty.Object(map[string]cty.Type{"page": cty.String}))}))
	for name, decode := range map[string]func() (cty.Value, error){
		"JSON":    func() (cty.Value, error) { return codec.DecodeStateJSON([]byte(`{"links":[{"page":[]}]}`)) },
		"msgpack": func() (cty.Value, error) { return codec.DecodeMsgpack([]byte("\x81\xa5links\x91\x81\xa4page\xc1")) },
	} {
		_, err := decode()
		var at cty.PathError
		if !errors.As(err, &at) || !at.Path.Equals(cty.GetAttrPath("links")) {
			t.Errorf("%s: got error %v at %#v, want an error at links", name, err, at.Path)
		}
	}
	wrong := cty.ObjectVal(map[string]cty.Value{"links": cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"page": cty.True})})})
	for name, encode := range map[string]func([]byte, cty.Value) ([]byte, error){"JSON": codec.AppendJSON, "msgpack": codec.AppendMsgpack} {
		_, err := encode(nil, wrong)
		var at cty.PathError
		if !errors.As(err, &at) || !at.Path.Equals(cty.GetAttrPath("links")) {
			t.Errorf("encode as %s: got error %v at %#v, want an error at links", name, err, at.Path)
		}
	}
}
