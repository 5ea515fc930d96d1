package runtime

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// inProgress tracks the operations in progress and their locks. Stop cancels the operations
// that have called join; later operations can still call join, since clients may make more
// calls.
type inProgress struct {
	mu      sync.Mutex
	running map[*joined]struct{}

	locks locks
}

// joined is an operation in progress.
type joined struct {
	cancel    context.CancelFunc
	tracker   *inProgress
	unstopped bool     // Stop does not cancel it
	whole     []string // locks of the whole operation
	left      bool     // the operation has ended; guarded by the mutex of the locks
	outlives  []*cleanup
}

// cleanup is a function to call when the last of some operations has ended.
type cleanup struct {
	waiting int
	do      func(ctx context.Context)
}

type joinedKey struct{}

func joinedFrom(ctx context.Context) *joined {
	j, _ := ctx.Value(joinedKey{}).(*joined)
	return j
}

// join returns a context that Stop cancels, and a function that ends the operation and
// may be called more than once.
func (l *inProgress) join(ctx context.Context) (context.Context, func()) { return l.enter(ctx, false) }

// joinUnstopped is join for an operation that Stop does not cancel.
func (l *inProgress) joinUnstopped(ctx context.Context) (context.Context, func()) {
	return l.enter(ctx, true)
}

func (l *inProgress) enter(ctx context.Context, unstopped bool) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	j := &joined{cancel: cancel, tracker: l, unstopped: unstopped}
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

// leave removes j and returns the cleanups that waited only for j.
func (l *inProgress) leave(j *joined) (due []*cleanup) {
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

// afterAll calls do when all operations now in progress have ended, including that
// of the caller. The last operation to end calls do; if there are none, afterAll does.
func (l *inProgress) afterAll(do func(ctx context.Context)) {
	l.mu.Lock()
	f := &cleanup{waiting: len(l.running), do: do}
	for j := range l.running {
		j.outlives = append(j.outlives, f)
	}
	idle := f.waiting == 0 // read before Unlock: after it, the last operation may end and call do
	l.mu.Unlock()
	if idle {
		do(context.Background())
	}
}

func (l *inProgress) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for j := range l.running {
		if !j.unstopped {
			j.cancel()
		}
	}
}
