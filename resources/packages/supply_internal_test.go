package packages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// fake is a manager that has one version of everything.
type fake struct {
	manager
	there      stock
	during     func() // what happens while something is installed
	errKeep    error
	holds      []string
	wasStopped bool
}

func (f *fake) stock(context.Context, host.Host) (stock, error) {
	return maps.Clone(f.there), nil
}

func (f *fake) available(_ context.Context, _ host.Host, names []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, name := range names {
		found[name] = []string{"2"}
	}
	return found, nil
}

func (f *fake) install(ctx context.Context, _ host.Host, picks []pick) error {
	if f.during != nil {
		f.during()
	}
	f.wasStopped = ctx.Err() != nil
	for _, p := range picks {
		f.there[p.name] = installed{name: p.name, version: "2"}
	}
	return nil
}

func (f *fake) keep(context.Context, host.Host, []installed) error { return f.errKeep }

func (f *fake) hold(_ context.Context, _ *lifecycle.Scope, packages []installed, held bool) error {
	for _, p := range packages {
		p.held = held
		f.there[p.name] = p
		f.holds = append(f.holds, p.name)
	}
	return nil
}

func shopOf(t *testing.T, f *fake) *shop {
	t.Helper()
	h := memory.New(memory.Config{Name: host.LocalName})
	scope := resourcetest.Scope(t, h)
	s := newShop(scope, "apt")
	s.manager = f
	return s
}

// TestInterrupted has a run interrupted while a package is installed, which is
// installed to its end.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	f := &fake{there: stock{}, during: interrupt}
	outcomes, err := shopOf(t, f).supply(ctx, []wish{{name: "app", hold: true}})
	if err != nil || outcomes[0].err != nil || f.wasStopped || !f.there["app"].held {
		t.Errorf("the outcome is %+v, %v; stopped %t, there is %+v", outcomes, err, f.wasStopped, f.there)
	}
}

// TestNotTakenOver has a package that cannot be noted as asked for: the others are
// as wished all the same, and known.
func TestNotTakenOver(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	f := &fake{there: stock{"old": {name: "old", version: "1"}, "app": {name: "app", version: "1", held: true}}, errKeep: wrong}
	outcomes, err := shopOf(t, f).supply(t.Context(), []wish{{name: "old"}, {name: "app", version: "2", hold: true, changes: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes[0]; !errors.Is(got.err, wrong) || got.is.name != "" {
		t.Errorf("what was there is %+v", got)
	}
	if got := outcomes[1]; got.err != nil || got.is.version != "2" || !f.there["app"].held || !slices.Contains(f.holds, "app") {
		t.Errorf("what was installed is %+v, and there is %+v", got, f.there["app"])
	}
}
