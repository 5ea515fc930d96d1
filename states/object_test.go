package states_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/marks"
	"github.com/posixform/terraform-provider-posix/states"
)

var (
	testType = cty.Object(map[string]cty.Type{
		"id": cty.String, "n": cty.Number, "any": cty.DynamicPseudoType,
		"list": cty.List(cty.Object(map[string]cty.Type{"x": cty.String})),
	})
	identityType = cty.Object(map[string]cty.Type{"id": cty.String, "n": cty.Number})
)

func testObject() *states.ResourceInstanceObject {
	return &states.ResourceInstanceObject{
		Value: cty.ObjectVal(map[string]cty.Value{
			"id": cty.StringVal("i"), "n": cty.NumberFloatVal(0.1), "any": cty.TupleVal([]cty.Value{cty.True}),
			"list": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"x": cty.StringVal("s")})}),
		}),
		SensitivePaths: []cty.Path{cty.GetAttrPath("list").IndexInt(0).GetAttr("x")},
		Identity:       cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i"), "n": cty.NullVal(cty.Number)}),
		Private:        []byte("p"),
		Status:         states.ObjectTainted,
		Dependencies: []addrs.ConfigResource{
			{Module: addrs.Module{"m"}, Resource: addrs.Resource{Mode: addrs.DataResourceMode, Type: "a", Name: "b"}},
		},
		CreateBeforeDestroy: true,
		SkipDestroy:         true,
	}
}

