package states_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// TestSyncStateConcurrentUse calls every method except ForgetResourceInstanceAll from many
// goroutines, which also change the results. Each goroutine has its own instance and must read its own changes.
func TestSyncStateConcurrentUse(t *testing.T) {
	t.Parallel()
	const goroutines, rounds = 300, 2
	s := states.NewState()
	shared := s.SyncWrapper()
	var wg sync.WaitGroup
	for g := range goroutines {
		addr := instance(t, fmt.Sprintf(`module.m[%d].a.b["%d"]`, g%7, g))
		wg.Go(func() {
			for range rounds {
				useAll(t, shared, addr, g)
			}
		})
	}
	wg.Wait()
	for g := range goroutines {
		shared.ForgetResourceInstanceAll(instance(t, fmt.Sprintf(`module.m[%d].a.b["%d"]`, g%7, g)))
		shared.RemoveOutputValue(output(fmt.Sprint("o", 3*g)))
	}
	if !s.Empty() || len(s.Modules) != 1 {
		t.Errorf("got %d modules and\n%swant only an empty root module", len(s.Modules), s)
	}
}

func output(name string) addrs.AbsOutputValue {
	return addrs.OutputValue{Name: name}.Absolute(addrs.RootModuleInstance)
}

func useAll(t *testing.T, s *states.SyncState, addr addrs.AbsResourceInstance, g int) {
	current := func() string {
		obj := s.ResourceInstanceObject(addr, states.CurrentGen)
		if obj == nil {
			return ""
		}
		obj.Status, obj.AttrsJSON = states.ObjectPlanned, nil // the caller may change the result
		return string(s.ResourceInstance(addr).Current.AttrsJSON)
	}
	g *= 3
	set := object(g)
	s.SetResourceInstanceCurrent(addr, set, testProvider)
	set.AttrsJSON = nil // the caller may change the argument afterwards
	want := fmt.Sprintf(`{"n":%d}`, g)
	if got := current(); got != want {
		t.Errorf("%s is %s, want %s", addr, got, want)
	}
	key := s.DeposeResourceInstanceObject(addr)
	if key == states.NotDeposed || current() != "" || s.ResourceInstanceObject(addr, key.Generation()) == nil {
		t.Errorf("%s was not deposed", addr)
	}
	is := s.ResourceInstance(addr)
	clear(is.Deposed) // the result belongs to the caller
	if !s.MaybeRestoreResourceInstanceDeposed(addr, key) || current() != want {
		t.Errorf("%s was not restored", addr)
	}
	s.DeposeResourceInstanceObjectForceKey(addr, "00000001")
	s.SetResourceInstanceDeposed(addr, "00000002", object(g), testProvider)
	s.ForgetResourceInstanceDeposed(addr, "00000001")
	s.MaybeRestoreResourceInstanceDeposed(addr, "00000002")
	away := addr.Module.Resource(addrs.DataResourceMode, "x", fmt.Sprint("y", g))
	if !s.MoveResourceInstance(addr, away.Instance(addrs.NoKey)) || !s.MoveResource(away, away.Module.Resource(addrs.ManagedResourceMode, "z", away.Resource.Name)) {
		t.Errorf("%s was not moved", addr)
	}
	s.RemoveResource(away.Module.Resource(addrs.ManagedResourceMode, "z", away.Resource.Name))
	s.SetResourceInstanceCurrent(addr, object(g), testProvider)

	resource := s.Resource(addr.ContainingResource())
	clear(resource.Instances)
	module := s.Module(addr.Module)
	clear(module.Resources)
	s.SetResourceProvider(away, testProvider)
	if s.RemoveResourceIfEmpty(addr.ContainingResource()) || !s.RemoveResourceIfEmpty(away) || !s.RemoveResourceIfEmpty(away) {
		t.Errorf("RemoveResourceIfEmpty does not return false for %s, which has objects, or true for %s, which has none", addr, away)
	}
	s.MaybeFixUpResourceInstanceAddressForCount(addr.ConfigResource(), g%2 == 0)
	s.MoveModule(addr.Module, addr.Module)

	local := addrs.LocalValue{Name: fmt.Sprint("l", g)}.Absolute(addr.Module)
	s.SetLocalValue(local, cty.StringVal(want))
	if got := s.LocalValue(local); !got.RawEquals(cty.StringVal(want)) {
		t.Errorf("%s is %#v, want %q", local, got, want)
	}
	s.RemoveLocalValue(local)
	out := output(fmt.Sprint("o", g))
	s.SetOutputValue(out, cty.True, g%2 == 0)
	if got := s.OutputValue(out); got == nil || got.Sensitive != (g%2 == 0) || got.Addr.String() != out.String() {
		t.Errorf("%s differs from the value set: %v, want sensitive %t", out, got, g%2 == 0)
	}
	inner := addrs.OutputValue{Name: "o"}.Absolute(addr.Module)
	s.SetOutputValue(inner, cty.True, false)
	s.ModuleOutputs(addrs.RootModuleInstance, addrs.ModuleCall{Name: "m"})
	s.RemoveOutputValue(inner)
	doomed := addrs.RootModuleInstance.Child(fmt.Sprint("d", g), addrs.NoKey)
	s.SetOutputValue(inner.OutputValue.Absolute(doomed), cty.True, false)
	s.RemoveModule(doomed)
	s.Lock().EnsureModule(doomed)
	s.Unlock()
	s.RemoveModule(doomed)
	s.RemovePlannedResourceInstanceObjects()
}

