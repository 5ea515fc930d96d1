package states_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

var testProvider = addrs.AbsProviderConfig{Provider: addrs.Provider{Hostname: "h.x", Namespace: "a", Type: "test"}}

func instance(tb testing.TB, text string) addrs.AbsResourceInstance {
	tb.Helper()
	addr, err := addrs.ParseAbsResourceInstanceStr(text)
	if err != nil {
		tb.Fatal(err)
	}
	return addr
}

func object(n int) *states.ResourceInstanceObjectSrc {
	return &states.ResourceInstanceObjectSrc{
		AttrsJSON: fmt.Appendf(nil, `{"n":%d}`, n),
		Status:    []states.ObjectStatus{states.ObjectReady, states.ObjectTainted, states.ObjectPlanned}[n%3],
	}
}

// model is a minimal state: objects by address and generation.
type model map[modelKey]*states.ResourceInstanceObjectSrc

type modelKey struct {
	instance string
	deposed  states.DeposedKey
}

func (m model) deposed(addr string) []states.DeposedKey {
	var keys []states.DeposedKey
	for key := range m {
		if key.instance == addr && key.deposed != states.NotDeposed {
			keys = append(keys, key.deposed)
		}
	}
	slices.Sort(keys)
	return keys
}

// forget removes the objects for which the function returns true.
func (m model) forget(which func(modelKey) bool) {
	maps.DeleteFunc(m, func(k modelKey, _ *states.ResourceInstanceObjectSrc) bool { return which(k) })
}

// rename renames instances unless taken returns true for any instance of the model, and reports
// whether it renamed any.
func (m model) rename(rename func(string) (string, bool), taken func(string) bool) bool {
	moved := model{}
	for key := range m {
		if taken(key.instance) {
			return false
		}
		if _, ok := rename(key.instance); ok {
			moved[key] = m[key]
		}
	}
	for key, obj := range moved {
		delete(m, key)
		key.instance, _ = rename(key.instance)
		m[key] = obj
	}
	return len(moved) > 0
}

var modelAddrs = []string{
	"a.b", "a.b[0]", "a.b[1]", `a.c["k"]`, "data.a.b",
	"module.m.a.b", "module.m.a.b[0]", "module.m[1].a.b", "module.m.module.n.a.b", "module.o.module.n.a.c",
}

// step makes the same random change to the state and the model, compares the results and
// returns a description of the change.
func step(t *testing.T, r *rand.Rand, sync *states.SyncState, m model, n int) string {
	t.Helper()
	text := modelAddrs[r.IntN(len(modelAddrs))]
	other := modelAddrs[r.IntN(len(modelAddrs))]
	addr, otherAddr := instance(t, text), instance(t, other)
	current := modelKey{instance: text}
	of := func(text string) func(string) bool { return func(s string) bool { return s == text } }
	below := func(prefix string) func(modelKey) bool {
		return func(k modelKey) bool { return strings.HasPrefix(k.instance, prefix) }
	}
	same := func(got, want any) {
		if got != want {
			t.Errorf("result of the change of %s: got %v, want %v", text, got, want)
		}
	}
	someDeposed := func() states.DeposedKey {
		if keys := m.deposed(text); len(keys) > 0 {
			return keys[r.IntN(len(keys))]
		}
		return "0badc0de"
	}
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		sync.SetResourceInstanceCurrent(addr, object(n), testProvider)
		m[current] = object(n)
		return "set " + text
	case 4:
		sync.SetResourceInstanceCurrent(addr, nil, testProvider)
		delete(m, current)
		return "unset " + text
	case 5, 6:
		key := sync.DeposeResourceInstanceObject(addr)
		same(key == states.NotDeposed, m[current] == nil)
		if m[current] != nil {
			m[modelKey{text, key}] = m[current]
			delete(m, current)
		}
		return "depose " + text
	case 7:
		key := someDeposed()
		obj := m[modelKey{text, key}]
		restores := obj != nil && m[current] == nil
		same(sync.MaybeRestoreResourceInstanceDeposed(addr, key), restores)
		if restores {
			m[current] = obj
			delete(m, modelKey{text, key})
		}
		return "restore " + text
	case 8:
		key := someDeposed()
		if r.IntN(2) == 0 && sync.Resource(addr.ContainingResource()) != nil {
			sync.SetResourceInstanceDeposed(addr, key, nil, testProvider)
		} else {
			sync.ForgetResourceInstanceDeposed(addr, key)
		}
		delete(m, modelKey{text, key})
		return "forget deposed " + text
	case 9:
		sync.ForgetResourceInstanceAll(addr)
		m.forget(func(k modelKey) bool { return k.instance == text })
		return "forget " + text
	case 10:
		countEnabled := r.IntN(2) == 0
		got := sync.MaybeFixUpResourceInstanceAddressForCount(addr.ConfigResource(), countEnabled)
		from, to := "[0]", ""
		if countEnabled {
			from, to = to, from
		}
		want := false
		for _, module := range []string{"", "module.m.", "module.m[1].", "module.m.module.n.", "module.o.module.n."} {
			moduleAddr := addrs.RootModuleInstance
			if module != "" {
				moduleAddr, _ = addrs.ParseModuleInstanceStr(strings.TrimSuffix(module, "."))
			}
			if moduleAddr.Module().String() != addr.Module.Module().String() {
				continue
			}
			base := module + addr.Resource.Resource.String()
			want = m.rename(func(s string) (string, bool) { return base + to, s == base+from }, of(base+to)) || want
		}
		same(got, want)
		return fmt.Sprintf("count %t for %s", countEnabled, addr.ConfigResource())
	case 11:
		want := m.rename(func(s string) (string, bool) { return other, s == text }, of(other))
		same(sync.MoveResourceInstance(addr, otherAddr), want)
		return "move " + text + " to " + other
	case 12:
		from, to := addr.Module.String()+".", otherAddr.Module.String()+"."
		if strings.HasPrefix(from, to) || strings.HasPrefix(to, from) || from == "." || to == "." {
			same(sync.MoveModule(addr.Module, otherAddr.Module), false)
			return "not move module"
		}
		want := m.rename(func(s string) (string, bool) {
			rest, ok := strings.CutPrefix(s, from)
			return to + rest, ok
		}, func(s string) bool { return strings.HasPrefix(s, to) })
		same(sync.MoveModule(addr.Module, otherAddr.Module), want)
		return "move " + from + " to " + to
	default:
		if addr.Module.IsRoot() || r.IntN(2) == 0 {
			resource := addr.ContainingResource()
			sync.RemoveResource(resource)
			m.forget(func(k modelKey) bool { return k.instance == resource.String() || below(resource.String()+"[")(k) })
			return "remove " + resource.String()
		}
		sync.RemoveModule(addr.Module)
		m.forget(func(k modelKey) bool {
			return instance(t, k.instance).Module.Equal(addr.Module)
		})
		return "remove " + addr.Module.String()
	}
}

