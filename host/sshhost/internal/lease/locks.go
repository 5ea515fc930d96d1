package lease

import (
	"context"
	"sync"
	"time"
)

// maxWait is how long a writer waits for another writer of the same path.
const maxWait = 5 * time.Second

// Locks serialises the writers of one path in this process.
type Locks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the lock is released
}

// Lock waits for the lock of a path, up to maxWait. A writer that does not get it writes
// concurrently; the file then has the content of one of the writers.
func (l *Locks) Lock(ctx context.Context, path string) (release func(), err error) {
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	for {
		mine, held := l.try(path)
		if mine != nil {
			return func() { l.release(path, mine) }, nil
		}
		select {
		case <-held:
		case <-timer.C:
			return func() {}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *Locks) try(path string) (mine, held chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held := l.held[path]; held != nil {
		return nil, held
	}
	if l.held == nil {
		l.held = map[string]chan struct{}{}
	}
	mine = make(chan struct{})
	l.held[path] = mine
	return mine, nil
}

func (l *Locks) release(path string, mine chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, path)
	close(mine)
}
