package remotetest

import (
	"context"
	"sync"
)

// Keeper keeps one session open, and opens another one after that has ended.
type Keeper[S interface {
	Done() <-chan struct{}
	Close() error
}] struct {
	mu      sync.Mutex
	session S
	open    bool
}

// Hold returns the session and calls open if there is none.
func (k *Keeper[S]) Hold(ctx context.Context, open func(ctx context.Context) (S, error)) (session S, release func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open {
		select {
		case <-k.session.Done():
			k.open = false
		default:
		}
	}
	if !k.open {
		if k.session, err = open(ctx); err != nil {
			return k.session, nil, err
		}
		k.open = true
	}
	return k.session, func() {}, nil
}

// Close closes the session, if there is one.
func (k *Keeper[S]) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open {
		_ = k.session.Close() // its error does not matter
		k.open = false
	}
}
