package conn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// echoSession is a kept session that echoes each line.
type echoSession struct {
	remote.Process
	mu   sync.Mutex
	in   *bufio.Reader
	done chan struct{}
}

func newEchoSession(ctx context.Context, c *conn.Conn) (*echoSession, error) {
	p, err := c.Start(ctx, "cat")
	if err != nil {
		return nil, err
	}
	s := &echoSession{Process: p, in: bufio.NewReader(p.Stdout()), done: make(chan struct{})}
	go func() {
		p.Wait()
		close(s.done)
	}()
	return s, nil
}

func (p *echoSession) Done() <-chan struct{} { return p.done }

// checkEcho sends a line through the kept session of a kind and checks the echo.
func checkEcho(ctx context.Context, c *conn.Conn, kind, text string) error {
	p, release, err := conn.Hold(ctx, c, conn.Kind{Name: kind}, func(ctx context.Context) (*echoSession, error) { return newEchoSession(ctx, c) })
	if err != nil {
		return err
	}
	defer release()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.Stdin(), text+"\n"); err != nil {
		return err
	}
	got, err := p.in.ReadString('\n')
	if err == nil && got != text+"\n" {
		err = fmt.Errorf("sent %q, received %q", text, got)
	}
	return err
}

// TestManySessions checks that all callers get a session without an error and over one
// connection, however few sessions the server allows.
func TestManySessions(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	for _, limit := range []int{1, 2, 3, 10} {
		for _, callers := range []int{50, 200} {
			t.Run(fmt.Sprintf("%d of %d", callers, limit), func(t *testing.T) {
				server, o := serve(t, sshdtest.Config{MaxSessions: limit})
				c := open(t, o)
				var all sync.WaitGroup
				for i := range callers {
					all.Go(func() {
						text := fmt.Sprint("caller ", i)
						var err error
						switch i % 4 {
						case 0, 1:
							var stdout string
							if stdout, _, err = run(t.Context(), c, "cat", text); err == nil && stdout != text {
								err = fmt.Errorf("%q", stdout)
							}
						case 2:
							err = checkEcho(t.Context(), c, "files", text)
						case 3:
							err = checkEcho(t.Context(), c, "helper", text)
						}
						if err != nil {
							t.Errorf("%s: %v", text, err)
						}
					})
				}
				all.Wait()
				if n := server.Connections(); n != 1 {
					t.Errorf("%d connections, want 1", n)
				}
			})
		}
	}
}

// TestHold checks that a kept session is opened once if there are enough permits, and
// reopened after it was evicted.
func TestHold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, sessions int }{{10, 1 + 10}, {2, 1 + 10}, {1, 10 + 10}} {
		server, o := serve(t, sshdtest.Config{MaxSessions: tt.limit})
		c := open(t, o)
		for i := range 10 {
			if err := checkEcho(t.Context(), c, "files", fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := run(t.Context(), c, "true", ""); err != nil {
				t.Fatal(err)
			}
		}
		server.Await(t, tt.sessions, "Starting session: ")
		if n := server.Sessions(); n != tt.sessions {
			t.Errorf("limit %d: %d sessions, want %d", tt.limit, n, tt.sessions)
		}
	}
}

// TestHoldIsKept checks that a session in use is not evicted, and that it is evicted after
// its release.
func TestHoldIsKept(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 1})
	c := open(t, o)
	hold := func() (*echoSession, func()) {
		p, release, err := conn.Hold(t.Context(), c, conn.Kind{Name: "files"}, func(ctx context.Context) (*echoSession, error) { return newEchoSession(ctx, c) })
		if err != nil {
			t.Fatal(err)
		}
		return p, release
	}
	p, release := hold()
	ran := make(chan error, 1)
	go func() { _, _, err := run(t.Context(), c, "true", ""); ran <- err }()
	select {
	case <-p.Done():
		t.Fatal("the session was evicted while it was in use")
	case err := <-ran:
		t.Fatalf("the program ended with error %v, want it to wait for the session in use", err)
	case <-time.After(300 * time.Millisecond): // enough time for an eviction
	}
	// A new caller has to wait: otherwise continuous use of the session could block other callers.
	second := make(chan error, 1)
	go func() { second <- checkEcho(t.Context(), c, "files", "x") }()
	release()
	release()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
	<-p.Done()
	p, release = hold()
	release()
	p.Close()
	<-p.Done()
	if err := checkEcho(t.Context(), c, "files", "again"); err != nil {
		t.Errorf("checkEcho after the session ended returned error %v, want none", err)
	}
}

