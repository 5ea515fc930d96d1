package conn

import (
	"context"
	"sync"
	"time"
)

// Held is a session that is kept open for those who come.
type Held interface {
	// Close ends it. By the time it returns, the processes that it had are closed.
	Close() error
	// Done is closed when it has ended, for whatever reason.
	Done() <-chan struct{}
}

// Leaver is a [Held] that is told when others wait for its place: who has it for
// long should release it then, and take it again.
type Leaver interface {
	// Leave is told that, more than once perhaps. It must not wait for anything.
	Leave()
}

// Hold answers the session of a kind that is kept open, which open opens where
// there is none. Many may use it at once. Until release is called it stays open;
// afterwards it may be closed at any time to make room for others, where the
// server allows too few sessions. Who holds a session must not wait for another
// one of the same Conn before release: where the server allows a single one,
// that would not come. The context of open is to be used for starting the session:
// it says that this is one to be kept.
func Hold[S Held](ctx context.Context, l *Conn, kind string, open func(context.Context) (S, error)) (session S, release func(), err error) {
	h, err := l.sessions.hold(ctx, kind, func() (Held, error) { return open(context.WithValue(ctx, keptKey{}, true)) })
	if err != nil {
		return session, nil, err
	}
	return h.session.(S), sync.OnceFunc(func() { l.sessions.letGo(h) }), nil //nolint:forcetypeassert // kinds are of one type
}

// keptKey marks the context of sessions that are kept open.
type keptKey struct{}

// holders are the sessions that are kept open. The lock of sessions guards all
// of it.
type holders struct {
	kinds map[string]*holder
	next  time.Time // when another may be closed to make room
	timer *time.Timer
}

// holder is a session of a kind, from before it is opened until it is closed.
type holder struct {
	kind   string
	opened chan struct{} // closed when session or err is set

	session Held
	err     error
	users   int
	last    time.Time     // when it was last used
	leaving bool          // no more users are taken, for now
	asked   time.Time     // since when it is leaving
	over    chan struct{} // closed when it is closed, and another may be opened, or stays after all
}

// hold waits for a session of a kind.
func (s *sessions) hold(ctx context.Context, kind string, open func() (Held, error)) (*holder, error) {
	for {
		s.mu.Lock()
		h := s.held.kinds[kind]
		if h == nil {
			h = &holder{kind: kind, opened: make(chan struct{}), users: 1}
			s.held.kinds[kind] = h
			s.seen[kind] = true
			s.mu.Unlock()
			return s.fill(h, open)
		}
		wait := h.opened
		select {
		case <-h.opened:
			if ended(h.session) {
				s.dismiss(h)
			}
			if !h.leaving {
				h.users++
				s.mu.Unlock()
				return h, nil
			}
			wait = h.over
		default:
		}
		s.mu.Unlock()
		select {
		case <-wait:
			// Whoever waited for an opening has its outcome, unless it was its opener
			// who gave up.
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

func ended(session Held) bool {
	select {
	case <-session.Done():
		return true
	default:
		return false
	}
}

// fill opens the session of a new holder.
func (s *sessions) fill(h *holder, open func() (Held, error)) (*holder, error) {
	h.session, h.err = open()
	s.mu.Lock()
	defer s.mu.Unlock()
	close(h.opened)
	if h.err != nil {
		delete(s.held.kinds, h.kind)
		return nil, h.err
	}
	return h, nil
}

// letGo ends one use.
func (s *sessions) letGo(h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	h.last = time.Now()
	switch {
	case h.users > 0:
	case h.leaving || ended(h.session):
		s.dismiss(h)
	default:
		s.makeRoom()
	}
}

// dismiss closes a session as soon as nobody uses it, and lets nobody else use it
// until then. The lock is held; closing is done without it.
func (s *sessions) dismiss(h *holder) {
	h.leave()
	if h.users > 0 || s.held.kinds[h.kind] != h {
		return
	}
	delete(s.held.kinds, h.kind)
	go func() {
		_ = h.session.Close() // nothing of it is used any more
		close(h.over)
	}()
}

// leave lets nobody else use a session. The lock of sessions is held.
func (h *holder) leave() {
	if h.leaving {
		return
	}
	h.leaving, h.asked, h.over = true, time.Now(), make(chan struct{})
	if l, ok := h.session.(Leaver); ok {
		l.Leave()
	}
}

// stay lets others use it after all. The lock is held.
func (h *holder) stay() {
	h.leaving = false
	close(h.over)
}

// Who waits for a slot has idle sessions closed at once when nothing else can
// end, else after idlePatience; busy ones are to end after idlePatience when
// nothing else can, else after busyPatience. One that has not ended after
// leavePatience is used further, for busyPatience at least: who uses it may wait
// for something that needs it as well.
const (
	idlePatience  = 100 * time.Millisecond
	busyPatience  = time.Second
	leavePatience = 2 * time.Second
)

// makeRoom closes a session that is kept open, when somebody waits for a slot
// and there is no other way to it, or it takes long. The lock is held.
func (s *sessions) makeRoom() {
	now := time.Now()
	first := s.next()
	needed := first >= 0 && s.granted >= s.limit // somebody waits whom it would help
	for _, h := range s.held.kinds {
		if h.leaving && h.users > 0 && !ended(h.session) && (!needed || now.Sub(h.asked) >= leavePatience) {
			s.held.next = now.Add(busyPatience)
			h.stay()
		}
	}
	if !needed {
		return
	}
	waited := now.Sub(s.queue[first].since)
	var idle, busy *holder // the longest unused ones
	kept := 0
	for _, h := range s.held.kinds {
		select {
		case <-h.opened:
		default:
			continue
		}
		kept++
		switch {
		case h.leaving:
		case h.users == 0 && (idle == nil || h.last.Before(idle.last)):
			idle = h
		case h.users > 0 && (busy == nil || h.last.Before(busy.last)):
			busy = h
		}
	}
	only := kept >= s.granted
	switch {
	case now.Before(s.held.next):
	case idle != nil && (only || waited >= idlePatience):
		s.held.next = now.Add(idlePatience)
		s.dismiss(idle)
	case busy != nil && (only && waited >= idlePatience || waited >= busyPatience):
		s.held.next = now.Add(idlePatience)
		s.dismiss(busy)
	}
	s.lookAgain()
}

// lookAgain has makeRoom called after a while. The lock is held.
func (s *sessions) lookAgain() {
	if s.held.timer != nil {
		return
	}
	s.held.timer = time.AfterFunc(idlePatience/2, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held.timer = nil
		s.makeRoom()
	})
}

// closeHeld closes all sessions that are kept open, also those in use.
func (s *sessions) closeHeld() {
	s.mu.Lock()
	var all []*holder
	for _, h := range s.held.kinds {
		select {
		case <-h.opened:
			h.leave()
			all = append(all, h)
		default: // its opener fails with the connection
		}
	}
	s.mu.Unlock()
	for _, h := range all {
		_ = h.session.Close() // what used it has an error, and says so
		s.mu.Lock()
		s.dismiss(h)
		s.mu.Unlock()
	}
}