func TestModuleOutputs(t *testing.T) {
	t.Parallel()
	s := states.BuildState(func(s *states.SyncState) {
		for _, module := range []string{"module.m[1]", "module.m[0]", "module.n", "module.m[0].module.m"} {
			addr, err := addrs.ParseModuleInstanceStr(module)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"b", "a"} {
				s.SetOutputValue(addrs.OutputValue{Name: name}.Absolute(addr), cty.True, false)
			}
		}
	})
	var got string
	for _, o := range s.ModuleOutputs(addrs.RootModuleInstance, addrs.ModuleCall{Name: "m"}) {
		got += o.Addr.String() + " "
	}
	if want := "module.m[0].output.a module.m[0].output.b module.m[1].output.a module.m[1].output.b "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := len(s.ModuleInstances(addrs.Module{"m"})); n != 2 {
		t.Errorf("module.m has %d instances, want 2", n)
	}
	if s.Empty() || s.HasResources() {
		t.Error("a state with only outputs is empty or has resources")
	}
}

// TestPruneResourceHusks checks that resources without instances stay in the state
// until they are pruned.
func TestPruneResourceHusks(t *testing.T) {
	t.Parallel()
	s := states.NewState()
	husk := instance(t, "module.m.a.husk").ContainingResource()
	other := testProvider
	other.Provider.Type = "other"
	s.SyncWrapper().SetResourceProvider(husk, other)
	s.SyncWrapper().SetResourceInstanceCurrent(instance(t, "a.b"), object(0), testProvider)
	if got := s.ProviderRequirements(); len(got) != 2 || got[0].Type != "other" {
		t.Errorf("the providers are %v, want other and test", got)
	}
	if len(s.Resources(husk.Config())) != 1 {
		t.Errorf("%s is missing from\n%s", husk, s)
	}
	if text := states.NewState().String(); text != "<no state>\n" {
		t.Errorf("an empty state has the text %q, want %q", text, "<no state>\n")
	}
	s.PruneResourceHusks()
	if want := "a.b: ready, version 0, provider[\"h.x/a/test\"]\n"; s.String() != want || len(s.Modules) != 1 {
		t.Errorf("got %d modules and\n%swant 1 module and\n%s", len(s.Modules), s, want)
	}
}

// TestPanics checks the panics on programming errors.
func TestPanics(t *testing.T) {
	t.Parallel()
	s := states.NewState()
	addr := instance(t, "a.b")
	for name, do := range map[string]func(){
		"root":       func() { s.RemoveModule(addrs.RootModuleInstance) },
		"generation": func() { s.SyncWrapper().ResourceInstanceObject(addr, nil) },
		"no key":     func() { s.SyncWrapper().ResourceInstanceObject(addr, states.NotDeposed) },
		"force none": func() { s.SyncWrapper().DeposeResourceInstanceObjectForceKey(addr, states.NotDeposed) },
		"unknown":    func() { s.SyncWrapper().SetResourceInstanceDeposed(addr, "00000001", object(1), testProvider) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}
