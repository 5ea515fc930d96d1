package runtime_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sample has a field of every kind. Its outputs have the same fields, so each value must be
// unchanged after a round trip.
type Sample struct {
	crud[Sample, SampleOut] `tf:"-"`
	Kinds
}

type SampleOut struct{ Kinds }

type Kinds struct {
	String  string               `tf:",optional"`
	Bool    bool                 `tf:",optional"`
	Int8    *int8                ``
	Int64   *int64               ``
	Uint16  *uint16              ``
	Float32 *float32             ``
	Float   *float64             ``
	Big     *big.Float           `tf:",optional"`
	Code    *Base64              ``
	Any     any                  `tf:",optional"`
	Raw     cty.Value            `tf:",optional"`
	Value   runtime.Value[int64] ``
	List    []string             `tf:",optional"`
	Set     []int64              `tf:",optional,set"`
	Map     map[string]*string   `tf:",optional"`
	Deep    map[string][]bool    `tf:",optional"`
	Object  *Nested              ``
	Objects []Nested             `tf:",optional"`
	Block   *Nested              `tf:",block"`
	Blocks  []Nested             `tf:",block"`
}

type Nested struct {
	Key   string
	Value runtime.Value[string] `tf:",optional"`
	More  *Nested2
}

type Nested2 struct {
	N []int `tf:",optional"`
}

// Base64 is a type that parses its text.
type Base64 struct{ data []byte }

func (b *Base64) UnmarshalText(text []byte) (err error) {
	b.data, err = base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return fmt.Errorf("this is not base64")
	}
	return nil
}

func (b Base64) MarshalText() ([]byte, error) {
	return []byte(base64.StdEncoding.EncodeToString(b.data)), nil
}

func (s *Sample) Create(context.Context, runtime.NoConfig) (*SampleOut, error) {
	return &SampleOut{s.Kinds}, nil
}

func (s *Sample) Update(context.Context, runtime.NoConfig, runtime.Prior[Sample, *SampleOut]) (*SampleOut, error) {
	return &SampleOut{s.Kinds}, nil
}

func (s *Sample) Read(_ context.Context, _ runtime.NoConfig, prior *SampleOut) (*SampleOut, error) {
	return prior, nil
}

func newSample(t *testing.T) *driver {
	t.Helper()
	return newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"sample": runtime.MakeResource[Sample, *SampleOut, runtime.NoConfig](),
	}}), "test_sample")
}

func nested(key string, value, more cty.Value) cty.Value {
	return cty.ObjectVal(attrs{"key": str(key), "value": value, "more": more})
}

var (
	noString = cty.NullVal(cty.String)
	moreType = cty.Object(map[string]cty.Type{"n": cty.List(cty.Number)})
	noMore   = cty.NullVal(moreType)
)

// TestConversionsAreFaithful checks that a configured value is the same after a round
// trip through the struct.
func TestConversionsAreFaithful(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]attrs{
		"nothing set":                    {},
		"empty values":                   {"string": str(""), "bool": cty.False, "list": cty.ListValEmpty(cty.String), "set": cty.SetValEmpty(cty.Number), "map": cty.MapValEmpty(cty.String), "any": cty.EmptyObjectVal},
		"limits":                         {"int8": num(-128), "int64": num(math.MinInt64), "uint16": num(65535), "float": cty.NumberFloatVal(0.1)},
		"a number that no Go type holds": {"big": cty.MustParseNumberVal("123456789012345678901234567890.125")},
		"parsed text":                    {"code": str("aGVsbG8=")},
		"dynamic":                        {"any": cty.ObjectVal(attrs{"a": cty.TupleVal([]cty.Value{num(1), str("x"), cty.True})}), "raw": cty.ListVal([]cty.Value{str("a")})},
		"collections":                    {"list": cty.ListVal([]cty.Value{str("b"), str("a")}), "set": cty.SetVal([]cty.Value{num(2), num(1)}), "map": cty.MapVal(attrs{"k": str("v"), "null": noString})},
		"nested collections":             {"deep": cty.MapVal(attrs{"k": cty.ListVal([]cty.Value{cty.True, cty.False})})},
		"objects": {
			"object":  nested("k", str("v"), cty.ObjectVal(attrs{"n": cty.ListVal([]cty.Value{num(1)})})),
			"objects": cty.ListVal([]cty.Value{nested("a", noString, noMore), nested("b", str(""), noMore)}),
			"block":   nested("k", noString, noMore),
			"blocks":  cty.ListVal([]cty.Value{nested("x", str("y"), noMore)}),
		},
		"known Value": {"value": num(7)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSample(t)
			config := d.config(tt)
			d.apply(config)
			if !d.state.RawEquals(config) {
				t.Errorf("got  %s\nwant %s", show(t, d.state), show(t, config))
			}
			d.noChange(config)
		})
	}
}

