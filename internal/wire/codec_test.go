package wire_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// person has a part of each kind of type, except for capsules.
var person = cty.Object(map[string]cty.Type{
	"name":   cty.String,
	"age":    cty.Number,
	"any":    cty.DynamicPseudoType,
	"tags":   cty.Map(cty.String),
	"groups": cty.Set(cty.String),
	"homes":  cty.List(cty.Object(map[string]cty.Type{"path": cty.String})),
	"pair":   cty.Tuple([]cty.Type{cty.String, cty.Bool}),
})

// rawPerson encodes a person whose attributes are the given bytes, or null.
func rawPerson(t *testing.T, raw map[string]string) []byte {
	t.Helper()
	names := []string{"age", "any", "groups", "homes", "name", "pair", "tags"}
	b := []byte{0x80 | byte(len(names))}
	for _, name := range names {
		b = append(b, 0xa0|byte(len(name)))
		b = append(b, name...)
		if value, ok := raw[name]; ok {
			b = append(b, value...)
		} else {
			b = append(b, 0xc0)
		}
	}
	return b
}

func TestDecodeMsgpackErrors(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("\x92\xc4\x09\"dynamic\"", 200) + "\xc0"
	deepType := "\x92\xc5\x03\xe8" + strings.Repeat(`["list",`, 125) + "\xc0"
	tests := map[string]struct {
		raw        map[string]string
		path, text string
	}{
		"a number for a string":        {map[string]string{"name": "\x05"}, "name", "a string is required"},
		"a string for a number":        {map[string]string{"age": "\xa3old"}, "age", "a number is required"},
		"not a number":                 {map[string]string{"age": "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01"}, "age", "not NaN"},
		"a huge number":                {map[string]string{"age": "\xa61e9999"}, "age", "too large"},
		"a list element":               {map[string]string{"homes": "\x92\x81\xa4path\xa1a\x81\xa4path\x01"}, "homes[1].path", "a string is required"},
		"a missing attribute":          {map[string]string{"homes": "\x91\x80"}, "homes[0]", `attribute "path" is missing`},
		"an unknown attribute":         {map[string]string{"homes": "\x91\x82\xa4path\xa1a\xa4root\xa1b"}, "homes[0]", `unsupported attribute "root"`},
		"a repeated attribute":         {map[string]string{"homes": "\x91\x82\xa4path\xa1a\xa4path\xa1b"}, "homes[0]", `attribute "path" is repeated`},
		"a map element":                {map[string]string{"tags": "\x81\xa3key\x90"}, `tags["key"]`, "a string is required"},
		"a map key":                    {map[string]string{"tags": "\x81\x01\xa1a"}, "tags", "as map key"},
		"a set element":                {map[string]string{"groups": "\x92\xa1a\x01"}, "groups", "a string is required"},
		"a short tuple":                {map[string]string{"pair": "\x91\xa1a"}, "pair", "a tuple of 2 elements is required, got 1"},
		"a tuple element":              {map[string]string{"pair": "\x92\xa1a\x01"}, "pair[1]", "a bool is required"},
		"a list longer than the input": {map[string]string{"homes": "\xdd\xff\xff\xff\xff"}, "homes", "ends too early"},
		"a map longer than the input":  {map[string]string{"tags": "\xdf\xff\xff\xff\xff"}, "tags", "ends too early"},
		"a text longer than the input": {map[string]string{"name": "\xdb\xff\xff\xff\xff"}, "name", "ends too early"},
		"deeply nested values":         {map[string]string{"any": deep}, "any", "nested too deeply"},
		"a deeply nested type":         {map[string]string{"any": deepType}, "any", "nested too deeply"},
		"an invalid type":              {map[string]string{"any": "\x92\xc4\x07\"thing\"\xc0"}, "any", "the type of the value is invalid"},
		"elements of different types":  {map[string]string{"any": "\x92\xc4\x12[\"list\",\"dynamic\"]\x92\x92\xc4\x08\"string\"\xa1a\x92\xc4\x06\"bool\"\xc3"}, "any", "have different types"},
		"refinements that contradict":  {map[string]string{"age": "\xc7\x09\x0c\x82\x03\x92\x05\xc3\x04\x92\x01\xc3"}, "age", "contradict"},
		"lengths that contradict":      {map[string]string{"homes": "\xc7\x05\x0c\x82\x05\x02\x06\x01"}, "homes", "contradict"},
		"refinements of another type":  {map[string]string{"age": "\xc7\x04\x0c\x81\x02\xa1a"}, "age", "invalid for its type"},
		"too many refinements":         {map[string]string{"name": "\xc8\x08\x00\x0c" + strings.Repeat("\x80", 2048)}, "name", "too long"},
		"an extension":                 {map[string]string{"name": "\xd5\x07ab"}, "name", "extension type 0x07"},
	}
	codec := wire.NewCodec(person)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := codec.DecodeMsgpack(rawPerson(t, tt.raw))
			wantError(t, err, tt.path, tt.text)
		})
	}
}

