package conn

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// sessions limits the number of concurrent sessions on a connection. Waiting callers are
// served in order, but urgent ones first, and programs only while enough permits are left: see next.
type sessions struct {
	done <-chan struct{} // closed when all waits must end

	mu      sync.Mutex
	limit   int // starts as configured, drops when the server refuses a session
	granted int // permits in use
	plain   int // of these, permits of programs, which may run for a long time
	open    int // of these, permits whose session the server has opened
	tickets uint64
	queue   []*waiter // sorted by ticket
	ended   []time.Time

	kept  map[string]*keptSession
	kinds map[string]bool // kinds that have been kept so far
}

// waiter is a caller that waits for its permit.
type waiter struct {
	*permit
	served chan struct{} // closed when the permit is granted
}

// lag is how long a server may still count a session after the client has received the end of the session.
const lag = 250 * time.Millisecond

func newSessions(limit int, done <-chan struct{}) *sessions {
	return &sessions{done: done, limit: limit, kept: map[string]*keptSession{}, kinds: map[string]bool{}}
}

// permit is the permission to have one session.
type permit struct {
	of     *sessions
	ticket uint64
	plain  bool // for a program that neither operates on files nor is urgent
	// Guarded by the lock of sessions.
	open bool
	free bool
}

// take waits for a permit. Urgent callers are served first.
func (s *sessions) take(ctx context.Context) (*permit, error) {
	urgent := remote.IsUrgent(ctx)
	x := &permit{of: s, plain: !urgent && !remote.IsFileOperation(ctx), free: true}
	if !urgent {
		s.mu.Lock()
		s.tickets++
		x.ticket = s.tickets
		s.mu.Unlock()
	}
	return x, x.take(ctx)
}

// take waits until the permit is granted. A permit that was granted and released before keeps its
// place in the queue.
func (x *permit) take(ctx context.Context) error {
	s := x.of
	w := &waiter{permit: x, served: make(chan struct{})}
	s.mu.Lock()
	at, _ := slices.BinarySearchFunc(s.queue, w.ticket, func(other *waiter, ticket uint64) int {
		if other.ticket <= ticket {
			return -1
		}
		return 1
	})
	s.queue = slices.Insert(s.queue, at, w)
	s.serve()
	s.mu.Unlock()
	var cause error
	select {
	case <-w.served:
		return nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-s.done:
		cause = ErrClosed
	}
	s.mu.Lock()
	if i := slices.Index(s.queue, w); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	} else { // the permit was granted at the last moment
		x.release()
	}
	s.mu.Unlock()
	return s.waitError(cause)
}

// waitError returns the error of a caller that got no session.
func (s *sessions) waitError(cause error) error {
	if n := s.max(); n > 1 {
		return &waitError{fmt.Sprintf("while waiting for one of the %d sessions of the connection", n), cause}
	}
	return &waitError{"while waiting for the only session of the connection", cause}
}

// max returns the current limit of concurrent sessions.
func (s *sessions) max() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit
}

// stuck reports whether the only session is in use.
func (s *sessions) stuck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := false
	for _, h := range s.kept {
		idle = idle || isClosed(h.opened) && h.users == 0
	}
	return s.limit == 1 && s.granted == 1 && !idle
}

// serve grants free permits to waiters and calls evict if it has granted all of them. The caller
// holds the lock.
func (s *sessions) serve() {
	for s.granted < s.limit {
		i := s.next()
		if i < 0 {
			return
		}
		w := s.queue[i]
		s.queue = slices.Delete(s.queue, i, i+1)
		w.free = false
		s.granted++
		if w.plain {
			s.plain++
		}
		close(w.served)
	}
	s.evict()
}

// next returns the index of the waiter to serve next, or -1. Programs leave one permit free
// for each kind of kept session, and at least one, so that file operations do not wait for
// them and a program can be killed. If there are too few permits for that, one program may run.
func (s *sessions) next() int {
	programs := max(1, s.limit-max(1, len(s.kinds)))
	return slices.IndexFunc(s.queue, func(w *waiter) bool { return !w.plain || s.plain < programs })
}

// release takes a permit back. The caller holds the lock.
func (x *permit) release() {
	x.free = true
	x.of.granted--
	if x.plain {
		x.of.plain--
	}
	x.of.serve()
}

// opened records that the server has opened the session.
func (x *permit) opened() {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.open = true
	x.of.open++
}

// giveBack ends the use of a permit. Further calls do nothing.
func (x *permit) giveBack() {
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

// recent returns the ends of sessions that the server may not have processed at the given
// time.
func (s *sessions) recent(moment time.Time) []time.Time {
	keep := slices.IndexFunc(s.ended, func(end time.Time) bool { return moment.Sub(end) < lag })
	if keep < 0 {
		return s.ended[:0]
	}
	return s.ended[keep:]
}

// refused lowers the limit, but not below one, to the number of sessions that the server may have
// counted when it refused one that was requested at the time asked. It reports whether that number is 0.
// If more permits are granted than the limit allows, it releases x.
func (x *permit) refused(asked time.Time) (none bool) {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.open + len(s.recent(asked))
	s.limit = min(s.limit, max(n, 1))
	if s.granted > s.limit { // other callers have permits: wait for one of those
		x.release()
	}
	return n == 0
}
