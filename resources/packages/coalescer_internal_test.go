package packages

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestCoalescerStartsAfterRequest checks that requests that are made while a batch runs are
// answered by the next one, which starts after they were made.
func TestCoalescerStartsAfterRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var batches, now atomic.Int64
		c := newCoalescer(0, func(_ context.Context, requests []int64) ([]int64, error) {
			batches.Add(1)
			seen := now.Load()
			time.Sleep(time.Second)
			answers := make([]int64, len(requests))
			for i := range answers {
				answers[i] = seen
			}
			return answers, nil
		})
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				since := now.Add(1)
				if seen, err := c.do(t.Context(), since); err != nil || seen < since {
					t.Errorf("a request at time %d got the answer of time %d, %v; want an answer of that time or later", since, seen, err)
				}
			})
		}
		all.Wait()
		if n := batches.Load(); n != 2 {
			t.Errorf("%d batches, want 2", n)
		}
	})
}

// TestCoalescerAnswersEach checks that each request gets its own answer, and that requests
// within the delay share a batch.
func TestCoalescerAnswersEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var batches atomic.Int64
		c := newCoalescer(time.Second, func(_ context.Context, requests []int) ([]int, error) {
			batches.Add(1)
			answers := make([]int, len(requests))
			for i, q := range requests {
				answers[i] = -q
			}
			return answers, nil
		})
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i%10) * 90 * time.Millisecond)
				if a, err := c.do(t.Context(), i); err != nil || a != -i {
					t.Errorf("the answer to %d is %d, %v, want %d", i, a, err, -i)
				}
			})
		}
		all.Wait()
		if n := batches.Load(); n != 1 {
			t.Errorf("%d batches, want 1", n)
		}
	})
}

// TestCoalescerCanceled checks that the other requests of a batch are answered if the caller
// that runs it is canceled, and that an error of the batch is returned to all callers.
func TestCoalescerCanceled(t *testing.T) {
	t.Parallel()
	gone, wrong := errors.New("gone"), errors.New("wrong")
	for name, cancelAfter := range map[string]time.Duration{"waiting": 500 * time.Millisecond, "running": 1500 * time.Millisecond, "not at all": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCoalescer(time.Second, func(ctx context.Context, requests []int) ([]int, error) {
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					if cancelAfter == 0 {
						return nil, wrong
					}
					return requests, nil
				})
				runner, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var all sync.WaitGroup
				for i := range 3 {
					all.Go(func() {
						ctx, want := t.Context(), error(nil)
						if i == 0 {
							ctx, want = runner, gone
						} else {
							time.Sleep(100 * time.Millisecond)
						}
						if cancelAfter == 0 {
							want = wrong
						}
						if a, err := c.do(ctx, i); !errors.Is(err, want) || err == nil && a != i {
							t.Errorf("the answer to %d is %d, %v, want the error %v", i, a, err, want)
						}
					})
				}
				if cancelAfter > 0 {
					time.Sleep(cancelAfter)
					cancel(gone)
				}
				all.Wait()
			})
		})
	}
}

// TestCoalescerCompletes checks that the callers of a running batch that makes changes get its answers even if
// they are canceled, and that a canceled caller does not wait if its batch has not started.
func TestCoalescerCompletes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCoalescer(time.Second, func(_ context.Context, requests []int) ([]int, error) {
			time.Sleep(time.Second)
			return requests, nil
		})
		c.completes = true
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all sync.WaitGroup
		for i := range 4 { // the batch of the first three requests runs when the last request is made
			all.Go(func() {
				time.Sleep(time.Duration(i) * 400 * time.Millisecond)
				want := error(nil)
				if i == 3 {
					want = context.Canceled
				}
				if a, err := c.do(ctx, i); !errors.Is(err, want) || err == nil && a != i {
					t.Errorf("the answer to %d is %d, %v, want the error %v", i, a, err, want)
				}
			})
		}
		time.Sleep(1500 * time.Millisecond)
		cancel()
		all.Wait()
	})
}
