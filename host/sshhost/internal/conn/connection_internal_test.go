package conn

import (
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestWireRecordsError checks that the wire records its error before the SSH layer sees it;
// otherwise a broken connection would look like the end of a stream.
func TestWireRecordsError(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(w *wire) error{
		"read":  func(w *wire) error { _, err := w.Read(make([]byte, 1)); return err },
		"write": func(w *wire) error { _, err := w.Write(make([]byte, 1)); return err },
	} {
		here, there := net.Pipe()
		c := &connection{wire: newWire(here)}
		if c.err() != nil || !c.alive() {
			t.Errorf("%s: the connection is lost before its first use", name)
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

// disconnected is a connection that the server has closed.
type disconnected struct{ ssh.Conn }

func (disconnected) SendRequest(string, bool, []byte) (bool, []byte, error) {
	return false, nil, io.EOF
}

func TestDisconnectMessage(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer there.Close()
	c := &connection{ssh: &ssh.Client{Conn: disconnected{}}, wire: newWire(here)}
	if err := c.err(); err != nil {
		t.Errorf("before the request: %v", err)
	}
	if err := c.ping(); !errors.Is(err, ErrLost) || c.alive() {
		t.Errorf("%v", err)
	}
}
