package packages

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

const (
	// lockName is the name of the lock under which this process changes the packages of a host.
	lockName = "packages"
	// findLock is the name of the lock under which the package manager of a host is detected, so that concurrent callers
	// detect it once.
	findLock = "package manager"
	// changeGrace is how long to wait for the end of a change after the run was interrupted.
	changeGrace = 10 * time.Minute
	// batchDelay is how long an installation or a removal waits for the requests of other
	// resources. A run of a package manager takes seconds.
	batchDelay = 150 * time.Millisecond
)

// managers holds the package managers of all hosts, for one registered type.
type managers struct {
	mu     sync.Mutex
	byHost map[host.Host]*hostState
}

// hostState holds the package managers of one host. It is guarded by findLock.
type hostState struct {
	detected string // name of the package manager that detect returned; empty until then
	byName   map[string]*manager
}

// manager is a package manager on a host. Its methods combine the requests of concurrent
// resources into few runs of the backend.
type manager struct {
	backend
	name  string
	scope *lifecycle.Scope // of the host
	h     host.Host

	// guarded by lockName
	refreshed  bool  // whether this run has updated the index
	refreshErr error // of an update in this batch

	inventories *coalescer[struct{}, inventory]
	indexes     *coalescer[string, []string]
	requests    *coalescer[request, result]
	removals    *coalescer[removal, result]
}

func newManagers() *managers { return &managers{byHost: make(map[host.Host]*hostState)} }

// find returns the package manager with this name or, if name is nil, the one that [detect] returns:
// that of the host's distribution, if it is installed.
func (m *managers) find(ctx context.Context, scope *lifecycle.Scope, name *string) (*manager, error) {
	m.mu.Lock()
	state := m.byHost[scope.Host]
	if state == nil {
		state = &hostState{byName: make(map[string]*manager)}
		m.byHost[scope.Host] = state
	}
	m.mu.Unlock()

	var found *manager
	err := scope.WithLock(ctx, findLock, func() error {
		if name == nil {
			if state.detected == "" {
				detected, err := detect(ctx, scope.Host)
				if err != nil {
					return err
				}
				state.detected = detected
			}
			name = &state.detected
		}
		if state.byName[*name] == nil {
			state.byName[*name] = newManager(scope, *name)
		}
		found = state.byName[*name]
		return nil
	})
	return found, err
}

func newManager(scope *lifecycle.Scope, name string) *manager {
	h := scope.Host
	m := &manager{backend: backends[name], name: name, scope: scope, h: h}
	m.inventories = newCoalescer(0, func(ctx context.Context, callers []struct{}) ([]inventory, error) {
		all, err := m.inventory(ctx, h)
		return slices.Repeat([]inventory{all}, len(callers)), err
	})
	m.indexes = newCoalescer(0, func(ctx context.Context, names []string) ([][]string, error) {
		known, err := m.available(ctx, h, unique(names))
		answers := make([][]string, len(names))
		for i, name := range names {
			answers[i] = known[name]
		}
		return answers, err
	})
	m.requests = newCoalescer(batchDelay, m.install)
	m.removals = newCoalescer(batchDelay, m.remove)
	m.requests.completes, m.removals.completes = true, true
	return m
}

// lookup returns the state of a package, and whether it is completely installed.
func (m *manager) lookup(ctx context.Context, name string) (p packageState, found bool, err error) {
	all, err := m.inventories.do(ctx, struct{}{})
	p, found = all[name]
	return p, found && p.status == complete, err
}

// change runs do under lockName, after the programs that an earlier run left on the host have ended.
// The context of do ends changeGrace after ctx.
func (m *manager) change(ctx context.Context, do func(context.Context) error) error {
	return m.scope.WithLock(ctx, lockName, func() error {
		if err := remotecmd.AwaitDetached(ctx, m.h); err != nil {
			return remotecmd.WithRootHint(m.h, "Packages", err)
		}
		ctx, cancel := graceperiod.With(ctx, changeGrace)
		defer cancel()
		return do(ctx)
	})
}

// refreshOnce updates the index unless this run has done so, or this batch has failed to. It reports whether it ran
// the update, and returns the error of the update in this batch. The caller holds lockName.
func (m *manager) refreshOnce(ctx context.Context) (did bool, err error) {
	if m.refreshed || m.refreshErr != nil {
		return false, m.refreshErr
	}
	m.refreshErr = m.refresh(ctx, m.h)
	m.refreshed = m.refreshErr == nil
	return true, m.refreshErr
}

// unique returns names without duplicates, in the order of their first occurrences.
func unique(names []string) []string {
	var found []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			found = append(found, name)
		}
	}
	return found
}