func wantError(t *testing.T, err error, path, text string) {
	t.Helper()
	at, ok := errors.AsType[cty.PathError](err)
	if !ok {
		t.Fatalf("got error %v, want a PathError at %q", err, path)
	}
	if got := diag.FormatPath(at.Path); got != path {
		t.Errorf("got an error at %q, want an error at %q", got, path)
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("got error %q, want one that contains %q", err, text)
	}
}

// TestErrorsHaveNoValues checks that the error for invalid data does not contain the data,
// which may be secret.
func TestErrorsHaveNoValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	codec := wire.NewCodec(person)
	for name, data := range map[string][]byte{
		"string for a number": rawPerson(t, map[string]string{"age": "\xa7" + secret}),
		"string for a bool":   rawPerson(t, map[string]string{"pair": "\x92\xa1a\xa7" + secret}),
	} {
		if _, err := codec.DecodeMsgpack(data); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got error %v, want one without the value", name, err)
		}
	}
	for _, data := range []string{`{"age":"` + secret + `"}`, `{"pair":["a","` + secret + `"]}`} {
		if _, err := codec.DecodeJSON([]byte(data)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got error %v, want one without the value", data, err)
		}
	}
}

func TestDecodeJSONErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ data, path, text string }{
		"nothing":                 {``, "", "a JSON object is required"},
		"an array":                {`[]`, "", "a JSON object is required"},
		"an object for a string":  {`{"name":{}}`, "name", "a string is required"},
		"a bool for a number":     {`{"age":true}`, "age", "a number is required"},
		"a string for a number":   {`{"age":"old"}`, "age", "a number is required"},
		"a string for a bool":     {`{"pair":["a","perhaps"]}`, "pair[1]", "a bool is required"},
		"a list element":          {`{"homes":[{"path":"a"},{"path":[]}]}`, "homes[1].path", "a string is required"},
		"a map element":           {`{"tags":{"key":[]}}`, `tags["key"]`, "a string is required"},
		"a long tuple":            {`{"pair":["a",true,1]}`, "pair", "got more"},
		"a short tuple":           {`{"pair":["a"]}`, "pair", "got 1"},
		"an unknown attribute":    {`{"homes":[{"root":1}]}`, "homes[0]", `unsupported attribute "root"`},
		"a value without type":    {`{"any":{"value":1}}`, "any", "keys type and value"},
		"a value with other keys": {`{"any":{"value":1,"typ":"number"}}`, "any", `unexpected key "typ"`},
		"an incomplete object":    {`{"any":{"type":["list",["object",{"a":"string","b":"string"}]],"value":[{"a":"x"}]}}`, "any[0]", `attribute "b" is missing`},
		"a huge number":           {`{"age":1e5000}`, "age", "too large"},
		"an open string":          {`{"name":"a`, "name", "not valid JSON"},
		"a bad escape":            {`{"name":"\x"}`, "name", "not valid JSON"},
		"a bad literal":           {`{"name":nul}`, "name", "not valid JSON"},
	}
	codec := wire.NewCodec(person)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := codec.DecodeJSON([]byte(tt.data))
			wantError(t, err, tt.path, tt.text)
		})
	}
}