// audit compares a state with the model and checks the invariants of the tree.
func audit(t *testing.T, s *states.State, m model) {
	t.Helper()
	got := model{}
	if s.RootModule() == nil {
		t.Error("there is no root module")
	}
	for key, module := range s.Modules {
		if key != module.Addr.String() || !module.Addr.IsRoot() && len(module.Resources) == 0 {
			t.Errorf("module %q has the address %q and %d resources, want its own address and at least one resource", key, module.Addr, len(module.Resources))
		}
		for resourceKey, resource := range module.Resources {
			if len(resource.Instances) == 0 || !resource.Addr.Equal(resourceKey.Absolute(module.Addr)) || !resource.ProviderConfig.Equal(testProvider) {
				t.Errorf("%s in %s is %s of %v with %d instances, want its own address, the test provider and at least one instance", resourceKey, module.Addr, resource.Addr, resource.ProviderConfig, len(resource.Instances))
			}
			for instanceKey, is := range resource.Instances {
				addr := resource.Addr.Instance(instanceKey).String()
				if !is.HasObjects() {
					t.Errorf("%s has no objects", addr)
				}
				if is.HasCurrent() {
					got[modelKey{instance: addr}] = is.Current
				}
				for deposed, obj := range is.Deposed {
					got[modelKey{addr, deposed}] = obj
				}
			}
		}
	}
	if !maps.EqualFunc(got, m, (*states.ResourceInstanceObjectSrc).Equal) {
		t.Errorf("got %v, want %v", got, m)
	}
}

// TestSyncStateMatchesModel checks that a SyncState agrees with the model after random
// changes, and that the changes do not affect copies that were made before.
func TestSyncStateMatchesModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		s, m := states.NewState(), model{}
		sync := s.SyncWrapper()
		var log []string
		for n := range 120 {
			before, snapshot, wasText := s.DeepCopy(), maps.Clone(m), s.String()
			log = append(log, step(t, r, sync, m, n))
			audit(t, s, m)
			audit(t, before, snapshot)
			if text := before.String(); text != wasText {
				t.Errorf("an earlier copy changed from\n%sto\n%s", wasText, text)
			}
			if same := maps.EqualFunc(m, snapshot, (*states.ResourceInstanceObjectSrc).Equal); s.Equal(before) != same {
				t.Errorf("equality with the earlier copy is %t, want %t", !same, same)
			}
			if t.Failed() {
				t.Fatalf("seed %d after %s\n%s", seed, strings.Join(log, "; "), s)
			}
		}
		sync.RemovePlannedResourceInstanceObjects()
		m.forget(func(k modelKey) bool { return m[k].Status == states.ObjectPlanned })
		audit(t, s, m)
	}
}
