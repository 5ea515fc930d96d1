package sshdtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Server is an sshd. Its methods are for one goroutine at a time, except those
// that ask.
type Server struct {
	config    Config
	dir       string
	sandboxed bool
	port      int
	log       *log

	cmd    *exec.Cmd     // nil when it does not run
	exited chan struct{} // closed when cmd has ended
}

// patience is how long sshd may take for what it does at once.
const patience = 30 * time.Second

// Start runs a server for a test, which is skipped where that is not possible.
func Start(tb testing.TB, config Config) *Server {
	tb.Helper()
	Require(tb)
	if slices.ContainsFunc(config.Users, User.special) {
		RequireUsers(tb)
	}
	s, err := Launch(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("remove sshd: %v", err)
		}
		if tb.Failed() {
			tb.Logf("the log of sshd:\n%s", s.Log())
		}
	})
	return s
}

// Launch runs a server until Close.
func Launch(config Config) (*Server, error) {
	why := sandbox()
	if why != nil && (os.Geteuid() == 0 || slices.ContainsFunc(config.Users, User.special)) {
		return nil, fmt.Errorf("sshd can be run by a plain user, for this user alone, or in namespaces: %w", why)
	}
	return launch(config, why == nil)
}

func launch(config Config, sandboxed bool) (*Server, error) {
	if len(config.Users) == 0 {
		return nil, errors.New("sshd needs a user who may log in")
	}
	if config.Address == "" {
		config.Address = "127.0.0.1"
	}
	if config.LogLevel == "" {
		config.LogLevel = "VERBOSE"
	}
	if len(config.HostKeys) == 0 {
		key, err := Generate(ED25519)
		if err != nil {
			return nil, err
		}
		config.HostKeys = []HostKey{{Key: key}}
	}
	s := &Server{config: config, sandboxed: sandboxed, log: newLog()}
	var err error
	if s.dir, err = os.MkdirTemp("", "sshd-"); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare writes what does not change while the server lives.
func (s *Server) prepare() error {
	// Other users log in below this folder.
	if err := os.Chmod(s.dir, 0o755); err != nil { // that is what it is for
		return err
	}
	if err := s.writeUsers(); err != nil {
		return err
	}
	if authority := s.config.UserAuthority; authority != nil {
		return os.WriteFile(filepath.Join(s.dir, "authority.pub"), ssh.MarshalAuthorizedKey(authority), 0o600)
	}
	return nil
}

func (s *Server) hostKeyFile(i int) string {
	return filepath.Join(s.dir, fmt.Sprintf("hostkey%d", i))
}

// configure writes what a restart can change.
func (s *Server) configure() error {
	for i, key := range s.config.HostKeys {
		private, err := key.PEM("")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.hostKeyFile(i), private, 0o600); err != nil {
			return err
		}
		if key.Certificate == nil {
			continue
		}
		if err := os.WriteFile(s.hostKeyFile(i)+"-cert.pub", ssh.MarshalAuthorizedKey(key.Certificate), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(s.configFile(), []byte(s.render()), 0o600)
}

func (s *Server) configFile() string { return filepath.Join(s.dir, "sshd_config") }

// begin starts sshd, on a port that is free when it has none yet.
func (s *Server) begin() error {
	if s.port != 0 {
		return s.run()
	}
	var err error
	for range 20 {
		// Below the ports that systems give to clients, so that nobody takes it while
		// the server is down.
		s.port = 18000 + rand.IntN(12000) // no secret
		if err = s.run(); err == nil {
			return nil
		}
		if !strings.Contains(s.Log(), "Address already in use") {
			return err
		}
	}
	return err
}

// run starts sshd and waits until it listens.
func (s *Server) run() error {
	sshd, err := find()
	if err != nil {
		return err
	}
	if err := s.configure(); err != nil {
		return err
	}
	cmd := s.command(sshd, "-D", "-e", "-f", s.configFile())
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.WaitDelay = time.Second // sessions that outlive it hold its log
	listening := s.log.after("Server listening on ")
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start sshd: %w", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed; what went wrong before is in its log
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
	select {
	case <-listening:
		return nil
	case <-exited:
		s.cmd = nil
		return fmt.Errorf("sshd ended at once: %s", s.Log())
	case <-time.After(patience):
		s.Kill()
		return fmt.Errorf("sshd does not listen after %s: %s", patience, s.Log())
	}
}

// Kill ends sshd and all sessions and what runs in them, without a word to
// anybody. Connections to it are refused then.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	s.killAll()
	<-s.exited
	s.cmd = nil
}

// Restart starts a server that was killed, or is now, on the same port. Change
// may be nil; what it changes of users has no effect.
func (s *Server) Restart(change func(*Config)) error {
	s.Kill()
	if change != nil {
		change(&s.config)
	}
	return s.run()
}

// Close ends the server and removes what is left of it.
func (s *Server) Close() error {
	s.Kill()
	return os.RemoveAll(s.dir)
}

// Host is the address, without port.
func (s *Server) Host() string { return s.config.Address }

// Port is where it listens.
func (s *Server) Port() int { return s.port }

// Addr is host:port.
func (s *Server) Addr() string { return net.JoinHostPort(s.config.Address, fmt.Sprint(s.port)) }

// Dir is a folder that all users can reach and only the own user can write to,
// and that goes with the server.
func (s *Server) Dir() string { return s.dir }

// Home is where a user's sessions begin.
func (s *Server) Home(name string) string {
	if !s.sandboxed {
		home, _ := os.UserHomeDir() // empty: sshd would not let such a user in
		return home
	}
	return filepath.Join(s.dir, "home", name)
}

// HostKey is the first of its keys.
func (s *Server) HostKey() ssh.PublicKey { return s.config.HostKeys[0].PublicKey() }

// KnownHosts is what known_hosts files say of a server with these keys.
func (s *Server) KnownHosts() string {
	var b strings.Builder
	for _, key := range s.config.HostKeys {
		b.WriteString(knownhosts.Line([]string{s.Addr()}, key.PublicKey()) + "\n")
	}
	return b.String()
}

// Log is what sshd said so far.
func (s *Server) Log() string { return s.log.String() }

// Count is how many lines of the log contain text.
func (s *Server) Count(text string) int { return s.log.count(text) }

// Connections is how many connections were accepted.
func (s *Server) Connections() int { return s.Count("Connection from ") }

// Sessions is how many programs and subsystems were started in sessions.
func (s *Server) Sessions() int { return s.Count("Starting session: ") }

// Await waits until n lines of the log contain text: sshd writes it as it comes
// to it, perhaps after its answer.
func (s *Server) Await(tb testing.TB, n int, text string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	for s.Count(text) < n {
		select {
		case <-ctx.Done():
			tb.Fatalf("sshd's log has %q %d times, not %d", text, s.Count(text), n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
