package conn

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
	plain   int // of these, for programs that come and go
	open    int // of these, where the server has agreed
	streak  int // sessions in a row to which it has agreed
	tickets uint64
	queue   []*turn // by ticket
	ended   []time.Time

	held holders
	seen map[string]bool // kinds that were ever held
}

// turn is somebody who waits.
type turn struct {
	*slot
	since time.Time
	come  chan struct{} // closed when the slot is theirs
}

// The server frees a session a moment after we have seen its end: within lag it
// may still count it.
const lag = 250 * time.Millisecond

// growth is after how many sessions without a refusal one more is tried again.
const growth = 64

func newSessions(most int, done <-chan struct{}) *sessions {
	return &sessions{done: done, most: most, limit: most, held: holders{kinds: map[string]*holder{}}, seen: map[string]bool{}}
}

// slot is the right to have one session.
type slot struct {
	of     *sessions
	ticket uint64
	kept   bool // for a session that is kept open
	// Guarded by the lock of sessions.
	open bool
	free bool
}

// take waits for a slot.
func (s *sessions) take(ctx context.Context) (*slot, error) {
	s.mu.Lock()
	s.tickets++
	x := &slot{of: s, ticket: s.tickets, kept: ctx.Value(keptKey{}) != nil, free: true}
	s.mu.Unlock()
	return x, x.take(ctx)
}

// take waits for the slot, which is free, at the place in the queue that it had
// from the beginning.
func (x *slot) take(ctx context.Context) error {
	s := x.of
	t := &turn{slot: x, since: time.Now(), come: make(chan struct{})}
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
		return nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-s.done:
		cause = ErrClosed
	}
	s.mu.Lock()
	if i := slices.Index(s.queue, t); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	} else { // it came at the last moment
		x.release()
	}
	s.mu.Unlock()
	return s.gaveUp(cause)
}

// gaveUp is the error of who did not get a session.
func (s *sessions) gaveUp(cause error) error {
	if n := s.believed(); n > 1 {
		return &waitError{fmt.Sprintf("while waiting for one of the %d sessions that there may be on the connection", n), cause}
	}
	return &waitError{"while waiting for the one session that there may be on the connection", cause}
}

// believed is how many sessions there may be.
func (s *sessions) believed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit
}

// serve gives free slots to those who wait, and makes room where none will come
// free. The lock is held.
func (s *sessions) serve() {
	for s.granted < s.limit {
		i := s.next()
		if i < 0 {
			break
		}
		t := s.queue[i]
		s.queue = slices.Delete(s.queue, i, i+1)
		t.free = false
		s.granted++
		if !t.kept {
			s.plain++
		}
		close(t.come)
	}
	s.makeRoom()
}

// next is who is served next: -1 is nobody. Programs, which may run for long, do
// not take the last slots when there are kinds of sessions that are kept open:
// files would wait for them.
func (s *sessions) next() int {
	reserved := min(len(s.seen), s.limit/2)
	return slices.IndexFunc(s.queue, func(t *turn) bool { return t.kept || s.plain < s.limit-reserved })
}

// release takes a slot back. The lock is held.
func (x *slot) release() {
	x.free = true
	x.of.granted--
	if !x.kept {
		x.of.plain--
	}
	x.of.serve()
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
	if x.open {
		x.open = false
		s.open--
		s.ended = append(s.recent(time.Now()), time.Now())
	}
	x.release()
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
		x.release()
	}
	return n == 0
}
