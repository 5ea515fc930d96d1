package conn

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// queued waits until n callers are queued.
func queued(s *sessions, n int) {
	for {
		s.mu.Lock()
		now := len(s.queue)
		s.mu.Unlock()
		if now == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	s := newSessions(3, nil)
	first, err := s.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const n = 6
	served := make(chan *permit, n)
	for i := range n {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			x, err := s.take(ctx)
			if err != nil {
				x = nil
			}
			served <- x
		}()
		queued(s, i+1)
		if i == 2 { // this caller is canceled
			cancel()
			if <-served != nil {
				t.Error("the canceled caller got a permit")
			}
			queued(s, i)
			go func() { x, _ := s.take(t.Context()); served <- x }()
			queued(s, i+1)
		}
		t.Cleanup(cancel)
	}
	// The server allows one session: it refuses that of second, which then waits first in the queue.
	first.opened()
	if alone := second.refused(time.Now()); alone || !second.free {
		t.Errorf("alone: %t, free: %t, want false, true", alone, second.free)
	}
	go func() { _ = second.take(t.Context()); served <- second }()
	queued(s, n+1)
	first.giveBack()
	first.giveBack() // the second call does nothing
	last := uint64(0)
	for range n + 1 {
		x := <-served
		if x.ticket <= last {
			t.Errorf("the caller with ticket %d was served after ticket %d", x.ticket, last)
		}
		last = x.ticket
		select {
		case other := <-served:
			t.Fatalf("the callers with tickets %d and %d have permits at the same time; the limit is 1", x.ticket, other.ticket)
		default:
		}
		x.giveBack()
	}
}

// TestStepDown checks that the limit never drops below the number of sessions that were
// open when the server refused one, plus the recently closed ones that the server may
// still count.
func TestStepDown(t *testing.T) {
	t.Parallel()
	s := newSessions(10, nil)
	var open []*permit
	for range 6 {
		x, err := s.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, x)
	}
	for _, x := range open[:5] {
		x.opened()
	}
	asked := time.Now()
	open[0].giveBack()
	open[1].giveBack()
	if alone := open[5].refused(asked); alone || s.limit != 5 {
		t.Errorf("no open session: %t, limit %d, want false and 5: 3 open and 2 just ended", alone, s.limit)
	}
	if alone := open[5].refused(time.Now().Add(lag)); alone || s.limit != 3 || !open[5].free {
		t.Errorf("no open session: %t, limit %d, want false and 3, the open ones", alone, s.limit)
	}
	for _, x := range open[2:5] {
		x.giveBack()
	}
	x, err := s.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if alone := x.refused(time.Now().Add(lag)); !alone || s.limit != 1 {
		t.Errorf("no open session: %t, limit %d, want true and 1", alone, s.limit)
	}
	x.giveBack()
}

// TestPermitsUnderLoad checks that, under random arrivals and cancellations, the limit is
// never exceeded, programs leave the reserved permits free, and every caller that is not
// canceled gets a permit.
func TestPermitsUnderLoad(t *testing.T) {
	t.Parallel()
	const limit = 5
	s := newSessions(limit, nil)
	s.kinds["files"], s.kinds["helper"] = true, true
	var used, plain atomic.Int32
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				hold := i%4 == 0
				if hold {
					ctx = remote.FileOperation(ctx)
				}
				hasty := rand.IntN(5) == 0
				if hasty {
					go cancel()
				}
				x, err := s.take(ctx)
				if err != nil {
					if !hasty || !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					cancel()
					continue
				}
				if n := used.Add(1); n > limit {
					t.Errorf("%d permits are in use, want at most %d", n, limit)
				}
				if !hold && plain.Add(1) > limit-2 {
					t.Error("programs took the reserved permits")
				}
				time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
				if !hold {
					plain.Add(-1)
				}
				used.Add(-1)
				x.giveBack()
				cancel()
			}
		})
	}
	all.Wait()
	if s.granted != 0 || s.plain != 0 || len(s.queue) != 0 {
		t.Errorf("left: %d permits, %d of programs, %d waiters, want none", s.granted, s.plain, len(s.queue))
	}
}

func TestNoWaitAfterClose(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := newSessions(1, done)
	if _, err := s.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { _, err := s.take(context.Background()); waiting <- err }()
	queued(s, 1)
	close(done)
	if err := <-waiting; !errors.Is(err, ErrClosed) {
		t.Errorf("take returned error %v, want %v", err, ErrClosed)
	}
}

// closable is a session that ends when it is closed.
type closable struct {
	done  chan struct{}
	close func()
}

func newClosable() (Session, error) {
	s := &closable{done: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.done) })
	return s, nil
}

func (c *closable) Done() <-chan struct{} { return c.done }

func (c *closable) Close() error {
	c.close()
	return nil
}

// TestEndedSessionIsReplaced checks that a session that has ended is replaced although it still has
// a user, which may be waiting for the new session.
func TestEndedSessionIsReplaced(t *testing.T) {
	t.Parallel()
	for _, drained := range []bool{false, true} {
		s := newSessions(2, nil)
		hold := func() (*keptSession, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			return s.hold(ctx, Kind{Name: "files", Pinned: true}, newClosable)
		}
		first, err := hold()
		if err != nil {
			t.Fatal(err)
		}
		var end sync.WaitGroup
		if drained { // the next caller already waits when the session ends
			s.mu.Lock()
			s.drain(first)
			s.mu.Unlock()
			end.Go(func() {
				time.Sleep(50 * time.Millisecond)
				_ = first.session.Close()
			})
		} else if err := first.session.Close(); err != nil {
			t.Fatal(err)
		}
		second, err := hold()
		if err != nil || second == first {
			t.Fatalf("drained: %t; hold returned the same session: %t, error %v, want another session", drained, second == first, err)
		}
		end.Wait()
		s.release(first)
		third, err := hold()
		if err != nil || third != second {
			t.Errorf("drained: %t; hold returned another session after the release of the ended session: %t, error %v, want the same session", drained, third != second, err)
		}
	}
}
