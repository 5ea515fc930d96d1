package runtime

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// life is the time until Stop. Operations join it and leave it; Stop cancels
// those that have joined, and a new life begins, since clients may call again.
// What operations that run at the same time share is here too.
type life struct {
	mu      sync.Mutex
	running map[*joined]struct{}

	locks locks
}

// joined is an operation that runs.
type joined struct {
	cancel context.CancelFunc
	life   *life
	whole  []string // the locks that it has from begin to end
	left   bool     // it has ended; guarded by life.locks
}

type joinedKey struct{}

func joinedFrom(ctx context.Context) *joined {
	j, _ := ctx.Value(joinedKey{}).(*joined)
	return j
}

// join returns a context that Stop cancels, and the function that leaves.
func (l *life) join(ctx context.Context) (context.Context, func()) {
	ctx, leave := l.joinUnstopped(ctx)
	j := joinedFrom(ctx)
	l.mu.Lock()
	if l.running == nil {
		l.running = make(map[*joined]struct{})
	}
	l.running[j] = struct{}{}
	l.mu.Unlock()
	return ctx, func() {
		l.mu.Lock()
		delete(l.running, j)
		l.mu.Unlock()
		leave()
	}
}

// joinUnstopped is join for an operation that Stop leaves alone.
func (l *life) joinUnstopped(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	j := &joined{cancel: cancel, life: l}
	ctx = context.WithValue(ctx, joinedKey{}, j)
	return ctx, func() {
		cancel()
		if forgotten := l.locks.leave(j); len(forgotten) > 0 {
			tflog.Warn(ctx, "an operation ended without releasing its locks", map[string]any{"locks": forgotten})
		}
	}
}

func (l *life) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for j := range l.running {
		j.cancel()
	}
}
