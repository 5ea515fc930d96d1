package conn

import (
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/crypto/ssh"
)

// The wire must record its error before the SSH layer sees it; otherwise a broken
// connection would look like the end of a stream.
func TestWireKnowsFirst(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(w *wire) error{
		"read":  func(w *wire) error { _, err := w.Read(make([]byte, 1)); return err },
		"write": func(w *wire) error { _, err := w.Write(make([]byte, 1)); return err },
	} {
		here, there := net.Pipe()
		c := &connection{wire: newWire(here)}
		if c.err() != nil || !c.alive() {
			t.Errorf("%s: lost before it began", name)
		}
		there.Close()
		if err := use(c.wire); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := c.err(); !errors.Is(err, ErrLost) || errors.Is(err, io.EOF) || c.alive() {
			t.Errorf("%s: %v", name, err)
		}
		here.Close()
	}
}

// gone is a connection that the server has disconnected.
type gone struct{ ssh.Conn }

func (gone) SendRequest(string, bool, []byte) (bool, []byte, error) { return false, nil, io.EOF }

func TestGoodbyeOnAWireThatIsWhole(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer there.Close()
	c := &connection{ssh: &ssh.Client{Conn: gone{}}, wire: newWire(here)}
	if err := c.err(); err != nil {
		t.Errorf("nobody asked: %v", err)
	}
	if err := c.ask(); !errors.Is(err, ErrLost) || c.alive() {
		t.Errorf("%v", err)
	}
}