// TestConversionErrors checks that a value that a field cannot hold is an error of the
// attribute during validation.
func TestConversionErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config attrs
		path   string
		want   string
	}{
		"too small":             {attrs{"int8": num(-129)}, "int8", "from -128 to 127"},
		"too large":             {attrs{"int8": num(128)}, "int8", "from -128 to 127"},
		"negative":              {attrs{"uint16": num(-1)}, "uint16", "from 0 to 65535"},
		"fraction":              {attrs{"int64": cty.NumberFloatVal(1.5)}, "int64", "whole number"},
		"huge":                  {attrs{"int64": cty.MustParseNumberVal("1e400")}, "int64", "from -9223372036854775808 to"},
		"huge float":            {attrs{"float": cty.MustParseNumberVal("1e400")}, "float", "too large"},
		"huge float32":          {attrs{"float32": cty.MustParseNumberVal("1e39")}, "float32", "too large"},
		"out of range in a set": {attrs{"set": cty.SetVal([]cty.Value{cty.MustParseNumberVal("1e20")})}, "set[1e+20]", "out of range"},
		"unparsable text":       {attrs{"code": str("???")}, "code", "not base64"},
		"null in a list":        {attrs{"list": cty.ListVal([]cty.Value{str("a"), noString})}, "list[1]", "required"},
		"required in blocks":    {attrs{"blocks": cty.ListVal([]cty.Value{nested("a", noString, noMore), cty.ObjectVal(attrs{"key": noString, "value": noString, "more": noMore})})}, "blocks[1].key", "required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSample(t)
			diags := d.validate(d.config(tt.config))
			if len(diags) != 1 {
				t.Fatalf("diagnostics %v, want one error", diags)
			}
			if got := diag.FormatPath(diags[0].Path); got != tt.path && !strings.HasPrefix(got, "set[") {
				t.Errorf("path %s, want %s", got, tt.path)
			}
			if !strings.Contains(diags[0].Detail, tt.want) {
				t.Errorf("detail %q does not contain %q", diags[0].Detail, tt.want)
			}
		})
	}
}

func TestUnknownInsideIsValid(t *testing.T) {
	t.Parallel()
	d := newSample(t)
	unknown := cty.UnknownVal(cty.String)
	config := d.config(attrs{
		"code": unknown, "value": cty.UnknownVal(cty.Number), "list": cty.ListVal([]cty.Value{unknown}),
		"map": cty.UnknownVal(cty.Map(cty.String)), "any": cty.DynamicVal,
		"objects": cty.ListVal([]cty.Value{nested("a", unknown, cty.UnknownVal(moreType))}),
		"blocks":  cty.UnknownVal(d.schema.Body.BlockTypes["blocks"].ImpliedType()),
	})
	if diags := d.validate(config); len(diags) != 0 {
		t.Error(diags)
	}
	if plan := d.plan(config); plan.Diagnostics.HasErrors() {
		t.Error(plan.Diagnostics)
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	var zero runtime.Value[string]
	if !zero.IsNull() || zero.IsUnknown() {
		t.Error("the zero value is not null")
	}
	if v := runtime.Unknown[string](); v.IsNull() || !v.IsUnknown() {
		t.Error("Unknown returns a known value")
	}
	if got, ok := runtime.Known("x").Get(); got != "x" || !ok {
		t.Errorf("Get returns %q, %v, want x, true", got, ok)
	}
	if _, ok := runtime.Null[string]().Get(); ok {
		t.Error("Null returns a value that is not null")
	}
	if runtime.Changed(runtime.Known(1), runtime.Known(1)) || !runtime.Changed(runtime.Known(1), runtime.Unknown[int]()) {
		t.Error("Changed does not compare Values")
	}
	a, b := "x", "x"
	if runtime.Changed(&a, &b) || runtime.Changed(big.NewFloat(1), new(big.Float).SetPrec(200).SetInt64(1)) {
		t.Error("Changed compares pointers, not the values that they point to")
	}
}

// TestAnyKeepsTypes checks that a value of type any keeps the types of the configuration, such as
// a map of numbers, if the resource returns equal Go values of other types, as from JSON.
func TestAnyKeepsTypes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config   cty.Value
		returned any
	}{
		"map":    {cty.MapVal(attrs{"a": num(5), "b": cty.NumberFloatVal(0.5)}), map[string]any{"a": float64(5), "b": 0.5}},
		"list":   {cty.ListVal([]cty.Value{num(1), num(2)}), []any{float64(1), 2}},
		"null":   {cty.MapVal(attrs{"a": num(5), "b": cty.NullVal(cty.Number)}), map[string]any{"a": int32(5), "b": nil}},
		"nested": {cty.ObjectVal(attrs{"a": cty.ListVal([]cty.Value{num(1)})}), map[string]any{"a": []any{uint8(1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newHolder[any](t)
			w.complete = func(any) any { return tt.returned }
			config := d.config(attrs{"name": str("n"), "v": tt.config})
			d.apply(config)
			if !d.attr("v").RawEquals(tt.config) {
				t.Errorf("v is %#v, want %#v", d.attr("v"), tt.config)
			}
			d.noChange(config)

			w.objects["n"] = HolderOutput[any]{Name: "n", V: map[string]any{"a": float64(6)}}
			d.refresh()
			if d.attr("v").RawEquals(tt.config) {
				t.Error("the changed value is not in the state")
			}
		})
	}
}
