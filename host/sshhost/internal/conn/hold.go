package conn

import (
	"context"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// Session is a session that stays open between uses.
type Session interface {
	// Close ends the session and waits for its processes to be closed.
	Close() error
	// Done returns a channel that is closed when the session has ended for any reason.
	Done() <-chan struct{}
}

// Kind identifies a kept session. There is at most one session of each kind.
type Kind struct {
	Name string
	// Pinned sessions are in use for long periods: they are evicted only when they are idle
	// and nothing else can be evicted.
	Pinned bool
}

// Hold returns the kept session of a kind and opens it if necessary. Any number of callers
// may use it until they call release; after the last release it may be evicted. A caller
// that holds a session of a kind that is not pinned must not wait for another session of the same
// Conn. open must start the session with the context that it is given. Callers that wait for the
// session get the error of open, unless it is a context error or the context of the caller that
// called open has ended.
func Hold[S Session](ctx context.Context, c *Conn, kind Kind, open func(context.Context) (S, error)) (session S, release func(), err error) {
	h, err := c.sessions.hold(ctx, kind, func() (Session, error) { return open(remote.FileOperation(ctx)) })
	if err != nil {
		return session, nil, err
	}
	return h.session.(S), sync.OnceFunc(func() { c.sessions.release(h) }), nil //nolint:forcetypeassert // kinds are of one type
}

// keptSession is a kept session, from before it is opened until it is closed. The lock of
// sessions guards users, last and draining.
type keptSession struct {
	kind   Kind
	opened chan struct{} // closed when session or err is set

	session  Session
	err      error
	canceled bool // the context of the caller that opened it has ended, which may be the reason for err
	users    int
	last     time.Time // time of the last release
	draining bool      // accepts no more users; closed after the last one
}

// hold returns the session of a kind, and waits until it is usable.
func (s *sessions) hold(ctx context.Context, kind Kind, open func() (Session, error)) (*keptSession, error) {
	for {
		s.mu.Lock()
		h := s.kept[kind.Name]
		if h == nil {
			h = &keptSession{kind: kind, opened: make(chan struct{}), users: 1}
			s.kept[kind.Name] = h
			s.kinds[kind.Name] = true
			s.mu.Unlock()
			return s.fill(ctx, h, open)
		}
		var wait <-chan struct{} = h.opened
		if isClosed(h.opened) {
			switch {
			case isClosed(h.session.Done()):
				s.drain(h)
				s.mu.Unlock()
				continue
			case !h.draining:
				h.users++
				s.mu.Unlock()
				return h, nil
			}
			wait = h.session.Done()
		}
		s.mu.Unlock()
		select {
		case <-wait:
			// All callers that wait get the error of a failed open, unless the context of
			// the caller that called open has ended. The error does not always show that: it may be the
			// cause of that context, such as the error of another file.
			if wait == h.opened && h.err != nil && ctx.Err() == nil && !h.canceled && !isContextError(h.err) {
				return nil, h.err
			}
		case <-ctx.Done():
			return nil, &waitError{"while waiting for a session", context.Cause(ctx)}
		case <-s.done:
			return nil, ErrClosed
		}
	}
}

// isClosed reports whether a channel on which nothing is sent is closed.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// fill opens the session of h. ctx is the context of the caller.
func (s *sessions) fill(ctx context.Context, h *keptSession, open func() (Session, error)) (*keptSession, error) {
	h.session, h.err = open()
	h.canceled = ctx.Err() != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	close(h.opened)
	if h.err != nil {
		delete(s.kept, h.kind.Name)
		return nil, h.err
	}
	return h, nil
}

// release ends one use.
func (s *sessions) release(h *keptSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	h.last = time.Now()
	if h.draining || isClosed(h.session.Done()) {
		s.drain(h)
	}
	s.evict()
}

// drain closes a session after its last use; until then new callers have to wait. A session
// that has ended is replaced at once: one of its users may be waiting for the next session.
// The caller holds the lock. drain does not wait until the session is closed.
func (s *sessions) drain(h *keptSession) {
	h.draining = true
	if h.users > 0 && !isClosed(h.session.Done()) {
		return
	}
	if s.kept[h.kind.Name] == h {
		delete(s.kept, h.kind.Name)
	}
	if h.users == 0 {
		go func() { _ = h.session.Close() }() // no caller uses it any more
	}
}

// evict drains a kept session if next finds a waiter, no permit is free and no kept session is being
// drained. It prefers a session that is not pinned, then an idle one, then the least recently used one. A
// pinned session in use is not evicted. The caller holds the lock.
func (s *sessions) evict() {
	if s.granted < s.limit || s.next() < 0 {
		return
	}
	var victim *keptSession
	for _, h := range s.kept {
		switch {
		case !isClosed(h.opened) || h.kind.Pinned && h.users > 0:
		case h.draining:
			return
		case victim == nil || h.before(victim):
			victim = h
		}
	}
	if victim != nil {
		s.drain(victim)
	}
}

// before reports whether h should be evicted rather than other.
func (h *keptSession) before(other *keptSession) bool {
	if h.kind.Pinned != other.kind.Pinned {
		return other.kind.Pinned
	}
	if (h.users == 0) != (other.users == 0) {
		return h.users == 0
	}
	return h.last.Before(other.last)
}

// closeKept closes all kept sessions that are open, including those in use.
func (s *sessions) closeKept() {
	s.mu.Lock()
	var all []*keptSession
	for _, h := range s.kept {
		if isClosed(h.opened) { // a session that is being opened fails with the connection
			all = append(all, h)
		}
	}
	s.mu.Unlock()
	for _, h := range all {
		_ = h.session.Close() // callers that use it get an error
		s.mu.Lock()
		s.drain(h)
		s.mu.Unlock()
	}
}
