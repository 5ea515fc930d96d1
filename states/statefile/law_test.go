package statefile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/states/statefile"
)

func text(t *testing.T, f *statefile.File) string {
	t.Helper()
	var out bytes.Buffer
	if err := statefile.Write(f, &out); err != nil {
		t.Fatalf("%v in\n%s", err, f.State)
	}
	return out.String()
}

// pick returns true with a probability of 1/n.
func pick(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

func randomObject(r *rand.Rand) *states.ResourceInstanceObjectSrc {
	obj := &states.ResourceInstanceObjectSrc{
		SchemaVersion:       r.Uint64N(3),
		Status:              states.ObjectReady,
		CreateBeforeDestroy: pick(r, 2),
		SkipDestroy:         pick(r, 5),
	}
	if pick(r, 4) {
		obj.AttrsFlat = map[string]string{"id": "f", "l.#": "0"}
	} else {
		obj.AttrsJSON = fmt.Appendf(nil, `{"id":"%d","n":1e100,"s":"\u003c"}`, r.IntN(9))
	}
	if pick(r, 3) {
		obj.Status = states.ObjectTainted
	}
	if pick(r, 2) {
		obj.IdentityJSON, obj.IdentitySchemaVersion = []byte(`{"id":"x"}`), r.Uint64N(3)
	}
	if pick(r, 2) {
		obj.Private = []byte("\x00\xffprivate")
	}
	if pick(r, 2) {
		obj.AttrSensitivePaths = []cty.Path{
			cty.GetAttrPath("a").IndexInt(1).GetAttr("b"), cty.GetAttrPath("m").IndexString("k\""),
			cty.GetAttrPath("s").Index(cty.ObjectVal(map[string]cty.Value{"x": cty.NullVal(cty.Bool)})),
		}
	}
	if pick(r, 2) {
		obj.Dependencies = []addrs.ConfigResource{
			{Resource: addrs.Resource{Mode: addrs.DataResourceMode, Type: "a", Name: "b"}},
			{Module: addrs.Module{"m"}, Resource: addrs.Resource{Mode: addrs.ManagedResourceMode, Type: "a", Name: "b"}},
		}
	}
	if pick(r, 4) {
		obj.Extra = map[string]json.RawMessage{"later": []byte(`{"a":[1,2]}`), "provider_hint": []byte("null")}
	}
	return obj
}

func randomFile(r *rand.Rand) *statefile.File {
	f := statefile.New(states.NewState(), statefile.NewLineage(), r.Uint64())
	f.TerraformVersion = []string{"", "1.12.6", "1.15.0-dev", "1.13.0-beta1+x"}[r.IntN(4)]
	if pick(r, 2) {
		f.CheckResults = []byte(`[{"object_kind":"check"}]`)
		f.Extra = map[string]json.RawMessage{"zz": []byte("1"), "future": []byte("[]")}
	}
	keys := []addrs.InstanceKey{addrs.NoKey, addrs.IntKey(0), addrs.IntKey(11), addrs.StringKey("0"), addrs.StringKey(`é"${`)}
	modules := []addrs.ModuleInstance{nil, addrs.RootModuleInstance.Child("m", keys[r.IntN(5)]).Child("n", keys[r.IntN(5)])}
	for range r.IntN(8) {
		m := f.State.EnsureModule(modules[r.IntN(2)])
		mode := []addrs.ResourceMode{addrs.ManagedResourceMode, addrs.DataResourceMode}[r.IntN(2)]
		addr := addrs.Resource{Mode: mode, Type: "t", Name: fmt.Sprint("n", r.IntN(3))}
		config := addrs.AbsProviderConfig{Module: addrs.Module{"m"}[:r.IntN(2)], Provider: addrs.Provider{Hostname: "h.x", Namespace: "a", Type: "t"}, Alias: []string{"", "b"}[r.IntN(2)]}
		m.SetResourceProvider(addr, config)
		if pick(r, 4) {
			m.Resource(addr).Extra = map[string]json.RawMessage{"each": []byte(`"list"`)}
		}
		for range r.IntN(4) {
			key := keys[r.IntN(len(keys))]
			if pick(r, 3) {
				m.SetResourceInstanceDeposed(addr.Instance(key), states.NewDeposedKey(), randomObject(r), config)
			} else {
				m.SetResourceInstanceCurrent(addr.Instance(key), randomObject(r), config)
			}
			if m.Resource(addr).Instance(key); pick(r, 6) {
				for _, is := range m.Resource(addr).Instances {
					is.ProviderKey = addrs.StringKey("eu")
				}
			}
		}
	}
	values := []cty.Value{
		cty.StringVal("<é\n"), cty.NullVal(cty.DynamicPseudoType), cty.NullVal(cty.String), cty.EmptyTupleVal,
		cty.MustParseNumberVal("12345678901234567890.125"), cty.SetVal([]cty.Value{cty.True}), cty.ObjectVal(map[string]cty.Value{"a": cty.MapValEmpty(cty.Bool)}),
	}
	for i := range r.IntN(5) {
		o := f.State.RootModule().SetOutputValue(fmt.Sprint("o", i), values[r.IntN(len(values))], pick(r, 2))
		if pick(r, 3) {
			o.Extra = map[string]json.RawMessage{"deprecated": []byte(`"soon"`)}
		}
	}
	// Values that exist only during a run are not stored.
	f.State.RootModule().SetLocalValue("l", cty.True)
	f.State.EnsureModule(modules[1]).SetOutputValue("o", cty.UnknownVal(cty.String), false)
	f.State.RootModule().SetResourceProvider(addrs.Resource{Mode: addrs.EphemeralResourceMode, Type: "e", Name: "e"}, addrs.AbsProviderConfig{})
	return f
}

// persistent returns a copy of s without the values that are not stored.
func persistent(s *states.State) *states.State {
	s = s.DeepCopy()
	for _, m := range s.Modules {
		clear(m.LocalValues)
		if !m.Addr.IsRoot() {
			clear(m.OutputValues)
		}
		m.RemoveResource(addrs.Resource{Mode: addrs.EphemeralResourceMode, Type: "e", Name: "e"})
		if len(m.Resources) == 0 && !m.Addr.IsRoot() {
			s.RemoveModule(m.Addr)
		}
	}
	return s
}

// TestReadIsTheInverseOfWrite checks for random files that Read returns what was written, and that
// writing it again produces the same text.
func TestReadIsTheInverseOfWrite(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		f := randomFile(rand.New(rand.NewPCG(seed, 0)))
		src := text(t, f)
		got, err := statefile.Read(strings.NewReader(src))
		if err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
		if want := persistent(f.State); !got.State.Equal(want) || !statefile.StatesMarshalEqual(got.State, f.State) {
			t.Fatalf("got the state\n%swant\n%sread from\n%s", got.State, want, src)
		}
		if diff := cmp.Diff([]any{f.TerraformVersion, f.Serial, f.Lineage, f.CheckResults, f.Extra}, []any{got.TerraformVersion, got.Serial, got.Lineage, got.CheckResults, got.Extra}); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if again := text(t, got); again != src {
			t.Fatalf("the state file written again (-want +got):\n%s", cmp.Diff(src, again))
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	addr := addrs.RootModuleInstance.Resource(addrs.ManagedResourceMode, "a", "b")
	set := func(obj *states.ResourceInstanceObjectSrc) func(*states.SyncState) {
		return func(s *states.SyncState) {
			s.SetResourceInstanceCurrent(addr.Instance(addrs.NoKey), obj, addrs.AbsProviderConfig{})
		}
	}
	for want, build := range map[string]func(*states.SyncState){
		"a.b is ObjectPlanned":                           set(&states.ResourceInstanceObjectSrc{Status: states.ObjectPlanned, AttrsJSON: []byte("{}")}),
		"a.b: state file: cannot write field attributes": set(&states.ResourceInstanceObjectSrc{Status: states.ObjectReady, AttrsJSON: []byte("{")}),
		"at outputs.o: cannot write the value: a: an unknown value": func(s *states.SyncState) {
			s.SetOutputValue(addrs.OutputValue{Name: "o"}.Absolute(nil), cty.ObjectVal(map[string]cty.Value{"a": cty.UnknownVal(cty.String)}), false)
		},
	} {
		s := states.BuildState(build)
		var fileErr *statefile.Error
		err := statefile.Write(statefile.New(s, "", 0), &bytes.Buffer{})
		if !errors.As(err, &fileErr) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want an *Error with %q", err, want)
		}
		if statefile.StatesMarshalEqual(s, s) {
			t.Errorf("StatesMarshalEqual is true for a state that cannot be written: %q", want)
		}
	}
	if err := statefile.Write(statefile.New(nil, "", 0), &bytes.Buffer{}); err != nil {
		t.Errorf("cannot write a nil state: %v", err)
	}
	seen := map[string]bool{}
	for range 100 {
		lineage := statefile.NewLineage()
		if len(lineage) != 36 || lineage[14] != '4' || seen[lineage] {
			t.Errorf("%s is not a new random UUID", lineage)
		}
		seen[lineage] = true
	}
}
