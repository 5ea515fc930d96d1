package conn

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// besidePatience is how long a session of the connection is waited for by who
// would rather have one of another connection than none.
const besidePatience = 500 * time.Millisecond

// startBeside starts a program which must not wait for those that run: what ends
// them, where the server takes no signals and allows no further session. When no
// session comes free soon, it gets a connection to itself, which ends with it.
func (l *Conn) startBeside(ctx context.Context, line string) (remote.Process, error) {
	soon, cancel := context.WithTimeout(ctx, besidePatience)
	defer cancel()
	p, err := l.run(soon, "exec", line, "start a program on")
	if err == nil {
		return p, nil
	}
	if soon.Err() == nil || ctx.Err() != nil {
		return nil, err
	}
	return l.startApart(ctx, line)
}

func (l *Conn) startApart(ctx context.Context, line string) (remote.Process, error) {
	var progress progress
	conn, err := l.dial(ctx, &progress)
	if err != nil {
		return nil, l.errorf("connect to", err)
	}
	if !l.adopt(conn) {
		return nil, l.errorf("connect to", ErrClosed)
	}
	slot, err := newSessions(1, l.done).take(ctx)
	var p *process
	if err == nil {
		p, err = conn.session(ctx, slot)
	}
	if err == nil {
		err = p.request(ctx, "exec", line)
	}
	if err != nil {
		conn.end(ErrClosed)
		return nil, l.errorf("start a program on", err)
	}
	go func() {
		select {
		case <-p.closed:
		case <-conn.lost:
		}
		conn.end(ErrClosed)
	}()
	return p, nil
}

// adopt has Close end a connection, and wait for its end. It says whether the
// link is open; else the connection has ended.
func (l *Conn) adopt(conn *connection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		conn.end(ErrClosed)
		return false
	}
	l.running.Go(conn.watch)
	l.running.Go(func() {
		select {
		case <-conn.lost:
		case <-l.done:
			conn.end(ErrClosed)
		}
	})
	return true
}
