package packages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// failingRemovals is a backend that cannot remove several packages in one run.
type failingRemovals struct {
	*fake
	inventories int // number of calls of inventory until they fail
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

// TestRemoveRestoresHolds checks that the packages that are not removed keep their holds if the inventory fails
// after the removal of both packages in one run has failed.
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

// dependentRemovals is a backend in which other packages may require a package.
type dependentRemovals struct {
	*fake
	requiredBy map[string]string // by package: the package that requires it
}

func (f *dependentRemovals) dependents(_ context.Context, _ host.Host, names []string) ([]string, error) {
	var others []string
	for _, name := range names {
		by := f.requiredBy[name]
		if _, there := f.there[by]; there && !slices.Contains(names, by) {
			others = append(others, by)
		}
	}
	return others, nil
}

func (f *dependentRemovals) explicit(context.Context, host.Host) ([]string, error) {
	return slices.Sorted(maps.Keys(f.there)), nil
}

func (f *dependentRemovals) remove(_ context.Context, _ host.Host, names []string, _ bool) error {
	for _, name := range names {
		delete(f.there, name)
	}
	return nil
}

// TestRemoveInAnyOrder checks that common, which app of the same batch requires, is removed although editor cannot be
// removed, and that editor keeps its hold.
func TestRemoveInAnyOrder(t *testing.T) {
	t.Parallel()
	f := &fake{there: inventory{
		"common": {name: "common", held: true}, "app": {name: "app"}, "editor": {name: "editor", held: true}, "plugin": {name: "plugin"},
	}}
	m := newTestManager(t, f)
	m.backend = &dependentRemovals{f, map[string]string{"common": "app", "editor": "plugin"}}
	results, err := m.remove(t.Context(), []removal{{name: "common"}, {name: "app"}, {name: "editor"}})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].err != nil || results[1].err != nil {
		t.Errorf("the errors of common and app are %v and %v, want no errors", results[0].err, results[1].err)
	}
	if err := results[2].err; err == nil || !strings.Contains(err.Error(), "required by plugin") {
		t.Errorf("the error of editor is %v, want an error with \"required by plugin\"", err)
	}
	if left := slices.Sorted(maps.Keys(f.there)); !slices.Equal(left, []string{"editor", "plugin"}) || !f.there["editor"].held {
		t.Errorf("%q are left, editor is held: %t, want editor, held, and plugin", left, f.there["editor"].held)
	}
}
