package lifecycle_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func TestWithLock(t *testing.T) {
	t.Parallel()
	scope := resourcetest.Scope(t, memory.New(memory.Config{}))
	var all sync.WaitGroup
	inside := 0 // the race detector finds unlocked access
	for range 50 {
		all.Go(func() {
			if err := scope.WithLock(t.Context(), "accounts", func() error { inside++; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	err := scope.WithLock(t.Context(), "accounts", func() error {
		if err := scope.WithLock(t.Context(), "packages", func() error { return nil }); err != nil {
			t.Error(err)
		}
		cancel()
		return scope.WithLock(ctx, "accounts", func() error { return nil })
	})
	if inside != 50 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d functions ran, want 50; error of a canceled call: %v, want context.Canceled", inside, err)
	}
}
