package lease

import (
	"context"
	"sync"
	"time"
)

// patience is how long a writer waits for another of the same path before it
// works beside it.
const patience = 5 * time.Second

// Turns lets those of this process who write one path do so one after the other.
type Turns struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the turn ends
}

// Take waits for a turn, and not for ever: whoever does not get one goes on
// beside the other, which only costs whose content is there in the end.
func (t *Turns) Take(ctx context.Context, path string) (release func(), err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		mine, held := t.try(path)
		if mine != nil {
			return func() { t.end(path, mine) }, nil
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

func (t *Turns) try(path string) (mine, held chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if held := t.held[path]; held != nil {
		return nil, held
	}
	if t.held == nil {
		t.held = map[string]chan struct{}{}
	}
	mine = make(chan struct{})
	t.held[path] = mine
	return mine, nil
}

func (t *Turns) end(path string, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, path)
	close(mine)
}
