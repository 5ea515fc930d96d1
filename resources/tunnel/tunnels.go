package tunnel

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// tunnels are those that are open in this process.
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

// open starts a tunnel, which ends with close or when nobody renews or uses it. ctx
// is that of the request, and does not end it.
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

// renew puts off the end of a tunnel, and reports whether it is open.
func (t *tunnels) renew(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, open := t.byID[id]
	if open {
		e.expiry.Reset(t.idle)
	}
	return open
}

// take is a tunnel that is to be closed, or nil.
func (t *tunnels) take(id string) *forward {
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

// expire closes a tunnel that has no connection. One that has is looked at later.
func (t *tunnels) expire(ctx context.Context, id string) {
	if e := t.expired(id); e != nil {
		_ = e.close(ctx) // nobody is there to be told
	}
}

// expired is a tunnel that nobody uses and that was taken, or nil.
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
		delete(t.byID, id) // nobody can renew it any more
		return e
	}
}