// TestPinned checks that a pinned session in use is kept, and that a session that is not pinned
// is evicted for a program.
func TestPinned(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 2})
	c := open(t, o)
	hold := func(kind conn.Kind) (*echoSession, func()) {
		p, release, err := conn.Hold(t.Context(), c, kind, func(ctx context.Context) (*echoSession, error) { return newEchoSession(ctx, c) })
		if err != nil {
			t.Fatal(err)
		}
		return p, release
	}
	pinned, release := hold(conn.Kind{Name: "pinned", Pinned: true})
	defer release()
	other, releaseOther := hold(conn.Kind{Name: "other"})
	ran := make(chan error, 1)
	go func() { _, _, err := run(t.Context(), c, "true", ""); ran <- err }()
	releaseOther()
	<-other.Done()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	select {
	case <-pinned.Done():
		t.Error("the pinned session was closed")
	default:
	}
}

// TestBusyHoldIsEvicted checks that continuous use of a kept session does not block a
// program.
func TestBusyHoldIsEvicted(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 1})
	c := open(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for ctx.Err() == nil {
				if err := checkEcho(ctx, c, "files", "x"); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		if _, _, err := run(t.Context(), c, "true", ""); err != nil {
			t.Error(err)
		}
	}
	cancel()
	users.Wait()
}

