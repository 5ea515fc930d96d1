package packages

import (
	"context"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// turn is what packages are changed under: all that one process does to the
// packages of a host is done one after the other.
const turn = "packages"

// changeLimit is how long packages may still be changed after the run was interrupted:
// a manager that is killed leaves packages half installed.
const changeLimit = 10 * time.Minute

// patience is how long a run of a package manager, which takes seconds, waits for
// what other resources wish.
const patience = 150 * time.Millisecond

// shops are the package managers of the hosts of one provider.
type shops struct {
	mu     sync.Mutex
	byHost map[host.Host]*counter
}

// counter is what is known of a host.
type counter struct {
	mu       sync.Mutex
	detected string
	byName   map[string]*shop
}

// shop is a package manager of a host.
type shop struct {
	manager
	name      string
	scope     *lifecycle.Scope // of the host
	h         host.Host
	refreshed bool // the index, in this run; read and written in turn only

	stocks  *gather[struct{}, stock]
	indexes *gather[string, []string]
	wishes  *gather[wish, outcome]
	removes *gather[removal, outcome]
}

func newShops() *shops { return &shops{byHost: make(map[host.Host]*counter)} }

// find is the package manager of a host: the one with the name, or that which the
// system has.
func (s *shops) find(ctx context.Context, scope *lifecycle.Scope, name *string) (*shop, error) {
	h := scope.Host
	s.mu.Lock()
	c := s.byHost[h]
	if c == nil {
		c = &counter{byName: make(map[string]*shop)}
		s.byHost[h] = c
	}
	s.mu.Unlock()

	c.mu.Lock() // others wait for the answer instead of asking for it
	defer c.mu.Unlock()
	if name == nil {
		if c.detected == "" {
			found, err := detect(ctx, h)
			if err != nil {
				return nil, err
			}
			c.detected = found
		}
		name = &c.detected
	}
	if c.byName[*name] == nil {
		c.byName[*name] = newShop(scope, *name)
	}
	return c.byName[*name], nil
}

func newShop(scope *lifecycle.Scope, name string) *shop {
	h := scope.Host
	s := &shop{manager: managers[name], name: name, scope: scope, h: h}
	s.stocks = newGather(0, func(ctx context.Context, asked []struct{}) ([]stock, error) {
		all, err := s.stock(ctx, h)
		answers := make([]stock, len(asked))
		for i := range answers {
			answers[i] = all
		}
		return answers, err
	})
	s.indexes = newGather(0, func(ctx context.Context, names []string) ([][]string, error) {
		known, err := s.available(ctx, h, unique(names))
		answers := make([][]string, len(names))
		for i, name := range names {
			answers[i] = known[name]
		}
		return answers, err
	})
	s.wishes = newGather(patience, s.supply)
	s.removes = newGather(patience, s.drop)
	return s
}

// look is how a package is now. It is not found where there is none.
func (s *shop) look(ctx context.Context, name string) (it installed, found bool, err error) {
	all, err := s.stocks.ask(ctx, struct{}{})
	it, found = all[name]
	return it, found && it.part == 0, err
}

// fresh gets the index anew, once in a run. It is called in turn.
func (s *shop) fresh(ctx context.Context) (did bool, err error) {
	if s.refreshed {
		return false, nil
	}
	if err := s.refresh(ctx, s.h); err != nil {
		return false, err
	}
	s.refreshed = true
	return true, nil
}

// unique are the names without repetitions.
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