// TestDecodeStateJSON checks that missing attributes become null, that additional attributes are
// ignored, and that a damaged document is an error.
func TestDecodeStateJSON(t *testing.T) {
	t.Parallel()
	ty := cty.Object(map[string]cty.Type{
		"name":  cty.String,
		"new":   cty.Number,
		"homes": cty.List(cty.Object(map[string]cty.Type{"path": cty.String, "new": cty.Bool})),
	})
	got, err := wire.NewCodec(ty).DecodeStateJSON([]byte(
		`{"gone":{"a":[1,"\ud83e\udd37",null,{"b":true}]},"homes":[{"old":1.5e3,"path":"/root"}],"name":"x","zz":false}`))
	if err != nil {
		t.Fatal(err)
	}
	want := cty.ObjectVal(map[string]cty.Value{
		"name":  cty.StringVal("x"),
		"new":   cty.NullVal(cty.Number),
		"homes": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal("/root"), "new": cty.NullVal(cty.Bool)})}),
	})
	if !got.RawEquals(want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	for _, damaged := range []string{"null6", `{"name":"x"}{}`, "null {}", `{"name":"x"}` + "\x00"} {
		if v, err := wire.NewCodec(ty).DecodeStateJSON([]byte(damaged)); err == nil {
			t.Errorf("%q: got %#v, want an error", damaged, v)
		}
	}
	if _, err := wire.NewCodec(ty).DecodeStateJSON([]byte("{} \r\n\t")); err != nil {
		t.Errorf("whitespace after the object: got error %v, want none", err)
	}
	deep := `{"gone":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`
	if _, err := wire.NewCodec(ty).DecodeStateJSON([]byte(deep)); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("a deeply nested ignored value: got error %v, want that it is nested too deeply", err)
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	object := func(name string, v cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("x"), name: v})
	}
	ty := cty.Object(map[string]cty.Type{"name": cty.String, "v": cty.Map(cty.Number)})
	secret := cty.MapVal(map[string]cty.Value{"k": cty.NumberIntVal(1).Mark("secret")})
	huge := cty.MapVal(map[string]cty.Value{"k": cty.MustParseNumberVal("1e5000")})
	tests := map[string]struct {
		v          cty.Value
		path, text string
	}{
		"no value":               {cty.NilVal, "", "the value is missing"},
		"another type":           {cty.StringVal("x"), "", "object required, but received string"},
		"a missing attribute":    {cty.EmptyObjectVal, "", `missing required attribute "name"`},
		"an extra attribute":     {object("w", cty.True), "", `missing required attribute "v"`},
		"another attribute type": {object("v", cty.StringVal("x")), "v", "map of number required, but received string"},
		"another element type":   {object("v", cty.MapVal(map[string]cty.Value{"k": cty.True})), `v["k"]`, "number required, but received bool"},
		"a null of another type": {object("v", cty.NullVal(cty.Bool)), "v", "map of number required, but received bool"},
		"a mark":                 {object("v", secret), `v["k"]`, "a marked value"},
		"a huge number":          {object("v", huge), `v["k"]`, "too large"},
	}
	codec := wire.NewCodec(ty)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for form, encode := range map[string]func([]byte, cty.Value) ([]byte, error){"msgpack": codec.AppendMsgpack, "json": codec.AppendJSON} {
				got, err := encode([]byte("before"), tt.v)
				wantError(t, err, tt.path, tt.text)
				if string(got) != "before" {
					t.Errorf("%s: the prefix changed to %q, want before", form, got)
				}
			}
		})
	}
	if _, err := codec.AppendJSON(nil, object("v", cty.UnknownVal(cty.Map(cty.Number)))); err == nil {
		t.Error("an unknown value: got no error")
	}
	if _, err := wire.NewCodec(cty.Number).AppendJSON(nil, cty.PositiveInfinity); err == nil {
		t.Error("infinity: got no error")
	}
}

// TestEncodeUntyped checks that a null or unknown value of dynamic type can be encoded as
// a value of any type.
func TestEncodeUntyped(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(person)
	for name, tt := range map[string]struct {
		v    cty.Value
		want string
	}{
		"null":    {cty.NullVal(cty.DynamicPseudoType), "\xc0"},
		"unknown": {cty.DynamicVal, "\xd4\x00\x00"},
	} {
		got, err := codec.AppendMsgpack(nil, tt.v)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
		}
	}
}

func TestTypesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	if got := wire.NewCodec(cty.NilType).Type(); got != cty.DynamicPseudoType {
		t.Errorf("got type %#v for NilType, want the dynamic type", got)
	}
	pipe := cty.Capsule("pipe", reflect.TypeFor[int]())
	codec := wire.NewCodec(pipe)
	if _, err := codec.AppendMsgpack(nil, cty.CapsuleVal(pipe, new(int))); err == nil {
		t.Error("encoding a capsule: got no error")
	}
	if _, err := codec.DecodeMsgpack([]byte{0}); err == nil {
		t.Error("decoding a capsule: got no error")
	}
	if v, err := codec.DecodeMsgpack([]byte{0xc0}); err != nil || !v.RawEquals(cty.NullVal(pipe)) {
		t.Errorf("a null: got %#v and error %v, want null", v, err)
	}
	if _, err := wire.NewCodec(cty.DynamicPseudoType).AppendMsgpack(nil, cty.CapsuleVal(pipe, new(int))); err == nil {
		t.Error("encoding a capsule as dynamic: got no error")
	}
}

func TestDecodeDynamic(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.String)
	tests := map[string]struct {
		in   *tfplugin.DynamicValue
		want cty.Value
	}{
		"nil":                   {nil, cty.NullVal(cty.String)},
		"empty":                 {&tfplugin.DynamicValue{}, cty.NullVal(cty.String)},
		"empty but not nil":     {&tfplugin.DynamicValue{MsgPack: []byte{}, JSON: []byte{}}, cty.NullVal(cty.String)},
		"msgpack":               {&tfplugin.DynamicValue{MsgPack: []byte("\xa1m")}, cty.StringVal("m")},
		"JSON":                  {&tfplugin.DynamicValue{JSON: []byte(`"j"`)}, cty.StringVal("j")},
		"both":                  {&tfplugin.DynamicValue{MsgPack: []byte("\xa1m"), JSON: []byte(`"j"`)}, cty.StringVal("m")},
		"bytes after the value": {&tfplugin.DynamicValue{MsgPack: []byte("\xa1m\xa1n")}, cty.StringVal("m")},
		"a byte string":         {&tfplugin.DynamicValue{MsgPack: []byte("\xc4\x01m")}, cty.StringVal("m")},
		"not normalised":        {&tfplugin.DynamicValue{MsgPack: []byte("\xa3e\u0301")}, cty.StringVal("é")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := codec.DecodeDynamic(tt.in)
			if err != nil || !got.RawEquals(tt.want) {
				t.Errorf("got %#v, %v, want %#v", got, err, tt.want)
			}
		})
	}
	if dv, err := codec.EncodeDynamic(cty.NilVal); dv != nil || err != nil {
		t.Errorf("no value: got %v and error %v, want nil and no error", dv, err)
	}
}

// TestEncodeDynamicOwnsItsBytes checks that reusing buffers does not change earlier
// results.
func TestEncodeDynamicOwnsItsBytes(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.String)
	first, err := codec.EncodeDynamic(cty.StringVal("first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := codec.EncodeDynamic(cty.StringVal("other")); err != nil {
		t.Fatal(err)
	}
	if string(first.MsgPack) != "\xa5first" {
		t.Errorf("an earlier result changed to %q, want first", first.MsgPack)
	}
}