func TestEncodeAndDecode(t *testing.T) {
	t.Parallel()
	src, err := testObject().Encode(testType, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"any":{"value":[true],"type":["tuple",["bool"]]},"id":"i","list":[{"x":"s"}],"n":0.1}`
	if got := string(src.AttrsJSON); got != want || src.SchemaVersion != 3 {
		t.Errorf("got version %d and %s\nwant version 3 and %s", src.SchemaVersion, got, want)
	}
	if got := string(src.IdentityJSON); got != `{"id":"i","n":null}` || src.IdentitySchemaVersion != 4 {
		t.Errorf(`identity: got version %d and %s, want version 4 and {"id":"i","n":null}`, src.IdentitySchemaVersion, got)
	}
	got, err := src.Decode(testType, identityType)
	if err != nil {
		t.Fatal(err)
	}
	expected := testObject()
	if !got.Value.GetAttr("n").RawEquals(cty.MustParseNumberVal("0.1")) {
		t.Errorf("the number is %#v, want 0.1", got.Value.GetAttr("n"))
	}
	// The decimal text is stored, not the nearest binary number.
	attrs := expected.Value.AsValueMap()
	attrs["n"] = cty.MustParseNumberVal("0.1")
	expected.Value = cty.ObjectVal(attrs)
	if diff := cmp.Diff(expected, got, ctyEqual); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := src.Decode(testType, cty.NilType); err != nil || got.Identity != cty.NilVal {
		t.Errorf("a type without identity: got %#v and error %v, want no identity and no error", got, err)
	}
	upgraded, err := src.CompleteUpgrade(cty.EmptyObjectVal, cty.EmptyObject, 9)
	src.SchemaVersion, src.AttrsJSON = 9, []byte("{}")
	if err != nil || !upgraded.Equal(src) {
		t.Errorf("got the upgraded object %#v and error %v, want %#v", upgraded, err, src)
	}
}

// TestEncodeRefusesOtherMarks checks that marks other than marks.Sensitive are an error.
func TestEncodeRefusesOtherMarks(t *testing.T) {
	t.Parallel()
	for _, mark := range []any{marks.Ephemeral, "sensitive", 1} {
		o := testObject()
		attrs := o.Value.AsValueMap()
		attrs["id"] = attrs["id"].Mark(marks.Sensitive).Mark(mark)
		o.Value = cty.ObjectVal(attrs)
		_, err := o.Encode(testType, 0, 0)
		at, ok := errors.AsType[cty.PathError](err)
		if !ok || !at.Path.Equals(cty.GetAttrPath("id")) || !strings.Contains(err.Error(), "which a state cannot have") {
			t.Errorf("%v: got error %v, want one about the mark at id", mark, err)
		}
	}
}

// TestEncodeKeepsSensitivePaths checks that marks become unique, sorted sensitive paths.
func TestEncodeKeepsSensitivePaths(t *testing.T) {
	t.Parallel()
	o := testObject()
	attrs := o.Value.AsValueMap()
	attrs["id"] = attrs["id"].Mark(marks.Sensitive)
	attrs["list"], _ = cty.Transform(attrs["list"], func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() == cty.String {
			return v.Mark(marks.Sensitive), nil
		}
		return v, nil
	})
	o.Value = cty.ObjectVal(attrs)
	spare := append(make([]cty.Path, 0, 8), o.SensitivePaths...)
	o.SensitivePaths = spare
	o.Dependencies = append(o.Dependencies, addrs.ConfigResource{Resource: addrs.Resource{Mode: addrs.ManagedResourceMode, Type: "a", Name: "b"}}, o.Dependencies[0])
	src, err := o.Encode(testType, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []cty.Path{cty.GetAttrPath("id"), cty.GetAttrPath("list").IndexInt(0).GetAttr("x")}
	if diff := cmp.Diff(want, src.AttrSensitivePaths, ctyEqual); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if spare[:8][1] != nil {
		t.Error("Encode wrote to the spare capacity of SensitivePaths")
	}
	if got := src.String(); got != "tainted, version 0, needs a.b, module.m.data.a.b" {
		t.Errorf("got %s, want tainted, version 0, needs a.b, module.m.data.a.b", got)
	}
}

func TestUnknownIsForPlannedObjects(t *testing.T) {
	t.Parallel()
	ty := cty.Object(map[string]cty.Type{"a": cty.String})
	o := &states.ResourceInstanceObject{Value: cty.ObjectVal(map[string]cty.Value{"a": cty.UnknownVal(cty.String)}), Status: states.ObjectReady}
	var pathErr cty.PathError
	if _, err := o.Encode(ty, 0, 0); !errors.As(err, &pathErr) || !pathErr.Path.Equals(cty.GetAttrPath("a")) {
		t.Errorf("a ready object: got error %v, want an error at a", err)
	}
	o.Status = states.ObjectPlanned
	if src, err := o.Encode(ty, 0, 0); err != nil || string(src.AttrsJSON) != `{"a":null}` {
		t.Errorf("a planned object: got %#v and error %v, want the attributes {\"a\":null} and no error", src, err)
	}
	if _, err := (&states.ResourceInstanceObject{}).Encode(ty, 0, 0); err == nil {
		t.Error("an object without a value was encoded")
	}
	bad := &states.ResourceInstanceObjectSrc{AttrsJSON: []byte(`{"a":["hidden"]}`)}
	if _, err := bad.Decode(ty, cty.NilType); !errors.As(err, &pathErr) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("a list instead of a string: got error %v, want one without the value", err)
	}
}

// filled returns a pointer to a struct with every field set.
func filled[T any](t *testing.T) *T {
	t.Helper()
	p := new(T)
	v := reflect.ValueOf(p).Elem()
	for _, f := range v.Fields() {
		fill(t, f)
	}
	return p
}

func fill(t *testing.T, f reflect.Value) {
	t.Helper()
	samples := []any{
		[]byte("{}"), true, uint64(7), states.ObjectTainted, cty.True,
		map[string]string{"a": "b"},
		[]cty.Path{cty.GetAttrPath("a")},
		testObject().Dependencies,
		map[string]json.RawMessage{"x": []byte("1")},
	}
	for _, sample := range samples {
		if s := reflect.ValueOf(sample); s.Type() == f.Type() {
			f.Set(s)
			return
		}
	}
	t.Fatalf("no sample of %s", f.Type())
}

// TestEqualComparesEveryField checks that Equal compares each field, and that a deep copy
// shares no mutable data.
func TestEqualComparesEveryField(t *testing.T) {
	t.Parallel()
	full := filled[states.ResourceInstanceObjectSrc](t)
	for i := range reflect.TypeFor[states.ResourceInstanceObjectSrc]().NumField() {
		other := *full
		field := reflect.ValueOf(&other).Elem().Field(i)
		field.SetZero()
		if full.Equal(&other) {
			t.Errorf("Equal ignores %s", reflect.TypeOf(other).Field(i).Name)
		}
	}
	if !full.Equal(full.DeepCopy()) || full.Equal(nil) || !(*states.ResourceInstanceObjectSrc)(nil).Equal(nil) {
		t.Error("Equal is wrong for a copy or for nil")
	}
	unshared(t, full, full.DeepCopy())
	o := filled[states.ResourceInstanceObject](t)
	if diff := cmp.Diff(o, o.DeepCopy(), ctyEqual); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	unshared(t, o, o.DeepCopy())
	o.Status = states.ObjectReady
	if tainted := o.AsTainted(); tainted.Status != states.ObjectTainted || o.Status != states.ObjectReady {
		t.Error("AsTainted changed the original, or did not change the copy")
	}
}

func unshared(t *testing.T, a, b any) {
	t.Helper()
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range va.NumField() {
		switch va.Field(i).Kind() {
		case reflect.Slice, reflect.Map:
			if va.Field(i).UnsafePointer() == vb.Field(i).UnsafePointer() {
				t.Errorf("%s is shared", va.Type().Field(i).Name)
			}
		}
	}
}

func TestLegacyInstanceObjectID(t *testing.T) {
	t.Parallel()
	for want, src := range map[string]*states.ResourceInstanceObjectSrc{
		"x": {AttrsJSON: []byte(`{"id":"x"}`)},
		"f": {AttrsFlat: map[string]string{"id": "f"}},
		"":  {AttrsJSON: []byte(`{"id":7}`)},
	} {
		if got := states.LegacyInstanceObjectID(src); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if states.LegacyInstanceObjectID(nil) != "" {
		t.Error("a nil object has an ID")
	}
}

// ctyEqual compares values and paths exactly. It reports that two cty.NilVal are equal.
var ctyEqual = cmp.Options{
	cmp.Comparer(func(a, b cty.Value) bool {
		return a == cty.NilVal && b == cty.NilVal || a != cty.NilVal && b != cty.NilVal && a.RawEquals(b)
	}),
	cmp.Comparer(cty.Path.Equals),
}
