package addrs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// TestOrdersAreTotal checks that comparisons are antisymmetric and transitive, and return 0
// only for equal addresses.
func TestOrdersAreTotal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		a, b, c := randomInstance(r), randomInstance(r), randomInstance(r)
		if r.IntN(3) == 0 {
			b.Module, b.Resource.Resource = a.Module, a.Resource.Resource
		}
		lawful(t, a.Resource.Resource, b.Resource.Resource, c.Resource.Resource, addrs.Resource.Compare, func(a, b addrs.Resource) bool { return a == b })
		lawful(t, a.Module, b.Module, c.Module, addrs.ModuleInstance.Compare, addrs.ModuleInstance.Equal)
		lawful(t, a.Resource.Key, b.Resource.Key, c.Resource.Key, addrs.CompareKeys, func(a, b addrs.InstanceKey) bool { return a == b })
		if t.Failed() {
			t.Fatal(a, b, c)
		}
	}
}

func lawful[T any](t *testing.T, a, b, c T, compare func(T, T) int, equal func(T, T) bool) {
	t.Helper()
	if compare(a, b) != -compare(b, a) || compare(a, a) != 0 || (compare(a, b) == 0) != equal(a, b) {
		t.Errorf("compare(%v, %v) = %d, reversed %d, with itself %d, equal %t; want opposite signs, 0 with itself, and 0 only if equal", a, b, compare(a, b), compare(b, a), compare(a, a), equal(a, b))
	}
	all := []T{a, b, c}
	slices.SortFunc(all, compare)
	if compare(all[0], all[2]) > 0 {
		t.Errorf("%v sorts before %v, but compares as greater", all[0], all[2])
	}
}

func TestOrderOfKeys(t *testing.T) {
	t.Parallel()
	want := []addrs.InstanceKey{addrs.NoKey, addrs.IntKey(2), addrs.IntKey(10), addrs.StringKey("1"), addrs.StringKey("10"), addrs.StringKey("2")}
	all := slices.Clone(want)
	slices.Reverse(all)
	if slices.SortFunc(all, addrs.CompareKeys); !slices.Equal(all, want) {
		t.Errorf("the order is %v, want %v", all, want)
	}
}
