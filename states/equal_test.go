package states_test

import (
	"encoding/json"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// TestEveryDifferenceCounts checks that each difference makes two states unequal, and
// that it does not affect copies that were made before.
func TestEveryDifferenceCounts(t *testing.T) {
	t.Parallel()
	extra := map[string]json.RawMessage{"x": []byte("1")}
	resource := func(s *states.State) *states.Resource {
		return s.Resource(instance(t, "a.b").ContainingResource())
	}
	base := func() *states.State {
		out := states.BuildState(func(s *states.SyncState) {
			s.SetResourceInstanceCurrent(instance(t, "a.b"), object(0), testProvider)
			s.SetOutputValue(output("o"), cty.True, false)
			s.SetLocalValue(addrs.LocalValue{Name: "l"}.Absolute(nil), cty.True)
		})
		resource(out).Instance(addrs.NoKey).ProviderKey = addrs.IntKey(1)
		resource(out).Extra = extra
		return out
	}
	for name, change := range map[string]func(*states.State){
		"object":    func(s *states.State) { resource(s).Instance(addrs.NoKey).Current.Status = states.ObjectTainted },
		"no object": func(s *states.State) { resource(s).Instance(addrs.NoKey).Current = nil },
		"deposed":   func(s *states.State) { resource(s).Instance(addrs.NoKey).Deposed["00000001"] = object(1) },
		"key":       func(s *states.State) { resource(s).Instance(addrs.NoKey).ProviderKey = addrs.IntKey(0) },
		"instance":  func(s *states.State) { resource(s).CreateInstance(addrs.IntKey(0)) },
		"address":   func(s *states.State) { resource(s).Addr.Resource.Name = "c" },
		"provider":  func(s *states.State) { resource(s).ProviderConfig.Alias = "x" },
		"extra":     func(s *states.State) { resource(s).Extra = nil },
		"husk": func(s *states.State) {
			s.RootModule().SetResourceProvider(addrs.Resource{Mode: addrs.DataResourceMode, Type: "a", Name: "b"}, testProvider)
		},
		"module":       func(s *states.State) { s.EnsureModule(addrs.RootModuleInstance.Child("m", addrs.NoKey)) },
		"output":       func(s *states.State) { s.RootModule().SetOutputValue("o", cty.False, false) },
		"no output":    func(s *states.State) { s.RootModule().RemoveOutputValue("o") },
		"sensitive":    func(s *states.State) { s.RootModule().SetOutputValue("o", cty.True, true) },
		"output extra": func(s *states.State) { s.RootModule().OutputValues["o"].Extra = extra },
		"local":        func(s *states.State) { s.RootModule().SetLocalValue("l", cty.NullVal(cty.Bool)) },
		"no local":     func(s *states.State) { s.RootModule().RemoveLocalValue("l") },
	} {
		s := base()
		before := s.DeepCopy()
		change(s)
		if s.Equal(before) || before.Equal(s) || !before.Equal(base()) {
			t.Errorf("%s: Equal ignores the change, or an earlier copy has it", name)
		}
	}
	var none *states.State
	if !none.Equal(states.NewState()) || !states.NewState().Equal(none) || none.Equal(base()) {
		t.Error("a nil state differs from an empty one, or equals one that is not empty")
	}
}

func TestProviderAddrs(t *testing.T) {
	t.Parallel()
	s := states.NewState()
	for i, alias := range []string{"b", "", "a", "b"} {
		config := testProvider
		config.Alias = alias
		addr := instance(t, "a.b")
		addr.Resource.Resource.Name += string(rune('0' + i))
		s.SyncWrapper().SetResourceInstanceCurrent(addr, object(i), config)
	}
	got := ""
	for _, config := range s.ProviderAddrs() {
		got += config.String() + " "
	}
	if want := `provider["h.x/a/test"] provider["h.x/a/test"].a provider["h.x/a/test"].b `; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.ProviderRequirements(); len(got) != 1 || got[0] != testProvider.Provider {
		t.Errorf("ProviderRequirements: got %v, want only %v", got, testProvider.Provider)
	}
}
