package sshhost

import (
	"context"
	"sync"
)

// Slots limits the number of open connections. If no slot is free, a new connection takes
// the slot of the connection that has been idle for longest, which is closed; if all are
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

// Take waits for a slot. The slot can be taken away while it is idle: close is then called,
// and Use returns false from then on. A connection through a jump host needs no slot:
// waiting for one while it keeps the jump host's slot busy could deadlock.
func (s *Slots) Take(ctx context.Context, close func()) (*Slot, error) { //nolint:predeclared // it is what it does
	taken := &Slot{slots: s, busy: 1, close: close}
	s.mu.Lock()
	switch {
	case s.free > 0:
		s.free--
		s.mu.Unlock()
		return taken, nil
	case len(s.idle) > 0:
		loser := s.idle[0]
		s.idle = s.idle[1:]
		loser.lost = true
		s.mu.Unlock()
		loser.close()
		return taken, nil
	}
	ready := make(chan *Slot, 1)
	s.waiting = append(s.waiting, ready)
	s.mu.Unlock()
	select {
	case loser := <-ready:
		if loser != nil {
			loser.close()
		}
		return taken, nil
	case <-ctx.Done():
		s.giveUp(ready)
		return nil, context.Cause(ctx)
	}
}

// giveUp ends waiting, and passes on a slot that was granted at the last moment.
func (s *Slots) giveUp(ready chan *Slot) {
	s.mu.Lock()
	for i, other := range s.waiting {
		if other == ready {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	if loser := <-ready; loser != nil {
		loser.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

// release gives a slot to the caller that has waited for longest, or frees it. The caller
// holds the lock.
func (s *Slots) release() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	s.waiting[0] <- nil
	s.waiting = s.waiting[1:]
}

// Use makes the slot busy; Done must be called once for each Use. It returns false if the
// slot was taken away: the connection is closed, and a new one needs a new slot.
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
// was taken away.
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

// forget removes a slot from the idle ones. The caller holds the lock.
func (s *Slots) forget(t *Slot) {
	for i, other := range s.idle {
		if other == t {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			return
		}
	}
}
