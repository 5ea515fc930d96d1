package conn

import (
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/crypto/ssh"
)

// silentChannel is a channel without output.
type silentChannel struct{ ssh.Channel }

func (silentChannel) Stderr() io.ReadWriter { return nil }

// TestInputEndsWithSession checks that a program's input that is never closed ends with the session, even if
// nothing is written afterwards: nothing else would end the goroutine that waits for data.
func TestInputEndsWithSession(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	s := newSessions(1, nil)
	x, err := s.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requests := make(chan *ssh.Request, 1)
	requests <- &ssh.Request{Type: "exit-status", Payload: make([]byte, 4)}
	close(requests)
	p := newProcess(&connection{wire: newWire(here)}, silentChannel{}, requests, x)
	// Stdin().Write would start the goroutine, which reads from the pipe.
	if _, err := p.stdin.w.Write([]byte("x")); !errors.Is(err, errNotRead) {
		t.Errorf("Write returned error %v, want %v", err, errNotRead)
	}
}
