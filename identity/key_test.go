package identity_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/identity"
)

func TestKeyIsReadable(t *testing.T) {
	t.Parallel()
	v := cty.ObjectVal(map[string]cty.Value{
		"path":   cty.StringVal(`/etc/"motd"`),
		"host":   nullString,
		"port":   cty.NumberIntVal(22),
		"hidden": cty.False,
		"tags":   cty.ListVal([]cty.Value{cty.StringVal("a"), unknownString}),
	})
	want := `{"hidden":false,"host":null,"path":"/etc/\"motd\"","port":22,"tags":["a",?,],}`
	if got := identity.Key(v); got != want {
		t.Errorf("key %s, want %s", got, want)
	}
}

// TestKeyOfNumbers checks that numbers with several representations have one
// key.
func TestKeyOfNumbers(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]cty.Value{
		"integer, float":  {cty.NumberIntVal(22), cty.NumberFloatVal(22)},
		"parsed, float":   {cty.MustParseNumberVal("0.1"), cty.NumberFloatVal(0.1)},
		"zeros":           {cty.Zero, cty.NumberVal(new(big.Float).Neg(new(big.Float)))},
		"large, shorter":  {cty.MustParseNumberVal("1e2000"), cty.MustParseNumberVal("10e1999")},
		"large, negative": {cty.MustParseNumberVal("-1e2000"), cty.MustParseNumberVal("-10e1999")},
	} {
		if a, b := identity.Key(pair[0]), identity.Key(pair[1]); a != b || !pair[0].RawEquals(pair[1]) {
			t.Errorf("%s: keys %.40s and %.40s, RawEquals %t, want equal", name, a, b, pair[0].RawEquals(pair[1]))
		}
	}
	if n := len(identity.Key(cty.MustParseNumberVal("1e999999999"))); n > 1000 {
		t.Errorf("the key of a huge number has %d bytes, want at most 1000", n)
	}
}

// FuzzKeyIsInjective checks that two values of one type have the same key if
// and only if they are equal.
func FuzzKeyIsInjective(f *testing.F) {
	f.Add("a", "b", 1.0, uint8(0), "a", "b", 1.0, uint8(0))
	f.Add(`a","b`, "", 0.5, uint8(1), "a", `","b`, 0.5, uint8(0))
	f.Add("?", "null", 1e300, uint8(2), "", "", math.Copysign(0, -1), uint8(255))
	f.Add("\xff", "\ufffd", 0.1, uint8(3), "\ufffd", "\xff", 0.1, uint8(3))
	f.Fuzz(func(t *testing.T, s1, l1 string, n1 float64, k1 uint8, s2, l2 string, n2 float64, k2 uint8) {
		if n1 != n1 || n2 != n2 {
			t.Skip("not a number")
		}
		a, b := build(s1, l1, n1, k1), build(s2, l2, n2, k2)
		same := identity.Key(a) == identity.Key(b)
		if same != a.RawEquals(b) {
			t.Errorf("RawEquals %t, same key %t, want equal results for the values\n%#v\n%#v", a.RawEquals(b), same, a, b)
		}
		if a.IsWhollyKnown() && (identity.Stable(a, b) == nil) != (identity.Missing(a) || same) {
			t.Errorf("Stable: error %v, same key %t, want an error if and only if the keys differ", identity.Stable(a, b), same)
		}
	})
}

// build returns a value from fuzzed parts. Bits of kind set the flag, and replace parts with null, unknown,
// empty or joined values.
func build(s, l string, n float64, kind uint8) cty.Value {
	values := map[string]cty.Value{
		"text":   cty.StringVal(s),
		"list":   cty.ListVal([]cty.Value{cty.StringVal(l), cty.StringVal(s)}),
		"number": cty.NumberFloatVal(n),
		"flag":   cty.BoolVal(kind&1 != 0),
	}
	if kind&2 != 0 {
		values["text"] = cty.NullVal(cty.String)
	}
	if kind&4 != 0 {
		values["text"] = cty.UnknownVal(cty.String)
	}
	if kind&8 != 0 {
		values["list"] = cty.ListValEmpty(cty.String)
	}
	if kind&16 != 0 {
		values["list"] = cty.ListVal([]cty.Value{cty.StringVal(s + l)})
	}
	if kind&32 != 0 {
		values["number"] = cty.NullVal(cty.Number)
	}
	if kind&64 != 0 {
		values["flag"] = cty.UnknownVal(cty.Bool)
	}
	return cty.ObjectVal(values)
}
