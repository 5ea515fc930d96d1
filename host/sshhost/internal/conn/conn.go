package conn

import (
	"cmp"
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
	permanentErr error    // an error that matches ErrRefused, unless it is the jump host's; returned to every caller
	failed       *attempt // the last attempt if it failed with a temporary error, which is returned until retryAfter
	retryAfter   time.Time
	current      *connection // nil if not connected
	attempt      *attempt    // nil if none is in progress
}

// New returns a Conn that connects on first use. An error means that options are missing or
// invalid.
func New(o Options) (*Conn, error) {
	o.RetryPause = cmp.Or(o.RetryPause, defaultPause)
	problems := o.Check()
	trust, err := newTrust(&o)
	if err := errors.Join(problems, err); err != nil {
		return nil, fmt.Errorf("host %s: %w", o.Name, err)
	}
	done := make(chan struct{})
	return &Conn{options: o, trust: trust, sessions: newSessions(o.MaxSessions, done), done: done}, nil
}

// Name returns the host's name.
func (c *Conn) Name() string { return c.options.Name }

// MaxSessions returns the number of concurrent sessions to use. It starts at the
// configured limit and drops when the server refuses a session.
func (c *Conn) MaxSessions() int { return c.sessions.max() }

// Connect connects if there is no connection. It returns the error of the attempt, or the
// stored error of an earlier one.
func (c *Conn) Connect(ctx context.Context) error {
	_, err := c.connect(ctx)
	return err
}

// attempt is a connection attempt that all callers share.
type attempt struct {
	progress
	once   bool // without retries: see [host.WithConnectOnce]
	cancel context.CancelFunc
	done   chan struct{} // closed when conn or err is set
	conn   *connection
	err    error

	// Guarded by the lock of the Conn. If waiting drops to zero before done is closed, left
	// is set: later callers wait for the next attempt.
	waiting int
	left    bool
}

// failsFor reports whether the caller gets the error of the attempt. A caller with retries does not get
// that of an attempt without retries.
func (a *attempt) failsFor(caller context.Context) bool { return !a.once || host.ConnectsOnce(caller) }

// connect returns the connection, and opens one if necessary.
func (c *Conn) connect(ctx context.Context) (*connection, error) {
	for {
		if ctx.Err() != nil {
			return nil, c.errorf("connect to", context.Cause(ctx))
		}
		conn, a, err := c.join(ctx)
		if a == nil {
			return conn, err
		}
		select {
		case <-a.done:
			if c.leave(a) && (a.err == nil || a.failsFor(ctx)) {
				return a.conn, a.err
			}
		case <-ctx.Done():
			step := a.step()
			c.leave(a)
			var err error = &waitError{step, context.Cause(ctx)}
			if errors.Is(ctx.Err(), context.DeadlineExceeded) { // the timeout of the operation expired before there was a connection
				err = unreachableError{err}
			}
			return nil, c.errorf("connect to", err)
		}
	}
}

// join returns the connection, a stored error, or the attempt to wait for, which it starts if there is none.
func (c *Conn) join(caller context.Context) (*connection, *attempt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, nil, c.errorf("connect to", ErrClosed)
	case c.permanentErr != nil:
		return nil, nil, c.permanentErr
	case c.failed != nil && c.failed.failsFor(caller) && time.Now().Before(c.retryAfter):
		return nil, nil, c.failed.err
	case c.current != nil && c.current.alive():
		return c.current, nil, nil
	}
	a := c.attempt
	if a == nil {
		ctx, once := context.Background(), host.ConnectsOnce(caller)
		if once {
			ctx = host.WithConnectOnce(ctx)
		}
		ctx, cancel := context.WithCancel(ctx)
		a = &attempt{once: once, cancel: cancel, done: make(chan struct{})}
		c.attempt = a
		c.running.Go(func() { c.runAttempt(ctx, a) })
	}
	if !a.left {
		a.waiting++
	}
	return nil, a, nil
}

// leave stops waiting for an attempt and cancels it if no other caller waits. It reports
// whether the result may be used.
func (c *Conn) leave(a *attempt) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.left {
		return false
	}
	a.waiting--
	if a.waiting == 0 && !isClosed(a.done) {
		a.left = true
		a.cancel()
	}
	return true
}

// runAttempt opens a connection. The attempt is independent of the caller that started it,
// as others may be waiting too. A temporary error is returned to later callers for as long as the
// attempt took, so that many operations on an unreachable host wait only about as long as
// one.
func (c *Conn) runAttempt(ctx context.Context, a *attempt) {
	defer a.cancel()
	begun := time.Now()
	conn, err := c.dial(ctx, &a.progress)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempt, c.failed = nil, nil
	switch {
	case c.closed, err == nil && a.left: // in the latter case no caller gets the result
		if err == nil {
			conn.end(ErrClosed)
		}
		a.err = c.errorf("connect to", ErrClosed)
	case errors.Is(err, ErrRefused):
		a.err = c.errorf("connect to", err)
		if _, other := errors.AsType[*Error](err); !other { // the Conn of the jump host stores its own errors
			c.permanentErr = a.err
		}
	case err != nil:
		a.err = c.errorf("connect to", unreachableError{err})
		a.once = a.once && a.at.Load() < authenticating // hosts count failures: a caller with retries does not repeat a login at once
		if ctx.Err() == nil {
			c.failed, c.retryAfter = a, time.Now().Add(time.Since(begun))
		}
	default:
		a.conn, c.current = conn, conn
		c.running.Go(conn.watch)
		if c.options.KeepAlive > 0 {
			c.running.Go(func() { conn.keepAlive(c.options.KeepAlive, c.options.KeepAliveCount) })
		}
	}
	close(a.done)
}

// Disconnect closes the connection, if there is one, and everything that runs on it. The
// next operation connects again.
func (c *Conn) Disconnect() {
	c.sessions.closeKept()
	c.mu.Lock()
	conn := c.current
	c.current = nil
	c.mu.Unlock()
	if conn != nil {
		conn.end(ErrClosed)
		<-conn.lost
	}
}

// Close closes the connection permanently. Waiting callers get an error that
// matches [ErrClosed].
func (c *Conn) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.done)
	}
	if a := c.attempt; a != nil {
		a.cancel()
	}
	c.mu.Unlock()
	c.Disconnect()
	c.running.Wait()
	return nil
}

// ClearErrors clears stored errors, so that the next operation connects again: a booting
// host may reject logins for a while.
func (c *Conn) ClearErrors() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.permanentErr, c.failed = nil, nil
}