// TestClaimedLengths checks that decoding allocates memory in proportion to the input, even if
// nested collections together claim more elements than the input has.
func TestClaimedLengths(t *testing.T) { //nolint:paralleltest // it measures the allocations of the process
	const maps, depth = 60, 99
	ty := strings.Repeat(`["map",`, maps) + `"dynamic"` + strings.Repeat("]", maps)
	one := string([]byte{0x92, 0xda, byte(len(ty) >> 8), byte(len(ty) & 0xff)}) + ty + strings.Repeat("\xde\x04\x00\xa0", maps) // [type, maps of 1,024 elements]
	input := []byte(strings.Repeat(one, depth) + strings.Repeat("\x00", 1<<12))
	codec := wire.NewCodec(cty.DynamicPseudoType)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	_, err := codec.DecodeMsgpack(input)
	goruntime.ReadMemStats(&after)
	if at, ok := errors.AsType[cty.PathError](err); !ok || len(at.Path) != maps*depth {
		t.Fatalf("got error %v, want one in the innermost value", err)
	}
	if allocated, limit := after.TotalAlloc-before.TotalAlloc, uint64(256*len(input)); allocated > limit {
		t.Errorf("allocated %d bytes for an input of %d bytes, want at most %d", allocated, len(input), limit)
	}
}

func TestHugeString(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	const size = 64 << 20
	codec := wire.NewCodec(cty.String)
	v := cty.StringVal(strings.Repeat("x", size))
	dv, err := codec.EncodeDynamic(v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := codec.DecodeDynamic(dv)
	if err != nil || len(back.AsString()) != size {
		t.Errorf("a string of 64 MiB: got error %v or another length", err)
	}
}

// TestNumbersOfLowPrecision checks that numbers with the precision of a float64 are encoded
// as by go-cty.
func TestNumbersOfLowPrecision(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.Number)
	for _, f := range []float64{6422977467335950336, 1e300, -1e22, 1 << 53, 1<<53 + 2, 0, math.Copysign(0, -1), 0.1} {
		v := cty.NumberFloatVal(f)
		wantMsgpack, _ := ctymsgpack.Marshal(v, cty.Number)
		wantJSON, _ := ctyjson.Marshal(v, cty.Number)
		if got, err := codec.AppendMsgpack(nil, v); err != nil || string(got) != string(wantMsgpack) {
			t.Errorf("%g is encoded as %q, error %v, want %q", f, got, err, wantMsgpack)
		}
		if got, err := codec.AppendJSON(nil, v); err != nil || string(got) != string(wantJSON) {
			t.Errorf("%g is encoded as %s, error %v, want %s", f, got, err, wantJSON)
		}
	}
}

// TestJSONText checks that JSON strings, numbers and literals are decoded as by go-cty, and
// that invalid texts are errors, except for 01: the codec ignores bytes after the value 0.
func TestJSONText(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.String)
	for _, data := range []string{
		`"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\u65e5"`, `"\ud83e\udd37!"`, `"\ud83e"`, `"\ud83e\ud83e\udd37"`, `"\udd37\ud83e"`,
		`"\ud83e\u0041"`, `"\ud83ex"`, `"e\u0301"`, "\"e\u0301\"", "\"a\xff\xfeb\"", "\"a\xffb\\n\"", "\"\u2028\"", `1.50`, `-0`, `1e3`, `true`, `false`, `null`, ` "a" `,
	} {
		want, err := ctyjson.Unmarshal([]byte(data), cty.String)
		if err != nil {
			t.Fatal(data, err)
		}
		if got, err := codec.DecodeJSON([]byte(data)); err != nil || !got.RawEquals(want) {
			t.Errorf("%s is decoded as %#v, error %v, want %#v", data, got, err, want)
		}
	}
	for _, data := range []string{`"`, `"\`, `"\"`, `"\u12"`, `"\u12x4"`, `"\ud83e\u1"`, "\"\n\"", `01`, `1.`, `.5`, `1e`, `-`, `+1`, `tru`, `nul`, `'a'`} {
		if got, err := codec.DecodeJSON([]byte(data)); err == nil && !strings.HasPrefix(data, "0") {
			t.Errorf("%s is decoded as %#v, want an error", data, got)
		}
	}
}

// TestMapKeysAreNormalised checks that keys that are equal after normalisation are the
// same key.
func TestMapKeysAreNormalised(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.Map(cty.String))
	want := cty.MapVal(map[string]cty.Value{"é": cty.StringVal("b")})
	if got, err := codec.DecodeMsgpack([]byte("\x82\xa2é\xa1a\xa3e\u0301\xa1b")); err != nil || !got.RawEquals(want) {
		t.Errorf("msgpack: got %#v, error %v, want %#v", got, err, want)
	}
	if got, err := codec.DecodeJSON([]byte(`{"é":"a","e\u0301":"b"}`)); err != nil || !got.RawEquals(want) {
		t.Errorf("JSON: got %#v, error %v, want %#v", got, err, want)
	}
}

