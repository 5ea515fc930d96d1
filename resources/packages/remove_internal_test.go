package packages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// failingRemovals is a backend that cannot remove several packages in one run.
type failingRemovals struct {
	*fake
	inventories int // number of inventories until they fail
	err         error
}

func (f *failingRemovals) inventory(ctx context.Context, h host.Host) (inventory, error) {
	if f.inventories == 0 {
		return nil, f.err
	}
	f.inventories--
	return f.fake.inventory(ctx, h)
}

func (f *failingRemovals) dependents(context.Context, host.Host, []string) ([]string, error) {
	return nil, nil
}

func (f *failingRemovals) remove(_ context.Context, _ host.Host, names []string, _ bool) error {
	if len(names) > 1 {
		return f.err
	}
	delete(f.there, names[0])
	return nil
}

// TestRemoveRestoresHolds checks that the packages which are not removed keep their holds if the inventory fails
// between two removals.
func TestRemoveRestoresHolds(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	for inventories, want := range map[int][]string{1: {"app", "old"}, 2: {"old"}} {
		f := &fake{there: inventory{"app": {name: "app", held: true}, "old": {name: "old", held: true}}}
		m := newTestManager(t, f)
		m.backend = &failingRemovals{f, inventories, wrong}
		if _, err := m.remove(t.Context(), []removal{{name: "app"}, {name: "old"}}); !errors.Is(err, wrong) {
			t.Errorf("after %d inventories, the error is %v, want %v", inventories, err, wrong)
		}
		maps.DeleteFunc(f.there, func(_ string, p packageState) bool { return !p.held })
		if got := slices.Sorted(maps.Keys(f.there)); !slices.Equal(got, want) {
			t.Errorf("after %d inventories, %q are held, want %q", inventories, got, want)
		}
	}
}
