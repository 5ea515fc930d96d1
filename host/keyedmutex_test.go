package host_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestKeyedMutex(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var m host.KeyedMutex[string]
		lock := func(ctx context.Context, key string) func() {
			unlock, err := m.Lock(ctx, key)
			if err != nil {
				t.Errorf("lock %s: %v", key, err)
				return func() {}
			}
			return unlock
		}
		unlock := lock(t.Context(), "a")
		lock(t.Context(), "b")() // is another lock
		var order []int
		for i := range 3 {
			go func() {
				defer lock(t.Context(), "a")()
				order = append(order, i)
			}()
			synctest.Wait()
		}
		ended, end := context.WithCancelCause(t.Context())
		cause := errors.New("stopped")
		waiter := make(chan error)
		go func() {
			_, err := m.Lock(ended, "a")
			waiter <- err
		}()
		synctest.Wait()
		end(cause)
		if err := <-waiter; !errors.Is(err, cause) {
			t.Errorf("the waiter whose context ends: %v", err)
		}
		if len(order) != 0 {
			t.Errorf("%d have the lock beside its holder", len(order))
		}
		unlock()
		synctest.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
			t.Errorf("waiters got the lock in the order %v", order)
		}
		if _, err := m.Lock(ended, "a"); !errors.Is(err, cause) {
			t.Errorf("a free lock with a context that has ended: %v", err)
		}
		lock(t.Context(), "a")()
	})
}
