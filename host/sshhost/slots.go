package sshhost

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// Slots limits the number of open connections. If no slot is free, a new connection takes
// the slot of the connection that has been idle the longest, which is closed; if all are
// busy, it waits.
type Slots struct {
	mu      sync.Mutex
	free    int
	idle    []*Slot // longest idle first
	waiting []chan *Slot
}

// NewSlots returns a Slots with n slots, at least one.
func NewSlots(n int) *Slots { return &Slots{free: max(n, 1)} }

// Slot is the permission to have one connection open. A new slot is busy.
type Slot struct {
	slots *Slots
	// Guarded by the lock of Slots.
	busy  int
	lost  bool
	close func()
}

// Take waits for a slot. If ctx ends first, the error is its cause. The slot can be taken away
// while it is idle: close is then called, and Use returns false from then on. A connection
// through a jump host needs no slot: waiting for one while it keeps the jump host's slot busy
// could deadlock.
func (s *Slots) Take(ctx context.Context, close func()) (*Slot, error) { //nolint:predeclared // the name describes the function
	taken := &Slot{slots: s, busy: 1, close: close}
	s.mu.Lock()
	switch {
	case s.free > 0:
		s.free--
		s.mu.Unlock()
		return taken, nil
	case len(s.idle) > 0:
		evicted := s.idle[0]
		s.idle = s.idle[1:]
		evicted.lost = true
		s.mu.Unlock()
		evicted.close()
		return taken, nil
	}
	ready := make(chan *Slot, 1)
	s.waiting = append(s.waiting, ready)
	s.mu.Unlock()
	select {
	case evicted := <-ready:
		if evicted != nil {
			evicted.close()
		}
		return taken, nil
	case <-ctx.Done():
		s.cancel(ready)
		return nil, context.Cause(ctx)
	}
}

// cancel removes a waiting caller, or releases the slot if one was granted to the caller in the meantime.
func (s *Slots) cancel(ready chan *Slot) {
	s.mu.Lock()
	if i := slices.Index(s.waiting, ready); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if evicted := <-ready; evicted != nil {
		evicted.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

// release gives a slot to the caller that has waited the longest, or frees it. The caller
// holds the lock.
func (s *Slots) release() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	s.waiting[0] <- nil
	s.waiting = s.waiting[1:]
}

// Use makes the slot busy and returns true; Done must then be called once. It returns false if the
// slot was taken away or returned: the connection is closed, and a new one needs a new slot.
func (t *Slot) Use() bool {
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.lost {
		return false
	}
	if t.busy++; t.busy == 1 {
		s.forget(t)
	}
	return true
}

// Done ends one use. An idle slot can be taken away.
func (t *Slot) Done() {
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.busy--; t.lost || t.busy > 0 {
		return
	}
	if len(s.waiting) == 0 {
		s.idle = append(s.idle, t)
		return
	}
	t.lost = true
	s.waiting[0] <- t
	s.waiting = s.waiting[1:]
}

// Return gives the slot back after its connection was closed. It does nothing if the slot
// was taken away or returned before.
func (t *Slot) Return() {
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.lost {
		return
	}
	t.lost = true
	s.forget(t)
	s.release()
}

// forget removes a slot from the list of idle ones. The caller holds the lock.
func (s *Slots) forget(t *Slot) {
	s.idle = slices.DeleteFunc(s.idle, func(other *Slot) bool { return other == t })
}

// admission limits the connection of one host: the connection needs a slot, which all its
// operations share and which may be taken away between them. A host behind a jump host
// needs no slot of its own: its connection ends with that of the jump host.
type admission struct {
	slots *Slots     // nil: no limit
	via   *admission // admission of the jump host; nil if there is none
	leave func()     // closes the connection

	life context.Context //nolint:containedctx // the lifetime of the host, not a call; end cancels it
	stop context.CancelFunc

	lock chan struct{} // a mutex whose Lock can be canceled
	slot *Slot         // nil if there is none
	gone chan struct{} // closed when the connection whose slot was taken away has ended
}

func newAdmission(slots *Slots, via *admission, leave func()) *admission {
	a := &admission{slots: slots, via: via, leave: leave, lock: make(chan struct{}, 1)}
	a.life, a.stop = context.WithCancel(context.Background())
	a.lock <- struct{}{}
	return a
}

// enter waits until a connection is allowed. Its slot is not taken away until done is called.
func (a *admission) enter(ctx context.Context) (done func(), err error) {
	switch {
	case a.via != nil:
		return a.via.enter(ctx)
	case a.slots == nil:
		return func() {}, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(conn.ErrClosed) })()
	wait := func(ready <-chan struct{}) error {
		select {
		case <-ready:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting for a free connection (max_connections)", context.Cause(ctx))
		}
	}
	if err := wait(a.lock); err != nil {
		return nil, err
	}
	defer func() { a.lock <- struct{}{} }()
	if a.slot != nil {
		if a.slot.Use() {
			return a.slot.Done, nil
		}
		if err := wait(a.gone); err != nil {
			return nil, err
		}
		a.slot = nil
	}
	gone := make(chan struct{})
	slot, err := a.slots.Take(ctx, func() {
		a.leave()
		close(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("%w while waiting for a free connection (max_connections)", err)
	}
	a.slot, a.gone = slot, gone
	return slot.Done, nil
}

// end gives the slot back after the connection has ended.
func (a *admission) end() {
	a.stop() // makes enter return and release the lock
	<-a.lock
	defer func() { a.lock <- struct{}{} }()
	if a.slot != nil {
		a.slot.Return()
	}
}
