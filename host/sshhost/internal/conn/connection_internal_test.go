package conn

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestWireRecordsError checks that the wire records its error before the SSH layer gets it;
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
			t.Errorf("%s: the connection is lost before its first use: %v", name, c.err())
		}
		there.Close()
		if err := use(c.wire); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := c.err(); !errors.Is(err, ErrLost) || errors.Is(err, io.EOF) || c.alive() {
			t.Errorf("%s: the connection ended with %v, want an error that matches %v, but not %v", name, err, ErrLost, io.EOF)
		}
		here.Close()
	}
}

// answered is a connection that the server has closed after a message.
type answered struct {
	net.Conn
	message io.Reader
}

func (answered) Write([]byte) (int, error)       { return 0, syscall.EPIPE }
func (a answered) Read(b []byte) (int, error)    { return a.message.Read(b) }
func (answered) Close() error                    { return nil }
func (answered) SetReadDeadline(time.Time) error { return nil }

// TestClosedBeforeVersion checks that a message from the server explains a failed connection even if the server
// closed the connection before it got the client's version.
func TestClosedBeforeVersion(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]error{
		"HTTP/1.1 400\n":         errNotSSH,
		"Exceeded MaxStartups\n": io.EOF,
		"":                       syscall.EPIPE,
	} {
		c := &greetedConn{Conn: answered{message: strings.NewReader(message)}, p: &progress{}}
		c.p.at.Store(greeting)
		_, _, _, err := ssh.NewClientConn(c, "", &ssh.ClientConfig{ClientVersion: clientVersion, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
		if err := c.missingVersion(err); !errors.Is(err, want) || !strings.Contains(err.Error(), strings.TrimSpace(message)) {
			t.Errorf("the error after %q is %v, want one that matches %v and contains the message", message, err, want)
		}
	}
}

// TestTimeoutOfTCP checks that the error of a connection attempt that the kernel ends before ConnectTimeout
// does not name that limit.
func TestTimeoutOfTCP(t *testing.T) {
	t.Parallel()
	c, p := &Conn{options: Options{ConnectTimeout: 5 * time.Minute}}, &progress{}
	p.at.Store(connecting)
	for cause, want := range map[error]string{
		os.NewSyscallError("connect", syscall.ETIMEDOUT): "no answer while connecting.",
		os.ErrDeadlineExceeded:                           "no answer within 5m0s while connecting.",
	} {
		err := c.explain(t.Context(), p, &net.OpError{Op: "dial", Net: "tcp", Err: cause})
		if !strings.HasPrefix(err.Error(), want) || !isTransient(err, connecting) {
			t.Errorf("the error for %v is %v, want a transient one that begins with %q", cause, err, want)
		}
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
		t.Errorf("before the request: error %v, want none", err)
	}
	if err := c.ping(); !errors.Is(err, ErrLost) || c.alive() {
		t.Errorf("ping returned %v, want an error that matches %v", err, ErrLost)
	}
}

// TestAbandonedAttempt checks that a connection is not kept if the last caller of its attempt left when the
// attempt had just succeeded.
func TestAbandonedAttempt(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{me}})
	c, err := New(Options{
		Name: "web", Address: server.Host(), Port: server.Port(), User: me.Name, MaxSessions: 1, ConnectTimeout: time.Minute,
		Auth:  Auth{Keys: []Key{{Path: key.File(t, "")}}},
		Trust: Trust{Policy: Strict, Known: []string{server.KnownHosts()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{cancel: func() {}, done: make(chan struct{}), left: true}
	c.runAttempt(t.Context(), a)
	if n := server.Connections(); n != 1 || c.current != nil || a.conn != nil {
		t.Errorf("%d connections, want 1; a connection is kept: %t, want false; the attempt ended with %v", n, c.current != nil || a.conn != nil, a.err)
	}
	if err := c.Connect(t.Context()); err != nil {
		t.Errorf("the next caller got error %v, want none", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
