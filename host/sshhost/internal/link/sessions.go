package link

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// sessions is how many sessions there are of how many that the server allows, and
// who waits for one, in turn.
type sessions struct {
	done <-chan struct{} // closed when nobody is to wait any more

	mu      sync.Mutex
	most    int // that were asked for
	limit   int // that the server is believed to allow
	granted int // slots that somebody has
	open    int // of these, where the server has agreed
	streak  int // sessions in a row to which it has agreed
	tickets uint64
	queue   []*turn // by ticket
	ended   []time.Time

	held holders
}

// turn is somebody who waits.
type turn struct {
	ticket uint64
	since  time.Time
	come   chan struct{} // closed when the slot is theirs
}

// The server frees a session a moment after we have seen its end: within lag it
// may still count it.
const lag = 250 * time.Millisecond

// growth is after how many sessions without a refusal one more is tried again.
const growth = 64

func newSessions(most int, done <-chan struct{}) *sessions {
	return &sessions{done: done, most: most, limit: most, held: holders{kinds: map[string]*holder{}}}
}

// slot is the right to have one session.
type slot struct {
	of     *sessions
	ticket uint64
	// Guarded by the lock of sessions.
	open bool
	free bool
}

// take waits for a slot.
func (s *sessions) take(ctx context.Context) (*slot, error) {
	s.mu.Lock()
	s.tickets++
	x := &slot{of: s, ticket: s.tickets, free: true}
	s.mu.Unlock()
	return x, x.take(ctx)
}

// take waits for the slot, which is free, at the place in the queue that it had
// from the beginning.
func (x *slot) take(ctx context.Context) error {
	s := x.of
	t := &turn{ticket: x.ticket, since: time.Now(), come: make(chan struct{})}
	s.mu.Lock()
	at, _ := slices.BinarySearchFunc(s.queue, t.ticket, func(other *turn, ticket uint64) int {
		if other.ticket < ticket {
			return -1
		}
		return 1
	})
	s.queue = slices.Insert(s.queue, at, t)
	s.serve()
	s.mu.Unlock()
	var cause error
	select {
	case <-t.come:
		x.free = false
		return nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-s.done:
		cause = ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, t); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	} else { // it came at the last moment
		s.granted--
		s.serve()
	}
	return &waitError{fmt.Sprintf("while waiting for one of the %d sessions that the server allows on a connection", s.limit), cause}
}

// serve gives free slots to those who wait, and makes room where none will come
// free. The lock is held.
func (s *sessions) serve() {
	for len(s.queue) > 0 && s.granted < s.limit {
		t := s.queue[0]
		s.queue = s.queue[1:]
		s.granted++
		close(t.come)
	}
	s.makeRoom()
}

// agreed notes that the server has opened the session.
func (x *slot) agreed() {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	x.open = true
	s.open++
	s.streak++
	if s.streak >= growth && s.limit < s.most {
		s.streak = 0
		s.limit++
		s.serve()
	}
}

// giveBack ends the use of a slot.
func (x *slot) giveBack() {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.free {
		return
	}
	x.free = true
	if x.open {
		x.open = false
		s.open--
		s.ended = append(s.recent(time.Now()), time.Now())
	}
	s.granted--
	s.serve()
}

// recent are the ends that the server may not have come to before a moment.
func (s *sessions) recent(moment time.Time) []time.Time {
	keep := slices.IndexFunc(s.ended, func(end time.Time) bool { return moment.Sub(end) < lag })
	if keep < 0 {
		return s.ended[:0]
	}
	return s.ended[keep:]
}

// refused learns from a session that the server refused when it was asked at
// asked: it has no more than those that are open, and those that ended only
// just. Learning waits until what it agreed to before has been noted. It says
// whether the server refuses although there is none.
func (x *slot) refused(asked time.Time) (alone bool) {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streak = 0
	n := s.open + len(s.recent(asked))
	s.limit = min(s.limit, max(n, 1))
	if s.granted > s.limit { // others are in time: wait with them
		x.free = true
		s.granted--
		s.serve()
	}
	return n == 0
}