// TestLongPrograms checks that long-running programs leave a permit for file operations.
func TestLongPrograms(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	if err := checkEcho(t.Context(), c, "files", "first"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var programs sync.WaitGroup
	var started atomic.Int32
	for range 20 {
		programs.Go(func() {
			p, err := c.Start(ctx, "exec sleep 3600")
			if err != nil {
				return
			}
			started.Add(1)
			<-ctx.Done()
			p.Signal("KILL")
			p.Close()
		})
	}
	for started.Load() < 9 {
		time.Sleep(time.Millisecond)
	}
	for _, kind := range []string{"files", "files", "helper", "files"} {
		if err := checkEcho(t.Context(), c, kind, "x"); err != nil {
			t.Error(err)
		}
	}
	cancel()
	programs.Wait()
}

func TestHoldFails(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	c := open(t, o)
	broken := errors.New("broken")
	var opened atomic.Int32
	var all sync.WaitGroup
	enter, failed := make(chan struct{}), make(chan struct{})
	for range 10 {
		all.Go(func() {
			_, _, err := conn.Hold(t.Context(), c, conn.Kind{Name: "files"}, func(context.Context) (*echoSession, error) {
				if opened.Add(1) == 1 {
					close(enter)
				}
				<-failed
				return nil, broken
			})
			if !errors.Is(err, broken) {
				t.Errorf("got error %v, want the error of open", err)
			}
		})
	}
	<-enter
	close(failed)
	all.Wait()
	// If the caller that opens a session is canceled, for whatever cause, the next one opens it.
	for kind, cause := range map[string]error{"files": nil, "other files": fs.ErrNotExist} {
		ctx, cancel := context.WithCancelCause(t.Context())
		entered := make(chan struct{})
		go conn.Hold(ctx, c, conn.Kind{Name: kind}, func(ctx context.Context) (*echoSession, error) {
			close(entered)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		<-entered
		next := make(chan error, 1)
		go func() { next <- checkEcho(t.Context(), c, kind, "x") }()
		time.Sleep(10 * time.Millisecond)
		cancel(cause)
		if err := <-next; err != nil {
			t.Errorf("after a cancellation with the cause %v, the next caller got error %v, want none", cause, err)
		}
	}
}

func TestWaitingForASession(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 1})
	c := open(t, o)
	p, err := c.Start(t.Context(), "cat") // ends when it is abandoned
	if err != nil {
		t.Fatal(err)
	}
	for timeout := 50 * time.Millisecond; err == nil || !strings.Contains(err.Error(), "session"); timeout *= 2 { // until the caller waited for a session
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		_, err = c.Start(ctx, "true")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || timeout > time.Minute {
			t.Fatalf("the caller with a timeout of %s got error %v, want %v while waiting for a session", timeout, err, context.DeadlineExceeded)
		}
	}
	p.Close()
	if _, _, err := run(t.Context(), c, "true", ""); err != nil {
		t.Error(err)
	}
}

// TestUrgent checks that an urgent program does not wait for other programs to end, even
// if the program to be killed is in a kept session.
func TestUrgent(t *testing.T) {
	t.Parallel()
	for name, isKept := range map[string]bool{"program": false, "kept session": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, o := serve(t, sshdtest.Config{MaxSessions: 1})
			c := open(t, o)
			if isKept {
				_, release, err := conn.Hold(t.Context(), c, conn.Kind{Name: "helper"}, func(ctx context.Context) (*echoSession, error) { return newEchoSession(ctx, c) })
				if err != nil {
					t.Fatal(err)
				}
				defer release()
			} else if _, err := c.Start(t.Context(), "cat"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(remote.Urgent(t.Context()), time.Minute)
			defer cancel()
			for range 2 {
				p, err := c.Start(ctx, "echo started; cat")
				if err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(p.Stdout()).ReadString('\n'); line != "started\n" {
					t.Errorf("the program printed %q, error %v, want started", line, err)
				}
				p.Close()
				_, _ = p.Wait() // the program may have ended by itself before
			}
		})
	}
}

// TestNoSessions checks that Start fails after some time if the server refuses every session,
// and that the server can still be a jump host.
func TestNoSessions(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	_, o := serve(t, sshdtest.Config{Lines: []string{"MaxSessions 0"}})
	c := open(t, o)
	_, err := c.Start(t.Context(), "true")
	if err == nil || !strings.Contains(err.Error(), "rejects sessions") || !strings.Contains(err.Error(), "open failed") {
		t.Errorf("Start returned error %v, want one about rejected sessions", err)
	}
	address := echo(t, "tcp", "127.0.0.1:0")
	if conn := dial(t, c, "tcp", address); conn.RemoteAddr().String() != address { // a host that is used only as a jump host
		t.Errorf("connected to %s, want %s", conn.RemoteAddr(), address)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) { //nolint:paralleltest // it counts goroutines
	server, o := serve(t, sshdtest.Config{MaxSessions: 2})
	before := goruntime.NumGoroutine()
	o.KeepAlive, o.KeepAliveCount = time.Second, 3
	enough, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 3 {
		c, err := conn.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				run(t.Context(), c, "true", "")
				checkEcho(t.Context(), c, "files", "x")
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				run(ctx, c, "true", "")
				if conn, err := c.Dial(t.Context(), "tcp", server.Addr()); err == nil {
					conn.Close()
				}
			})
		}
		all.Wait()
		for _, ctx := range []context.Context{enough, remote.Urgent(enough)} {
			if _, err := c.Start(ctx, "sleep 3600"); err != nil { // ended by Close
				t.Fatal(err)
			}
		}
		c.Close()
	}
	cancel()
	var now int
	for range 6000 {
		if now = goruntime.NumGoroutine(); now <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, now, stacks[:goruntime.Stack(stacks, true)])
}
