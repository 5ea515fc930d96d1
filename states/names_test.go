package states_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// withInstances returns a state with instances at the addresses.
func withInstances(t *testing.T, all ...string) *states.State {
	t.Helper()
	return states.BuildState(func(s *states.SyncState) {
		for _, addr := range all {
			s.SetResourceInstanceCurrent(instance(t, addr), object(0), testProvider)
		}
	})
}

// TestMoves checks the methods with Terraform's names: Move and MaybeMove panic if nothing can be
// moved, but MaybeMove returns false if the object is already at its destination.
func TestMoves(t *testing.T) {
	t.Parallel()
	moves := map[string]struct {
		move  func(s *states.State, from, to addrs.AbsResourceInstance)
		maybe func(s *states.State, from, to addrs.AbsResourceInstance) bool
		to    string
	}{
		"resource": {
			func(s *states.State, from, to addrs.AbsResourceInstance) {
				s.MoveAbsResource(from.ContainingResource(), to.ContainingResource())
			},
			func(s *states.State, from, to addrs.AbsResourceInstance) bool {
				return s.MaybeMoveAbsResource(from.ContainingResource(), to.ContainingResource())
			}, "module.m.a.c",
		},
		"instance": {(*states.State).MoveAbsResourceInstance, (*states.State).MaybeMoveAbsResourceInstance, "module.m.a.b[1]"},
		"module": {
			func(s *states.State, from, to addrs.AbsResourceInstance) {
				s.MoveModuleInstance(from.Module, to.Module)
			},
			func(s *states.State, from, to addrs.AbsResourceInstance) bool {
				return s.MaybeMoveModuleInstance(from.Module, to.Module)
			}, "module.n.a.b",
		},
	}
	panics := func(f func()) (yes bool) {
		defer func() { yes = recover() != nil }()
		f()
		return false
	}
	for name, tt := range moves {
		from, to := instance(t, "module.m.a.b"), instance(t, tt.to)
		for _, maybe := range []bool{false, true} {
			s := withInstances(t, "module.m.a.b")
			if maybe && !tt.maybe(s, from, to) {
				t.Errorf("%s: MaybeMove returns false for a possible move", name)
			} else if !maybe {
				tt.move(s, from, to)
			}
			if !s.Equal(withInstances(t, tt.to)) {
				t.Errorf("%s: the state is %s, want only %s", name, s, tt.to)
			}
			if !panics(func() { tt.move(s, from, to) }) {
				t.Errorf("%s: a repeated Move does not panic", name)
			}
			if tt.maybe(s, from, to) {
				t.Errorf("%s: a repeated MaybeMove returns true", name)
			}
			for what, s := range map[string]*states.State{"nothing to move": states.NewState(), "objects at both addresses": withInstances(t, "module.m.a.b", tt.to)} {
				if !panics(func() { tt.maybe(s, from, to) }) || !panics(func() { tt.move(s, from, to) }) {
					t.Errorf("%s: a move does not panic if the state has %s", name, what)
				}
			}
		}
	}
}

func TestManagedResourcesEqual(t *testing.T) {
	t.Parallel()
	a, more := withInstances(t, "a.b", "module.m.a.b[0]"), withInstances(t, "a.b", "module.m.a.b[0]", "data.a.b")
	more.SetOutputValue(output("o"), cty.True, false)
	if !a.ManagedResourcesEqual(more) || !more.ManagedResourcesEqual(a) || a.Equal(more) {
		t.Error("ManagedResourcesEqual compares data resources or outputs, or Equal ignores them")
	}
	for _, other := range []*states.State{nil, states.NewState(), withInstances(t, "a.b"), withInstances(t, "a.b", "module.m.a.b[1]")} {
		if a.ManagedResourcesEqual(other) || other.ManagedResourcesEqual(a) {
			t.Errorf("ManagedResourcesEqual is true for %v, want false", other)
		}
	}
	if !(*states.State)(nil).ManagedResourcesEqual(states.NewState()) {
		t.Error("ManagedResourcesEqual is false for a nil and an empty state, want true")
	}
}

func TestOutputValuesOfStates(t *testing.T) {
	t.Parallel()
	s, addr := states.NewState(), output("o")
	addr.Module = addrs.RootModuleInstance.Child("m", addrs.NoKey)
	s.RemoveOutputValue(addr)
	s.SetOutputValue(addr, cty.StringVal("x"), true)
	if got := s.OutputValue(addr); got == nil || !got.Sensitive || !got.Value.RawEquals(cty.StringVal("x")) {
		t.Errorf("OutputValue: got %+v, want the sensitive value x", got)
	}
	s.RemoveOutputValue(addr)
	if !s.Equal(states.NewState()) {
		t.Errorf("after RemoveOutputValue: got %s, want an empty state", s)
	}
}
