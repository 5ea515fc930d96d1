package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

// Start implements [remote.Starter]. After an error that matches [ErrLost] or is caused by the end of ctx,
// the program may have been started; after any other error it was not.
//
// Programs that kill others are started with a context of [remote.Urgent]. Such a program gets a session
// before all waiting callers that are not urgent; if the server allows a single session, which is in use,
// Start closes the connection and opens another one.
func (c *Conn) Start(ctx context.Context, line string) (remote.Process, error) {
	return c.run(ctx, "exec", line, "start a program on")
}

// Subsystem starts a subsystem such as "sftp". The error matches [ErrNoSubsystem] if the
// server does not have it.
func (c *Conn) Subsystem(ctx context.Context, name string) (remote.Process, error) {
	return c.run(ctx, "subsystem", name, "start the subsystem "+name+" on")
}

// maxRefusing is how long to retry if the server refuses a session although none is open.
const maxRefusing = 5 * time.Second

// maxLost is the number of reconnects after a connection broke while a session or a forwarded connection was being opened.
const maxLost = 3

// run opens a session and starts a program or a subsystem in it. Nothing is started before the
// start request is sent, so run reconnects and retries if the connection breaks before that.
func (c *Conn) run(ctx context.Context, request, argument, step string) (*process, error) {
	if _, err := c.connect(ctx); err != nil { // without a connection no permit is needed
		return nil, err
	}
	c.freeSession(ctx)
	permit, err := c.sessions.take(ctx)
	if err != nil {
		return nil, c.errorf(step, err)
	}
	var refusing time.Time // time of the first request that was refused while no session was open
	pause := 10 * time.Millisecond
	for lost := 0; ; {
		conn, err := c.connect(ctx)
		if err != nil {
			permit.giveBack()
			return nil, err
		}
		asked := time.Now()
		received := conn.expectReply(c.options.ConnectTimeout, "to the request for a session")
		p, err := conn.session(ctx, permit)
		received()
		if err == nil {
			received := conn.expectReply(c.options.ConnectTimeout, "to the request for "+request)
			err := p.request(ctx, request, argument)
			received()
			if err != nil {
				_ = p.Close() // the error of the request is returned
				return nil, c.errorf(step, err)
			}
			return p, nil
		}
		if _, late := errors.AsType[*waitError](err); late { // the permit is given back once the server has replied
			return nil, c.errorf(step, err)
		}
		refusal, refused := errors.AsType[*ssh.OpenChannelError](err)
		switch {
		case refused:
			if host.Sleep(ctx, pause) != nil {
				break
			}
			pause = min(2*pause, time.Second)
			alone := permit.refused(asked)
			switch {
			case !alone:
				refusing = time.Time{}
			case refusing.IsZero():
				refusing = asked
			case time.Since(refusing) > maxRefusing:
				permit.giveBack()
				return nil, c.errorf(step, fmt.Errorf("the server rejects sessions (%q) although none is open. Check that it "+
					"allows %s to run programs", refusal.Message, c.options.User))
			}
		case !conn.alive() && lost < maxLost && !errors.Is(err, ErrNoReply):
			lost++
		default:
			permit.giveBack()
			return nil, c.errorf(step, err)
		}
		if permit.free {
			c.freeSession(ctx)
			if err := permit.take(ctx); err != nil {
				return nil, c.errorf(step, err)
			}
		}
		if ctx.Err() != nil {
			permit.giveBack()
			return nil, c.errorf(step, c.sessions.waitError(context.Cause(ctx)))
		}
	}
}

// freeSession closes the connection for an urgent program if the only session is in use,
// presumably by the program to be killed.
func (c *Conn) freeSession(ctx context.Context) {
	if remote.IsUrgent(ctx) && c.sessions.stuck() {
		c.Disconnect()
	}
}

// session opens a session. The permit is given back when the session ends. If ctx ends before
// the server has replied, the error is a [*waitError], and the permit is given back after the
// server has replied.
func (c *connection) session(ctx context.Context, permit *permit) (*process, error) {
	stop := c.avoidDelayedAck()
	defer stop()
	channel, requests, err := c.openChannel(ctx, "session", nil, func(channel ssh.Channel, requests <-chan *ssh.Request, err error) {
		if err != nil {
			permit.giveBack()
			return
		}
		permit.opened()
		_ = newProcess(c, channel, requests, permit).Close() // nothing was started in it
	})
	if err != nil {
		return nil, err
	}
	permit.opened()
	return newProcess(c, channel, requests, permit), nil
}

// openChannel opens a channel. If ctx ends before the server has replied, late is called
// with its reply.
func (c *connection) openChannel(ctx context.Context, kind string, payload []byte,
	late func(channel ssh.Channel, requests <-chan *ssh.Request, err error),
) (ssh.Channel, <-chan *ssh.Request, error) {
	type opened struct {
		channel  ssh.Channel
		requests <-chan *ssh.Request
		err      error
	}
	answer := make(chan opened, 1)
	go func() {
		channel, requests, err := c.ssh.OpenChannel(kind, payload)
		answer <- opened{channel, requests, err}
	}()
	select {
	case o := <-answer:
		if o.err != nil {
			return nil, nil, c.failure(o.err)
		}
		return o.channel, o.requests, nil
	case <-ctx.Done():
		go func() {
			o := <-answer
			late(o.channel, o.requests, o.err)
		}()
		return nil, nil, &waitError{"while opening a channel", context.Cause(ctx)}
	}
}

// avoidDelayedAck sends requests while the first session is being opened, to avoid a delay of 40 ms:
// until a program is running, OpenSSH's server waits for acknowledgements before it sends more
// (Nagle's algorithm), and a client with nothing to send delays them.
func (c *connection) avoidDelayedAck() (stop func()) {
	const count, pause = 20, 2 * time.Millisecond
	if c.avoidedDelay.Swap(true) {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for range count {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if _, _, err := c.ssh.SendRequest(keepAliveRequest, false, nil); err != nil {
				return // the caller that opens the session gets the error
			}
		}
	}()
	return func() { close(done) }
}

// failure returns the cause of an error on the connection.
func (c *connection) failure(err error) error {
	if lost := c.err(); lost != nil {
		return lost
	}
	if errors.Is(err, io.EOF) { // the server closed the channel
		return errors.New("the server closed the session immediately")
	}
	return err
}

// request starts a program or subsystem in the session and waits for the server's reply.
func (p *process) request(ctx context.Context, name, argument string) error {
	type reply struct {
		ok  bool
		err error
	}
	answer := make(chan reply, 1)
	go func() {
		ok, err := p.channel.SendRequest(name, true, ssh.Marshal(struct{ Text string }{argument}))
		answer <- reply{ok, err}
	}()
	select {
	case r := <-answer:
		switch {
		case r.err != nil:
			return p.conn.failure(r.err)
		case !r.ok && name == "subsystem":
			return ErrNoSubsystem
		case !r.ok:
			return errors.New("the server does not run programs for this user")
		}
		return nil
	case <-ctx.Done():
		return &waitError{"while waiting for the server's reply", context.Cause(ctx)}
	}
}
