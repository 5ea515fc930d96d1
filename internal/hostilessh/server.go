//go:build unix

package hostilessh

import (
	"crypto/ed25519"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

// User and Password are accepted by the server.
const (
	User     = "joe"
	Password = "correct horse"
)

// Server is an SSH server whose connections have faults.
type Server struct {
	command func(line string) *exec.Cmd

	listener net.Listener
	config   *ssh.ServerConfig
	next     func() Fault
	broken   atomic.Bool // set by Break: the correct part of all output has ended

	mu     sync.Mutex
	ended  bool
	conns  map[net.Conn]bool
	active sync.WaitGroup // goroutines of connections
}

// Start starts a server that ends with the test. It calls next for the fault of each
// connection, and command for the command that runs a command line, or the SFTP server if the
// line is empty.
func Start(tb testing.TB, command func(line string) *exec.Cmd, next func() Fault) *Server {
	tb.Helper()
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{command: command, listener: listener, next: next, conns: map[net.Conn]bool{}}
	s.config = &ssh.ServerConfig{MaxAuthTries: -1}
	s.config.AddHostKey(signer)
	s.active.Go(s.accept)
	tb.Cleanup(s.Close)
	return s
}

// Nobody is the ID of the user and group of programs if the test runs as root.
const Nobody = 65534

// Command returns a command that runs a command line in a shell, or OpenSSH's SFTP server if the
// line is empty.
func Command(line string) *exec.Cmd {
	if line == "" {
		line = "exec sftp-server"
	}
	cmd := exec.Command("/bin/sh", "-c", line) //nolint:noctx // the connection ends it
	// The SFTP server is in one of the last four directories.
	cmd.Env = []string{"HOME=/", "PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/lib/openssh:/usr/libexec/openssh:/usr/lib/ssh:/usr/libexec"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody}
	}
	return cmd
}

// Port returns the port on 127.0.0.1.
func (s *Server) Port() int {
	return s.listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // the listener is a TCP listener
}

// Break ends the correct part of the output of all connections whose fault is in the output.
func (s *Server) Break() { s.broken.Store(true) }

// Close ends all connections and programs, and waits for them.
func (s *Server) Close() {
	_ = s.listener.Close() // fails only if Close was called before
	s.mu.Lock()
	s.ended = true
	for c := range s.conns {
		_ = c.Close() // it may have ended
	}
	s.mu.Unlock()
	s.active.Wait()
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return // Close was called
		}
		fault := s.next()
		s.mu.Lock()
		if s.ended {
			_ = c.Close() // Close closed the others
		} else {
			s.conns[c] = true
			s.active.Go(func() {
				(&connection{server: s, raw: c, fault: fault}).serve()
				_ = c.Close() // the client may have closed it
				s.mu.Lock()
				delete(s.conns, c)
				s.mu.Unlock()
			})
		}
		s.mu.Unlock()
	}
}

// connection is a connection of a client, and the state of its fault.
type connection struct {
	server *Server
	raw    net.Conn
	fault  Fault

	channels, starts, written, streams atomic.Int64
	active                             sync.WaitGroup
}

// serve runs the connection with its fault, and returns when the client or Close has ended it,
// or the fault requires its end. The caller closes it.
func (c *connection) serve() {
	switch c.fault.Stage {
	case Banner:
		c.misbehave()
		return
	case KeyExchange:
		if _, err := io.WriteString(c.raw, "SSH-2.0-hostile\r\n"); err == nil {
			c.misbehave()
		}
		return
	}
	config := *c.server.config
	config.PasswordCallback = func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
		if c.fault.Stage == Login {
			return nil, c.login()
		}
		if string(password) != Password {
			return nil, errors.New("wrong password")
		}
		return nil, nil
	}
	if c.fault.Stage == Login && c.fault.Kind == Endless {
		config.PasswordCallback = nil
		config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			for {
				if _, err := ask("", "", []string{"Once more: "}, []bool{false}); err != nil {
					return nil, err
				}
			}
		}
	}
	conn, channels, requests, err := ssh.NewServerConn(c.raw, &config)
	if err != nil {
		return // the client reports the error
	}
	defer c.active.Wait()
	defer func() { _ = conn.Close() }() // ends the programs; the client may have closed the connection
	c.active.Go(func() { ssh.DiscardRequests(requests) })
	for request := range channels {
		c.active.Go(func() { c.channel(conn, request) })
	}
}

// misbehave sends nothing, or bytes that are not SSH packets, and then waits until the client
// closes the connection, unless the fault is Cut or Refuse.
func (c *connection) misbehave() {
	switch c.fault.Kind {
	case Cut, Refuse:
		return
	case Silent, Flip, Names:
	case Garbage:
		r := c.random()
		_, _ = c.raw.Write(noise(r, 1+r.IntN(32<<10))) // the client may have closed the connection
	case Huge, Endless:
		b := noise(c.random(), 32<<10)
		if c.fault.Kind == Huge {
			copy(b, largest)
		}
		for {
			if _, err := c.raw.Write(b); err != nil {
				return
			}
		}
	}
	_, _ = io.Copy(io.Discard, c.raw) // until the client closes the connection
}

// login misbehaves while the client authenticates. It returns the error that rejects the password.
func (c *connection) login() error {
	if c.fault.Kind == Refuse {
		return errors.New("refused")
	}
	c.misbehave()
	return errors.New("the login has a fault")
}

// largest is a length field with the largest number.
const largest = "\xff\xff\xff\xff"

// random returns a source of random bytes, which one goroutine may use.
func (c *connection) random() *rand.Rand {
	return rand.New(rand.NewPCG(c.fault.Seed, uint64(c.streams.Add(1)))) //nolint:gosec // not for secrets
}

// noise returns n random bytes.
func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256)) //nolint:gosec // at most 255
	}
	return b
}
