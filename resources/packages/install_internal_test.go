package packages

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// fake is a backend that has version 2 of every package.
type fake struct {
	backend
	there      inventory
	during     func() // called by install
	errInstall error
	errMark    error
	errHold    error // of adding holds
	holds      []string
	canceled   bool
}

func (f *fake) inventory(context.Context, host.Host) (inventory, error) {
	return maps.Clone(f.there), nil
}

func (f *fake) available(_ context.Context, _ host.Host, names []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, name := range names {
		found[name] = []string{"2"}
	}
	return found, nil
}

func (f *fake) install(ctx context.Context, _ host.Host, candidates []candidate) error {
	if f.during != nil {
		f.during()
	}
	f.canceled = ctx.Err() != nil
	if f.errInstall != nil {
		return f.errInstall
	}
	for _, p := range candidates {
		f.there[p.name] = packageState{name: p.name, version: "2"}
	}
	return nil
}

func (f *fake) markExplicit(context.Context, host.Host, []packageState) error { return f.errMark }

func (f *fake) hold(_ context.Context, _ *lifecycle.Scope, packages []packageState, held bool) error {
	if held && f.errHold != nil {
		return f.errHold
	}
	for _, p := range packages {
		p.held = held
		f.there[p.name] = p
		f.holds = append(f.holds, p.name)
	}
	return nil
}

func newTestManager(t *testing.T, f *fake) *manager {
	t.Helper()
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(context.Context, host.Command) (host.Result, error) {
		return host.Result{}, nil // no detached program runs
	}})
	scope := resourcetest.Scope(t, h)
	s := newManager(scope, "apt")
	s.backend = f
	return s
}

// TestInterrupted checks that an installation is completed when the run is interrupted.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	f := &fake{there: inventory{}, during: interrupt}
	results, err := newTestManager(t, f).install(ctx, []request{{name: "app", hold: true}})
	if err != nil || results[0].err != nil || f.canceled || !f.there["app"].held {
		t.Errorf("results %+v, %v; canceled %t; installed %+v, want no errors, not canceled and app held", results, err, f.canceled, f.there)
	}
}

// TestInterruptedRequests checks that all requests of an interrupted installation get their results, so that the state has
// the packages.
func TestInterruptedRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		m := newTestManager(t, &fake{there: inventory{}, during: interrupt})
		var all sync.WaitGroup
		for _, name := range []string{"app", "lib", "tool"} {
			all.Go(func() {
				if r, err := m.requests.do(ctx, request{name: name}); err != nil || r.err != nil || r.state.name != name {
					t.Errorf("the result of %s is %+v, %v, want an installed package", name, r, err)
				}
			})
		}
		all.Wait()
	})
}

