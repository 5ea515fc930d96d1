package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

type servicePort struct {
	Number int64
	Host   runtime.Value[string]
}

// serviceRequest is the request that a provider sends to a service, built from the
// inputs of a resource.
type serviceRequest struct {
	Name  runtime.Value[string]            `json:"name"`
	Size  runtime.Value[int64]             `json:"size,omitzero"`
	Tags  runtime.Value[map[string]string] `json:"tags"`
	Ports runtime.Value[[]servicePort]     `json:"ports"`
	Main  *runtime.Value[bool]             `json:"main,omitempty"`
}

func TestValueAsJSON(t *testing.T) {
	t.Parallel()
	yes := runtime.Known(true)
	for name, tt := range map[string]struct {
		value serviceRequest
		want  string
	}{
		"null":  {serviceRequest{}, `{"name":null,"tags":null,"ports":null}`},
		"empty": {serviceRequest{Name: runtime.Known(""), Size: runtime.Known[int64](0)}, `{"name":"","size":0,"tags":null,"ports":null}`},
		"known": {
			serviceRequest{
				Name: runtime.Known("a\"b"), Size: runtime.Known[int64](math.MaxInt64), Tags: runtime.Known(map[string]string{"k": "v"}),
				Ports: runtime.Known([]servicePort{{1, runtime.Null[string]()}, {2, runtime.Known("h")}}), Main: &yes,
			},
			`{"name":"a\"b","size":9223372036854775807,"tags":{"k":"v"},"ports":[{"Number":1,"Host":null},{"Number":2,"Host":"h"}],"main":true}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(tt.value)
			if err != nil || string(text) != tt.want {
				t.Errorf("encoded as %s with error %v, want %s", text, err, tt.want)
			}
			var back serviceRequest
			if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, tt.value) {
				t.Errorf("decoded as %+v with error %v, want %+v", back, err, tt.value)
			}
		})
	}
}

// TestUnknownValueHasNoJSON checks that an unknown value cannot be encoded as JSON at
// any depth, so that it cannot be mistaken for null.
func TestUnknownValueHasNoJSON(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"itself":  runtime.Unknown[string](),
		"a field": serviceRequest{Size: runtime.Unknown[int64]()},
		"deep":    serviceRequest{Ports: runtime.Known([]servicePort{{1, runtime.Unknown[string]()}})},
	} {
		if text, err := json.Marshal(v); !errors.Is(err, runtime.ErrUnknownJSON) {
			t.Errorf("%s is encoded as %s with error %v, want ErrUnknownJSON", name, text, err)
		}
	}
}

// TestUnmarshalReplacesValue checks that unmarshalling replaces the old value, or keeps it if
// the text is invalid.
func TestUnmarshalReplacesValue(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		was     runtime.Value[[]int]
		text    string
		want    runtime.Value[[]int]
		wantErr string
	}{
		"null over known":    {runtime.Known([]int{1}), "null", runtime.Null[[]int](), ""},
		"known over known":   {runtime.Known([]int{1, 2}), " [3] ", runtime.Known([]int{3}), ""},
		"known over null":    {runtime.Null[[]int](), "[]", runtime.Known([]int{}), ""},
		"known over unknown": {runtime.Unknown[[]int](), "[4]", runtime.Known([]int{4}), ""},
		"another type":       {runtime.Known([]int{1}), `[9,"x"]`, runtime.Known([]int{1}), "cannot unmarshal string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := json.Unmarshal([]byte(tt.text), &tt.was)
			if !reflect.DeepEqual(tt.was, tt.want) || (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("decoded as %+v with error %v, want %+v and an error with %q", tt.was, err, tt.want, tt.wantErr)
			}
		})
	}
}

// TestValueRoundTrip checks that known and null values survive a JSON round trip, for types that
// survive it without Value, and for a struct with a Value.
func TestValueRoundTrip(t *testing.T) {
	t.Parallel()
	for _, law := range []any{
		func(v string, state uint8) error { return roundTrip(strings.ToValidUTF8(v, "?"), state) },
		roundTrip[bool], roundTrip[int64], roundTrip[uint8], roundTrip[float64], roundTrip[[3]int32], roundTrip[struct{ A, B int16 }],
		func(v []int8, state uint8) error { return roundTrip(append([]int8{}, v...), state) },
		roundTrip[map[int16]bool],
		func(v int32, state uint8) error {
			return roundTrip(struct{ V runtime.Value[int32] }{runtime.Known(v)}, state)
		},
	} {
		holds := reflect.ValueOf(law)
		in := []reflect.Type{holds.Type().In(0), holds.Type().In(1)}
		check := reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{reflect.TypeFor[bool]()}, false), func(args []reflect.Value) []reflect.Value {
			err, _ := reflect.TypeAssert[error](holds.Call(args)[0])
			if err != nil {
				t.Error(err)
			}
			return []reflect.Value{reflect.ValueOf(err == nil)}
		})
		if err := quick.Check(check.Interface(), nil); err != nil {
			t.Error(err)
		}
	}
}

func roundTrip[T any](v T, state uint8) error {
	value := runtime.Known(v)
	if state%4 == 0 {
		value = runtime.Null[T]()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %+v: %w", value, err)
	}
	var back runtime.Value[T]
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, value) {
		return errors.Join(err, fmt.Errorf("%+v is encoded as %s and decoded as %+v", value, text, back))
	}
	return nil
}

// TestUnknownDynamicValue checks that methods are not called while a cty.Value is not wholly
// known, unless it is in a Value.
func TestUnknownDynamicValue(t *testing.T) {
	t.Parallel()
	for _, v := range []cty.Value{
		cty.DynamicVal, cty.UnknownVal(cty.String), cty.TupleVal([]cty.Value{cty.UnknownVal(cty.String)}),
	} {
		plain, d := newHolder[cty.Value](t)
		plain.validate = func(cty.Value) error { return errors.New("called") }
		if diags := d.plan(d.config(attrs{"name": str("n"), "v": v})).Diagnostics; len(diags) > 0 {
			t.Errorf("%#v: got diagnostics %v, want none, because ValidateInputs must not be called", v, diags)
		}
		wrapped, d := newHolder[runtime.Value[cty.Value]](t)
		called := false
		wrapped.validate = func(x runtime.Value[cty.Value]) error {
			got, known := x.Get()
			called = !known || !got.IsWhollyKnown()
			return nil
		}
		if diags := d.plan(d.config(attrs{"name": str("n"), "v": v})).Diagnostics; len(diags) > 0 || !called {
			t.Errorf("%#v in a Value: ValidateInputs got an unknown value: %t, want true; got diagnostics %v, want none", v, called, diags)
		}
	}
}

// Picker has inputs of types that can hold an unknown value, whose values Create determines if they
// are not configured.
type Picker struct {
	Name string
	Size runtime.Value[int64]
	Raw  cty.Value `tf:",optional"`
	Part *PickerPart
}

type PickerPart struct {
	Key   string
	Label runtime.Value[string] `tf:",optional,computed"`
}

type PickerOutput struct {
	Name string
	Size runtime.Value[int64] `tf:",computed"`
	Raw  cty.Value            `tf:",computed"`
	Part *PickerPart
}

// Create determines the size, the raw value and the label if they are null.
func (p *Picker) Create(context.Context, runtime.NoConfig) (*PickerOutput, error) {
	out := &PickerOutput{p.Name, p.Size, p.Raw, p.Part}
	if p.Size.IsNull() {
		out.Size = runtime.Known[int64](3)
	}
	if p.Raw.IsNull() {
		out.Raw = cty.StringVal("raw")
	}
	if p.Part != nil && p.Part.Label.IsNull() {
		out.Part = &PickerPart{p.Part.Key, runtime.Known("label")}
	}
	return out, nil
}

func (*Picker) Read(_ context.Context, _ runtime.NoConfig, prior *PickerOutput) (*PickerOutput, error) {
	return prior, nil
}

func (p *Picker) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Picker, *PickerOutput]) (*PickerOutput, error) {
	return p.Create(ctx, cfg)
}

func (*Picker) Delete(context.Context, runtime.NoConfig, *PickerOutput) error { return nil }

// TestApplyGetsNoUnknownValues checks that inputs that are not configured are null in Create and
// Update, although the plan has unknown values for them.
func TestApplyGetsNoUnknownValues(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"picker": runtime.MakeResource[Picker, *PickerOutput, runtime.NoConfig](),
	}}), "test_picker")
	part := func(label cty.Value) cty.Value { return cty.ObjectVal(attrs{"key": str("k"), "label": label}) }
	for _, name := range []string{"created", "updated"} {
		config := d.config(attrs{"name": str(name), "part": part(cty.NullVal(cty.String))})
		d.apply(config)
		want := cty.ObjectVal(attrs{"name": str(name), "size": num(3), "raw": str("raw"), "part": part(str("label"))})
		if !d.state.RawEquals(want) {
			t.Errorf("%s: state %#v, want %#v", name, d.state, want)
		}
		d.noChange(config)
	}
}
