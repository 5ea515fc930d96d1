package conn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Conn is the connection to one host. Its methods are safe for concurrent use.
type Conn struct {
	options  Options
	trust    *trust
	sessions *sessions

	done    chan struct{}  // closed by Close
	running sync.WaitGroup // connection attempts and monitors

	mu           sync.Mutex
	closed       bool
	permanentErr error // set once the host rejects the connection for good; returned to every caller
	lastErr      error // error of the last failed attempt, returned until retryAfter
	retryAfter   time.Time
	current      *connection // nil if not connected
	attempt      *attempt    // nil if none is in progress
}

// New returns a Conn that connects on first use. An error is about the options.
func New(o Options) (*Conn, error) {
	if o.RetryPause == 0 {
		o.RetryPause = defaultPause
	}
	problems := o.Check()
	trust, err := newTrust(&o)
	if err := errors.Join(problems, err); err != nil {
		return nil, fmt.Errorf("host %s: %w", o.Name, err)
	}
	done := make(chan struct{})
	return &Conn{options: o, trust: trust, sessions: newSessions(o.MaxSessions, done), done: done}, nil
}

// Name returns the host's name.
func (l *Conn) Name() string { return l.options.Name }

// MaxSessions returns the number of concurrent sessions to use. It starts at the
// configured limit and drops when the server refuses a session.
func (l *Conn) MaxSessions() int { return l.sessions.max() }

// Connect connects if there is no connection.
func (l *Conn) Connect(ctx context.Context) error {
	_, err := l.connect(ctx)
	return err
}

// attempt is a connection attempt that all callers share.
type attempt struct {
	progress
	cancel context.CancelFunc
	done   chan struct{} // closed when conn or err is set
	conn   *connection
	err    error

	// Guarded by the lock of the Conn. Once it drops to zero, no caller may join.
	waiting int
	left    bool
}

// connect returns the connection, and opens one if necessary.
func (l *Conn) connect(ctx context.Context) (*connection, error) {
	for {
		if ctx.Err() != nil {
			return nil, l.errorf("connect to", context.Cause(ctx))
		}
		conn, a, err := l.join(ctx)
		if a == nil {
			return conn, err
		}
		select {
		case <-a.done:
			if l.leave(a) {
				return a.conn, a.err
			}
		case <-ctx.Done():
			step := a.step()
			l.leave(a)
			return nil, l.errorf("connect to", &waitError{step, context.Cause(ctx)})
		}
	}
}

// join returns the connection, a stored error, or the attempt to wait for.
func (l *Conn) join(caller context.Context) (*connection, *attempt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, nil, l.errorf("connect to", ErrClosed)
	case l.permanentErr != nil:
		return nil, nil, l.permanentErr
	case l.lastErr != nil && time.Now().Before(l.retryAfter):
		return nil, nil, l.lastErr
	case l.current != nil && l.current.alive():
		return l.current, nil, nil
	}
	a := l.attempt
	if a == nil {
		ctx := context.Background()
		if host.ConnectsOnce(caller) {
			ctx = host.WithConnectOnce(ctx)
		}
		ctx, cancel := context.WithCancel(ctx)
		a = &attempt{cancel: cancel, done: make(chan struct{})}
		l.attempt = a
		l.running.Go(func() { l.runAttempt(ctx, a) })
	}
	if !a.left {
		a.waiting++
	}
	return nil, a, nil
}

// leave stops waiting for an attempt and cancels it if no other caller waits. It reports
// whether the result may be used.
func (l *Conn) leave(a *attempt) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.left {
		return false
	}
	a.waiting--
	if a.waiting == 0 {
		select {
		case <-a.done:
		default:
			a.left = true
			a.cancel()
		}
	}
	return true
}

// runAttempt opens a connection. The attempt is independent of the caller that started it,
// as others may be waiting too. An error is returned to later callers for as long as the
// attempt took, so that many operations on an unreachable host wait only about as long as
// one.
func (l *Conn) runAttempt(ctx context.Context, a *attempt) {
	defer a.cancel()
	begun := time.Now()
	conn, err := l.dial(ctx, &a.progress)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempt, l.lastErr = nil, nil
	switch {
	case l.closed:
		if err == nil {
			conn.end(ErrClosed)
		}
		a.err = l.errorf("connect to", ErrClosed)
	case errors.Is(err, ErrRefused):
		a.err = l.errorf("connect to", err)
		l.permanentErr = a.err
	case err != nil:
		a.err = l.errorf("connect to", unreachableError{err})
		if ctx.Err() == nil {
			l.lastErr, l.retryAfter = a.err, time.Now().Add(time.Since(begun))
		}
	default:
		a.conn, l.current = conn, conn
		l.running.Go(conn.watch)
		if l.options.KeepAlive > 0 {
			l.running.Go(func() { conn.keepAlive(l.options.KeepAlive, l.options.KeepAliveCount) })
		}
	}
	close(a.done)
}

// Disconnect closes the connection, if there is one, and everything that runs on it. The
// next operation connects again.
func (l *Conn) Disconnect() {
	l.sessions.closeKept()
	l.mu.Lock()
	conn := l.current
	l.current = nil
	l.mu.Unlock()
	if conn != nil {
		conn.end(ErrClosed)
		<-conn.lost
	}
}

// Close closes the connection for good. Waiting callers get an error that matches
// [ErrClosed].
func (l *Conn) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	if a := l.attempt; a != nil {
		a.cancel()
	}
	l.mu.Unlock()
	l.Disconnect()
	l.running.Wait()
	return nil
}

// ClearErrors clears stored errors, so that the next operation connects again: a booting
// host may reject logins for a while.
func (l *Conn) ClearErrors() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.permanentErr, l.lastErr = nil, nil
}