// TestAdoptWithoutHold checks that an installed package is adopted and gets the configured
// hold, and that a hold which is not configured is an error.
func TestAdoptWithoutHold(t *testing.T) {
	t.Parallel()
	f := &fake{there: inventory{"app": {name: "app", version: "1"}, "old": {name: "old", version: "1", held: true}}}
	results, err := newTestManager(t, f).install(t.Context(), []request{{name: "app", version: "1", hold: true}, {name: "old"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; got.err != nil || !got.state.held || !f.there["app"].held {
		t.Errorf("the result of the adopted package is %+v; on the host it is %+v, want both held", got, f.there["app"])
	}
	if results[1].err == nil || !f.there["old"].held {
		t.Errorf("the result of the held package is %+v; on the host it is %+v, want an error and the package held", results[1], f.there["old"])
	}
}

// TestAdoptedHoldFails checks that a package that a create has found and cannot hold is not in the state, because the
// next apply would remove it from the host. A package that the create has installed is in the state.
func TestAdoptedHoldFails(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	f := &fake{there: inventory{"old": {name: "old", version: "1"}}, errHold: wrong}
	results, err := newTestManager(t, f).install(t.Context(), []request{{name: "old", hold: true}, {name: "app", hold: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; !errors.Is(got.err, wrong) || got.state.name != "" {
		t.Errorf("the result of the adopted package is %+v, want %v and no state", got, wrong)
	}
	if got := results[1]; !errors.Is(got.err, wrong) || got.state.name != "app" {
		t.Errorf("the result of the new package is %+v, want %v and the state", got, wrong)
	}
}

// TestHoldNotRestored checks that the error of a change that fails also reports that the package has lost its hold.
func TestHoldNotRestored(t *testing.T) {
	t.Parallel()
	wrong, unheld := errors.New("wrong"), errors.New("unheld")
	f := &fake{there: inventory{"app": {name: "app", version: "1", held: true}}, errInstall: wrong, errHold: unheld}
	results, err := newTestManager(t, f).install(t.Context(), []request{{name: "app", version: "2", hold: true, changes: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := results[0].err; !errors.Is(err, wrong) || !errors.Is(err, unheld) || !strings.Contains(err.Error(), "cannot restore the hold of app on host local") {
		t.Errorf(`the error is %v, want %v and %v, with "cannot restore the hold of app on host local"`, err, wrong, unheld)
	}
}

// TestMarkExplicitFails checks that the other packages of a batch are installed if an
// adopted package cannot be marked as explicitly installed.
func TestMarkExplicitFails(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	f := &fake{there: inventory{"old": {name: "old", version: "1"}, "app": {name: "app", version: "1", held: true}}, errMark: wrong}
	results, err := newTestManager(t, f).install(t.Context(), []request{{name: "old"}, {name: "app", version: "2", hold: true, changes: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; !errors.Is(got.err, wrong) || got.state.name != "" {
		t.Errorf("the result of the adopted package is %+v, want %v and no state", got, wrong)
	}
	if got := results[1]; got.err != nil || got.state.version != "2" || !f.there["app"].held || !slices.Contains(f.holds, "app") {
		t.Errorf("the result of the changed package is %+v; on the host it is %+v, want version 2, held again", got, f.there["app"])
	}
}

// TestInstallError checks that the error about an incompletely installed package names its scripts as the cause only if
// the package manager has failed: after a lost connection, the package manager may still run.
func TestInstallError(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, &fake{})
	app := packageState{name: "app", status: incomplete}
	for cause, want := range map[error]bool{&remotecmd.Failed{Host: "local", Args: []string{"apt-get"}}: true, host.ErrLost: false} {
		err := m.installError(request{name: "app"}, app, true, cause)
		if !errors.Is(err, cause) || strings.Contains(err.Error(), "its own scripts fail") != want {
			t.Errorf("after %v, the error is %v, want the scripts as its cause: %t", cause, err, want)
		}
	}
}

// TestNotInstalledError checks the error if the package manager succeeds but the package is not installed as requested:
// a package with only configuration files left is not installed.
func TestNotInstalledError(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, &fake{})
	for name, tt := range map[string]struct {
		state packageState
		found bool
		want  string
	}{
		"another version":          {packageState{name: "app", version: "1"}, true, "but version 1 is installed"},
		"configuration files only": {packageState{name: "app", version: "1", status: configOnly}, true, "but it is not installed"},
		"missing":                  {packageState{}, false, "but it is not installed"},
	} {
		err := m.installError(request{name: "app", version: "2"}, tt.state, tt.found, nil)
		if !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v, want one that ends with %q", name, err, tt.want)
		}
	}
}

// TestFindCanceled checks that a caller whose context ends does not wait until another caller has
// detected the package manager.
func TestFindCanceled(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	scope := resourcetest.Scope(t, memory.New(memory.Config{Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		close(begun)
		<-finish
		_, err := io.WriteString(cmd.Stdout, "+ apk\n")
		return host.Result{}, err
	}}))
	m, found := newManagers(), make(chan error, 1)
	go func() {
		manager, err := m.find(t.Context(), scope, nil)
		if err == nil && manager.name != "apk" {
			err = errors.New("found " + manager.name)
		}
		found <- err
	}()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error, 1)
	go func() {
		_, err := m.find(ctx, scope, nil)
		waited <- err
	}()
	cancel()
	select {
	case err := <-waited:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the canceled caller got %v, want %v", err, context.Canceled)
		}
	case <-time.After(time.Minute):
		t.Error("the canceled caller waits for the other caller")
	}
	close(finish)
	if err := <-found; err != nil {
		t.Error(err)
	}
}
