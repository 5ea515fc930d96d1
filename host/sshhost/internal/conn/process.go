package conn

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
)

var _ remote.Process = (*process)(nil)

// process is a program in a session.
type process struct {
	conn    *connection
	channel ssh.Channel
	stdin   *outbound
	stdout  *inbound
	stderr  *inbound

	exited chan struct{} // closed when exit and err are set
	exit   remote.Exit
	err    error

	closing sync.Once
	closed  chan struct{}
}

var (
	errSessionClosed = errors.New("the provider closed the session before the program ended; the program may still be running on the host")
	errNoExit        = remote.Lost("the SSH server ended the session without the exit status of the program, so its result is unknown: see the log of the SSH server on the host")
)

func newProcess(conn *connection, channel ssh.Channel, requests <-chan *ssh.Request, permit *permit) *process {
	p := &process{conn: conn, channel: channel, exited: make(chan struct{}), closed: make(chan struct{})}
	p.stdin = newOutbound(conn, channel)
	p.stdout = newInbound(conn, channel)
	p.stderr = newInbound(conn, channel.Stderr())
	go p.serve(requests, permit)
	return p
}

// serve handles the server's requests until the session ends, then gives the permit back:
// OpenSSH counts a closed session until its program has exited.
func (p *process) serve(requests <-chan *ssh.Request, permit *permit) {
	known := false
	for r := range requests {
		exit, isExit := parseExit(r)
		if isExit && !known {
			known = true
			p.exit = exit
			close(p.exited)
		}
		if r.WantReply {
			_ = r.Reply(isExit, nil) // the connection may have ended
		}
	}
	permit.giveBack()
	if !known {
		if p.err = p.conn.ping(); p.err == nil {
			p.err = errNoExit
		}
		close(p.exited)
	}
	p.stdin.end()
}

// parseExit parses an exit-status or exit-signal request, and reports whether r is a valid one.
func parseExit(r *ssh.Request) (remote.Exit, bool) {
	switch r.Type {
	case "exit-status":
		if len(r.Payload) < 4 {
			return remote.Exit{}, false
		}
		return remote.Exit{Code: int(binary.BigEndian.Uint32(r.Payload))}, true
	case "exit-signal":
		var body struct {
			Signal     string
			CoreDumped bool
			Message    string
			Language   string
		}
		if err := ssh.Unmarshal(r.Payload, &body); err != nil {
			return remote.Exit{}, false
		}
		return remote.Exit{Code: 128 + signalNumbers[body.Signal], Signal: body.Signal}, true
	}
	return remote.Exit{}, false
}

// signalNumbers are the signal numbers of Linux; the protocol has names only.
var signalNumbers = map[string]int{
	"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "ABRT": 6, "FPE": 8, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13,
	"ALRM": 14, "TERM": 15,
}

func (p *process) Stdin() io.WriteCloser { return p.stdin }
func (p *process) Stdout() io.Reader     { return p.stdout }
func (p *process) Stderr() io.Reader     { return p.stderr }

// Wait implements [remote.Process]. It does not wait for outputs that other processes keep
// open. Unlike the end of an output, its return without an error proves that the program
// ended.
func (p *process) Wait() (remote.Exit, error) {
	select {
	case <-p.exited:
	case <-p.closed:
		if !isClosed(p.exited) {
			return remote.Exit{}, errSessionClosed
		}
	}
	return p.exit, p.err
}

// Signal implements [remote.Process].
func (p *process) Signal(name string) error {
	err := sendWithin(func() error {
		_, err := p.channel.SendRequest("signal", false, ssh.Marshal(struct{ Name string }{name}))
		return err
	})
	if err != nil {
		return p.conn.failure(err)
	}
	return nil
}

// sendTimeout limits the time to send a signal or the end of a channel.
const sendTimeout = 2 * time.Second

var errNotReading = errors.New("the server does not read from the connection")