func TestNegativeZero(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.Number)
	v, err := codec.DecodeJSON([]byte("-0"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := codec.AppendJSON(nil, v); err != nil || string(got) != "-0" {
		t.Errorf("-0 is encoded as %s, error %v, want -0", got, err)
	}
}

// TestRefinements checks that refinements of unknown values are encoded and decoded.
func TestRefinements(t *testing.T) {
	t.Parallel()
	for _, v := range []cty.Value{
		cty.UnknownVal(cty.Bool).RefineNotNull(),
		cty.UnknownVal(cty.String).Refine().NotNull().StringPrefixFull("https://").NewValue(),
		cty.UnknownVal(cty.Number).Refine().NumberRangeInclusive(cty.Zero, cty.NumberIntVal(math.MaxInt32)).NewValue(),
		cty.UnknownVal(cty.List(cty.String)).Refine().CollectionLengthUpperBound(7).NewValue(),
	} {
		codec := wire.NewCodec(v.Type())
		data, err := codec.AppendMsgpack(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := codec.DecodeMsgpack(data); err != nil || !got.RawEquals(v) {
			t.Errorf("got %#v, %v, want %#v", got, err, v)
		}
	}
	prefix := cty.UnknownVal(cty.String).Refine().StringPrefixFull(strings.Repeat("p", 5000)).NewValue()
	got, err := wire.NewCodec(cty.String).AppendMsgpack(nil, prefix)
	want, wantErr := ctymsgpack.Marshal(prefix, cty.String)
	if err != nil || wantErr != nil || string(got) != string(want) {
		t.Errorf("a long prefix is encoded as %q, %v, want %q, %v", got, err, want, wantErr)
	}
}

// TestListsOfKnownLength checks that an unknown list becomes a list of unknown elements
// only if it is short, because the length takes only a few bytes in the input.
func TestListsOfKnownLength(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.List(cty.Bool))
	elem := cty.UnknownVal(cty.Bool)
	for name, tt := range map[string]struct {
		data string
		want cty.Value
	}{
		"short":              {"\xc7\x07\x0c\x83\x01\xc2\x05\x02\x06\x02", cty.ListVal([]cty.Value{elem, elem})},
		"long":               {"\xc7\x0f\x0c\x83\x01\xc2\x05\xce\x00\x10\x00\x00\x06\xce\x00\x10\x00\x00", unknown.Refine().NotNull().CollectionLengthLowerBound(1 << 20).NewValue()},
		"long, perhaps null": {"\xc7\x0d\x0c\x82\x05\xce\x00\x10\x00\x00\x06\xce\x00\x10\x00\x00", unknown.Refine().CollectionLengthLowerBound(1 << 20).NewValue()},
		"upper bound first":  {"\xc7\x0b\x0c\x83\x06\xcd\x10\x00\x05\xcd\x10\x00\x01\xc2", unknown.Refine().NotNull().CollectionLengthLowerBound(1 << 12).NewValue()},
	} {
		if got, err := wire.NewCodec(unknown.Type()).DecodeMsgpack([]byte(tt.data)); err != nil || !got.RawEquals(tt.want) {
			t.Errorf("%s: got %.200s, error %v, want %#v", name, got.GoString(), err, tt.want)
		}
	}
}

func ExampleCodec() {
	codec := wire.NewCodec(cty.Object(map[string]cty.Type{"path": cty.String, "size": cty.Number}))
	data, _ := codec.AppendMsgpack(nil, cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal("/etc/motd"), "size": cty.NumberIntVal(12)}))
	v, _ := codec.DecodeMsgpack(data)
	fmt.Println(v.GetAttr("path").AsString())
	_, err := codec.DecodeJSON([]byte(`{"path":"/etc/motd","size":"large"}`))
	fmt.Println(err)
	// Output:
	// /etc/motd
	// a number is required
}
