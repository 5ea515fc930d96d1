package conn

import (
	"context"
	"sync"
	"time"
)

// Session is a session that is kept open between uses.
type Session interface {
	// Close ends it. When it returns, the processes of the session are closed.
	Close() error
	// Done is closed when the session has ended, for whatever reason.
	Done() <-chan struct{}
}

// Kind is a kind of kept session. There is at most one session of each.
type Kind struct {
	Name string
	// Pinned is for sessions that are in use for long: they are closed for others
	// only when they are idle and nothing else can be closed.
	Pinned bool
}

// Hold returns the kept session of a kind and opens it if there is none. Any number
// of callers may use it until they call release; then it may be closed for others. A caller must not wait for another session of the same Conn before
// release, unless the kind is pinned. The context that open gets is the one to start
// the session with.
func Hold[S Session](ctx context.Context, c *Conn, kind Kind, open func(context.Context) (S, error)) (session S, release func(), err error) {
	h, err := c.sessions.hold(ctx, kind, func() (Session, error) { return open(context.WithValue(ctx, keptKey{}, true)) })
	if err != nil {
		return session, nil, err
	}
	return h.session.(S), sync.OnceFunc(func() { c.sessions.release(h) }), nil //nolint:forcetypeassert // kinds are of one type
}

// keptKey marks the context of sessions that are kept open.
type keptKey struct{}

// keptSession is a kept session, from before it is opened until it is closed. The
// lock of sessions guards it.
type keptSession struct {
	kind   Kind
	opened chan struct{} // closed when session or err is set

	session  Session
	err      error
	users    int
	last     time.Time     // of the last use
	draining bool          // it takes no more users and is closed after the last one
	closed   chan struct{} // closed when it is closed; nil unless it is draining
}

// hold waits for a session of a kind.
func (s *sessions) hold(ctx context.Context, kind Kind, open func() (Session, error)) (*keptSession, error) {
	for {
		s.mu.Lock()
		h := s.kept[kind.Name]
		if h == nil {
			h = &keptSession{kind: kind, opened: make(chan struct{}), users: 1}
			s.kept[kind.Name] = h
			s.kinds[kind.Name] = true
			s.mu.Unlock()
			return s.fill(h, open)
		}
		wait := h.opened
		if h.isOpened() {
			if ended(h.session) {
				s.drain(h)
			}
			if !h.draining {
				h.users++
				s.mu.Unlock()
				return h, nil
			}
			wait = h.closed
		}
		s.mu.Unlock()
		select {
		case <-wait:
			// A failed opening is the result of all who waited for it, unless the caller
			// that opened it gave up.
			if wait == h.opened && h.err != nil && ctx.Err() == nil && !isContextError(h.err) {
				return nil, h.err
			}
		case <-ctx.Done():
			return nil, &waitError{"while waiting for a session", context.Cause(ctx)}
		case <-s.done:
			return nil, ErrClosed
		}
	}
}

func (h *keptSession) isOpened() bool {
	select {
	case <-h.opened:
		return true
	default:
		return false
	}
}

func ended(session Session) bool {
	select {
	case <-session.Done():
		return true
	default:
		return false
	}
}

// fill opens the session.
func (s *sessions) fill(h *keptSession, open func() (Session, error)) (*keptSession, error) {
	h.session, h.err = open()
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
	if h.draining || ended(h.session) {
		s.drain(h)
	}
	s.evict()
}

// drain closes a session after its last use and lets nobody else use it until then.
// The lock is held; closing is done without it.
func (s *sessions) drain(h *keptSession) {
	if !h.draining {
		h.draining, h.closed = true, make(chan struct{})
	}
	if h.users > 0 || s.kept[h.kind.Name] != h {
		return
	}
	delete(s.kept, h.kind.Name)
	go func() {
		_ = h.session.Close() // nobody uses it any more
		close(h.closed)
	}()
}

// evict drains a kept session when a caller waits for a slot and none is free: the
// least recently used idle one, else a busy one. The lock is held.
func (s *sessions) evict() {
	if s.granted < s.limit || s.next() < 0 {
		return
	}
	var victim *keptSession
	for _, h := range s.kept {
		switch {
		case !h.isOpened() || h.kind.Pinned && h.users > 0:
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

// before reports whether h is evicted rather than other.
func (h *keptSession) before(other *keptSession) bool {
	if h.kind.Pinned != other.kind.Pinned {
		return other.kind.Pinned
	}
	if (h.users == 0) != (other.users == 0) {
		return h.users == 0
	}
	return h.last.Before(other.last)
}

// closeKept closes all kept sessions, whether they are in use or not.
func (s *sessions) closeKept() {
	s.mu.Lock()
	var all []*keptSession
	for _, h := range s.kept {
		if h.isOpened() { // an opening fails with the connection
			all = append(all, h)
		}
	}
	s.mu.Unlock()
	for _, h := range all {
		_ = h.session.Close() // its users get an error
		s.mu.Lock()
		s.drain(h)
		s.mu.Unlock()
	}
}
