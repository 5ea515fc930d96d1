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

// Questions that come while a round runs are answered by the next one, which begins
// after they came.
func TestGatherIsNeverOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rounds, now atomic.Int64
		g := newGather(0, func(_ context.Context, asked []int64) ([]int64, error) {
			rounds.Add(1)
			seen := now.Load()
			time.Sleep(time.Second)
			answers := make([]int64, len(asked))
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
				if seen, err := g.ask(t.Context(), since); err != nil || seen < since {
					t.Errorf("asked at %d, answered as of %d, %v", since, seen, err)
				}
			})
		}
		all.Wait()
		if n := rounds.Load(); n != 2 {
			t.Errorf("%d rounds", n)
		}
	})
}

// Each gets its own answer, and what comes within the patience comes along.
func TestGatherAnswersEachItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int64
		g := newGather(time.Second, func(_ context.Context, asked []int) ([]int, error) {
			rounds.Add(1)
			answers := make([]int, len(asked))
			for i, q := range asked {
				answers[i] = -q
			}
			return answers, nil
		})
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i%10) * 90 * time.Millisecond)
				if a, err := g.ask(t.Context(), i); err != nil || a != -i {
					t.Errorf("the answer to %d is %d, %v", i, a, err)
				}
			})
		}
		all.Wait()
		if n := rounds.Load(); n != 1 {
			t.Errorf("%d rounds", n)
		}
	})
}

// Whoever leads a round may leave: the others are answered all the same, and an
// error that is none of that is everybody's.
func TestGatherWhoLeaves(t *testing.T) {
	t.Parallel()
	gone, wrong := errors.New("gone"), errors.New("wrong")
	for name, leavesAfter := range map[string]time.Duration{"waiting": 500 * time.Millisecond, "running": 1500 * time.Millisecond, "not at all": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGather(time.Second, func(ctx context.Context, asked []int) ([]int, error) {
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					if leavesAfter == 0 {
						return nil, wrong
					}
					return asked, nil
				})
				leader, leave := context.WithCancelCause(t.Context())
				defer leave(nil)
				var all sync.WaitGroup
				for i := range 3 {
					all.Go(func() {
						ctx, want := t.Context(), error(nil)
						if i == 0 {
							ctx, want = leader, gone
						} else {
							time.Sleep(100 * time.Millisecond)
						}
						if leavesAfter == 0 {
							want = wrong
						}
						if a, err := g.ask(ctx, i); !errors.Is(err, want) || err == nil && a != i {
							t.Errorf("the answer to %d is %d, %v, want %v", i, a, err, want)
						}
					})
				}
				if leavesAfter > 0 {
					time.Sleep(leavesAfter)
					leave(gone)
				}
				all.Wait()
			})
		})
	}
}
