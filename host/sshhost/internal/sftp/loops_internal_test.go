package sftp

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// faulty is a call that panics when it receives its reply.
type faulty struct {
	id    uint32
	ended chan error
}

func (*faulty) receive(byte, []byte) error { panic("a mistake") }
func (f *faulty) fail(err error)           { f.ended <- err }
func (*faulty) orphan(*Client) call        { return nil }
func (f *faulty) number() *uint32          { return &f.id }

// faultyConn is a connection that panics while it is read.
type faultyConn struct{ net.Conn }

func (faultyConn) Read([]byte) (int, error) { panic("a mistake") }

// TestFaultInHandshake checks that a panic while the version packet is read fails the session,
// not the process.
func TestFaultInHandshake(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	_, err := New(t.Context(), faultyConn{ours})
	if _, ok := errors.AsType[*ProtocolError](err); !ok {
		t.Errorf("got error %v, want a protocol error", err)
	}
}

// TestFaultEndsSession checks that a panic while a reply is decoded ends the session, not
// the process.
func TestFaultEndsSession(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	f := &faulty{id: 1, ended: make(chan error, 1)}
	c := &Client{conn: ours, done: make(chan struct{}), pending: map[uint32]call{1: f}, silence: time.NewTimer(time.Hour)}
	err := c.deliver([]byte{fxpStatus, 0, 0, 0, 1, 0, 0, 0, 0})
	var broken *ProtocolError
	if !errors.As(err, &broken) || !errors.Is(<-f.ended, ErrClosed) || c.Err() == nil {
		t.Errorf("error %v, error of the session %v, want a ProtocolError and an ended session", err, c.Err())
	}
}
