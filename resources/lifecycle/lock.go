package lifecycle

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// WithLock runs do while no other goroutine of this process runs a function under the
// same name on this host. Programs that change the accounts of a host, for example, do
// not wait for each other.
func (s *Scope) WithLock(ctx context.Context, name string, do func() error) error {
	unlock, err := s.hosts.locks.Lock(ctx, place{s.Host.Name(), Key(name)})
	if err != nil {
		return err
	}
	defer unlock()
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
