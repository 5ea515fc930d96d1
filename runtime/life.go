package runtime

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// life has the operations in progress. Operations join and leave it. Stop cancels
// those that have joined and starts a new life, since clients may make more calls.
// It also has what operations share.
type life struct {
	mu      sync.Mutex
	running map[*joined]struct{}

	locks locks
}

// joined is an operation in progress.
type joined struct {
	cancel    context.CancelFunc
	life      *life
	unstopped bool     // Stop does not cancel it
	whole     []string // locks of the whole operation
	left      bool     // it has ended; guarded by life.locks
	outlives  []*cleanup
}

// cleanup is a function to call when the last of some operations has left.
type cleanup struct {
	waiting int
	do      func(ctx context.Context)
}

type joinedKey struct{}

func joinedFrom(ctx context.Context) *joined {
	j, _ := ctx.Value(joinedKey{}).(*joined)
	return j
}

// join returns a context that Stop cancels, and a function that leaves, which may be
// called more than once.
func (l *life) join(ctx context.Context) (context.Context, func()) { return l.enter(ctx, false) }

// joinUnstopped is join for an operation that Stop does not cancel.
func (l *life) joinUnstopped(ctx context.Context) (context.Context, func()) {
	return l.enter(ctx, true)
}

func (l *life) enter(ctx context.Context, unstopped bool) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	j := &joined{cancel: cancel, life: l, unstopped: unstopped}
	ctx = context.WithValue(ctx, joinedKey{}, j)
	l.mu.Lock()
	if l.running == nil {
		l.running = make(map[*joined]struct{})
	}
	l.running[j] = struct{}{}
	l.mu.Unlock()
	return ctx, func() {
		cancel()
		if forgotten := l.locks.leave(j); len(forgotten) > 0 {
			tflog.Warn(ctx, "an operation ended without releasing its locks", map[string]any{"locks": forgotten})
		}
		for _, f := range l.leave(j) {
			f.do(context.WithoutCancel(ctx))
		}
	}
}

// leave returns the functions that waited only for j.
func (l *life) leave(j *joined) (due []*cleanup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, j)
	for _, f := range j.outlives {
		if f.waiting--; f.waiting == 0 {
			due = append(due, f)
		}
	}
	j.outlives = nil
	return due
}

// afterAll calls do once every operation in progress has left, including that of the
// caller. The last one calls it.
func (l *life) afterAll(do func(ctx context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &cleanup{waiting: len(l.running), do: do}
	for j := range l.running {
		j.outlives = append(j.outlives, f)
	}
}

func (l *life) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for j := range l.running {
		if !j.unstopped {
			j.cancel()
		}
	}
}