// sendWithin calls send, which sends a message, and returns its error, or errNotReading after sendTimeout.
// While a server does not read, send blocks until the connection ends; if the server still sends
// data, keepalives do not end the connection.
func sendWithin(send func() error) error {
	var err error
	sent := make(chan struct{})
	go func() { // it ends with the connection
		defer close(sent)
		err = send()
	}()
	if !remote.ClosesWithin(sent, sendTimeout) {
		return errNotReading
	}
	return err
}

// Ping implements [remote.Process].
func (p *process) Ping() error { return p.conn.ping() }

// Close implements [remote.Process].
func (p *process) Close() error {
	p.closing.Do(func() {
		close(p.closed)
		p.stdin.abandon(errSessionClosed)
		p.stdout.abandon(errSessionClosed)
		p.stderr.abandon(errSessionClosed)
		_ = sendWithin(p.channel.Close) // may have ended already
	})
	return nil
}

// Streams of a channel block until the server sends something, which may never happen for
// an abandoned program. So each is copied by its own goroutine, which ends with the
// channel, through a pipe that can be closed at once.

const chunk = 32 << 10 // maximum size of an SSH data message

var chunks = sync.Pool{New: func() any { return new([chunk]byte) }}

// inbound is the receiving side of a stream.
type inbound struct {
	conn  *connection
	from  io.Reader
	start sync.Once
	r     *io.PipeReader
	w     *io.PipeWriter
}

func newInbound(conn *connection, from io.Reader) *inbound {
	r, w := io.Pipe()
	return &inbound{conn: conn, from: from, r: r, w: w}
}

// Read implements [io.Reader]. If the connection broke, the error is that of the
// connection, not [io.EOF].
func (s *inbound) Read(p []byte) (int, error) {
	s.start.Do(func() { go s.move() })
	return s.r.Read(p)
}

func (s *inbound) move() {
	buffer := chunks.Get().(*[chunk]byte) //nolint:forcetypeassert // nothing else is in it
	defer chunks.Put(buffer)
	for {
		n, err := s.from.Read(buffer[:])
		if n > 0 { // a pipe delivers empty writes too
			if _, unread := s.w.Write(buffer[:n]); unread != nil {
				_, _ = io.Copy(io.Discard, s.from) // drains it, so that the channel ends
				return
			}
		}
		if err != nil {
			if lost := s.conn.err(); lost != nil {
				err = lost
			}
			s.w.CloseWithError(err)
			return
		}
	}
}

// abandon makes Read fail.
func (s *inbound) abandon(cause error) { _ = s.r.CloseWithError(cause) } // it never fails

// halfCloser is the sending side of a channel.
type halfCloser interface {
	io.Writer
	CloseWrite() error
}

// outbound is the sending side of a stream.
type outbound struct {
	conn  *connection
	to    halfCloser
	start sync.Once
	r     *io.PipeReader
	w     *io.PipeWriter
}

func newOutbound(conn *connection, to halfCloser) *outbound {
	r, w := io.Pipe()
	return &outbound{conn: conn, to: to, r: r, w: w}
}

// Write implements [io.Writer].
func (s *outbound) Write(p []byte) (int, error) {
	s.start.Do(func() { go s.move() })
	return s.w.Write(p)
}

// Close ends the stream after the written data.
func (s *outbound) Close() error {
	s.start.Do(func() { go s.move() })
	return s.w.Close()
}

var errNotRead = errors.New("the program no longer reads its input")

func (s *outbound) move() {
	buffer := chunks.Get().(*[chunk]byte) //nolint:forcetypeassert // nothing else is in it
	defer chunks.Put(buffer)
	for {
		n, err := s.r.Read(buffer[:])
		if n > 0 {
			if _, unsent := s.to.Write(buffer[:n]); unsent != nil {
				s.end()
				return
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				_ = s.to.CloseWrite() // on error, the peer no longer reads
			}
			return
		}
	}
}

// end makes Write fail, because the session has ended.
func (s *outbound) end() {
	cause := s.conn.err()
	if cause == nil {
		cause = errNotRead
	}
	s.abandon(cause)
}

// abandon makes Write fail.
func (s *outbound) abandon(cause error) { _ = s.r.CloseWithError(cause) } // it never fails
