package tunnel

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// tunnels are the open tunnels of one provider.
type tunnels struct {
	idle time.Duration

	mu   sync.Mutex
	byID map[string]*entry
}

type entry struct {
	*forward
	expiry *time.Timer
}

func newTunnels(idle time.Duration) *tunnels {
	return &tunnels{idle: idle, byID: make(map[string]*entry)}
}

// open starts a tunnel and returns its ID. The tunnel ends when it is closed, or when it has no
// connections after an idle time without a renewal. The end of ctx, the context of a request, does not end the tunnel.
func (t *tunnels) open(ctx context.Context, f *forward) string {
	id := rand.Text()
	ctx = context.WithoutCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &entry{forward: f}
	e.expiry = time.AfterFunc(t.idle, func() { t.expire(ctx, id) })
	t.byID[id] = e
	f.start(ctx)
	return id
}

// renew restarts the idle time of a tunnel, and reports whether it is open.
func (t *tunnels) renew(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, open := t.byID[id]
	if open {
		e.expiry.Reset(t.idle)
	}
	return open
}

// remove removes a tunnel and returns it for the caller to close, or returns nil if it is not open.
func (t *tunnels) remove(id string) *forward {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, open := t.byID[id]
	if !open {
		return nil
	}
	e.expiry.Stop()
	delete(t.byID, id)
	return e.forward
}

// expire closes a tunnel without connections. A tunnel with connections is checked again
// after the idle time.
func (t *tunnels) expire(ctx context.Context, id string) {
	if e := t.expired(id); e != nil {
		_ = e.close(ctx) // there is no caller to report to
	}
}

// expired removes and returns a tunnel without connections, and restarts the idle time of one with
// connections. It returns nil if it has removed none.
func (t *tunnels) expired(id string) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID[id]
	switch {
	case e == nil:
		return nil
	case e.busy():
		e.expiry.Reset(t.idle)
		return nil
	default:
		delete(t.byID, id)
		return e
	}
}
