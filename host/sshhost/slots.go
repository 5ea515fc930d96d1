package sshhost

import (
	"context"
	"sync"
)

// Slots bound how many connections are open at the same time. Who wants one when
// there is none gets that of the connection which has been idle the longest,
// and which is then closed; where all are busy, it waits for one that is not.
type Slots struct {
	mu      sync.Mutex
	free    int
	idle    []*Slot // the longest idle first
	waiting []chan *Slot
}

// NewSlots are n slots, at least one.
func NewSlots(n int) *Slots { return &Slots{free: max(n, 1)} }

// Slot is the right to have a connection open. Its owner has it busy at first.
type Slot struct {
	slots *Slots
	// Guarded by the lock of slots.
	busy  int
	lost  bool
	close func()
}

// Take waits for a slot. Should it be taken away, close is called; that is only
// while it is idle, and by the time of the call Use fails. A connection that goes
// through another needs no slot of its own: it must not wait for one while it
// has the other's busy.
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
	turn := make(chan *Slot, 1)
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case loser := <-turn:
		if loser != nil {
			loser.close()
		}
		return taken, nil
	case <-ctx.Done():
		s.giveUp(turn)
		return nil, context.Cause(ctx)
	}
}

// giveUp ends waiting, and hands on what came at the last moment.
func (s *Slots) giveUp(turn chan *Slot) {
	s.mu.Lock()
	for i, other := range s.waiting {
		if other == turn {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	if loser := <-turn; loser != nil {
		loser.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

// release gives a slot to who has waited the longest, or back. The lock is held.
func (s *Slots) release() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	s.waiting[0] <- nil
	s.waiting = s.waiting[1:]
}

// Use makes the slot busy, until Done is called as often. It fails when the slot
// was taken away: the connection is closed, and a new one needs a new slot.
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

// Return gives the slot back: its connection is closed. What was taken away needs
// no returning, nor does it harm.
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

// forget takes an idle slot out of the row. The lock is held.
func (s *Slots) forget(t *Slot) {
	for i, other := range s.idle {
		if other == t {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			return
		}
	}
}
