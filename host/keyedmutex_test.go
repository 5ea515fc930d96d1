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
		lock(t.Context(), "b")() // does not wait for the lock of "a"
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
			t.Errorf("Lock returned %v after its context ended, want %v", err, cause)
		}
		if len(order) != 0 {
			t.Errorf("%d waiters got the lock while it was held", len(order))
		}
		unlock()
		synctest.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
			t.Errorf("waiters got the lock in the order %v, want 0, 1, 2", order)
		}
		if _, err := m.Lock(ended, "a"); !errors.Is(err, cause) {
			t.Errorf("Lock of a free lock with an ended context returned %v, want %v", err, cause)
		}
		lock(t.Context(), "a")()
	})
}
