package lifecycle

import (
	"context"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// locks is a lock for each place.
type locks struct {
	mu      *sync.Mutex
	byPlace map[place]chan struct{}
}

func newLocks() locks { return locks{new(sync.Mutex), make(map[place]chan struct{})} }

// of returns the lock of a name on a host: a channel with a capacity of one, full while
// it is held.
func (l locks) of(h host.Host, name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := place{h.Name(), Key(name)}
	if l.byPlace[p] == nil {
		l.byPlace[p] = make(chan struct{}, 1)
	}
	return l.byPlace[p]
}

// WithLock runs do while no other goroutine of this process runs a function under the
// same name on this host. Programs that change the accounts of a host, for example, do
// not wait for each other.
func (s *Scope) WithLock(ctx context.Context, name string, do func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lock := s.hosts.locks.of(s.Host, name)
	select {
	case lock <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-lock }()
	return do()
}

// WithLockUncancelled is [Scope.WithLock] for operations that must not be interrupted:
// the context of do is cancelled grace after ctx is.
func (s *Scope) WithLockUncancelled(ctx context.Context, name string, grace time.Duration, do func(context.Context) error) error {
	return s.WithLock(ctx, name, func() error {
		ctx, cancel := host.WithGracePeriod(ctx, grace)
		defer cancel()
		return do(ctx)
	})
}
