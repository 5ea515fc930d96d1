package runtime

import (
	"context"
	"sync"
)

// life is the time until Stop. Operations join it and leave it; Stop cancels
// those that have joined, and a new life begins, since clients may call again.
type life struct {
	mu      sync.Mutex
	running map[*joined]struct{}
}

type joined struct{ cancel context.CancelFunc }

// join returns a context that Stop cancels, and the function that leaves.
func (l *life) join(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	j := &joined{cancel}
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
		cancel()
	}
}

func (l *life) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for j := range l.running {
		j.cancel()
	}
}
