package sshdtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Server is a running sshd. Methods that change it must not be called
// concurrently.
type Server struct {
	config    Config
	dir       string
	sandboxed bool
	port      int
	log       *log

	cmd    *exec.Cmd     // nil if sshd does not run
	exited chan struct{} // closed when cmd has ended
}

// maxWait is the maximum time until sshd or ssh-agent listens, or sshd writes an expected line to
// its log.
const maxWait = 30 * time.Second

// Start runs a server until the end of a test. If the host cannot run the server, Start skips or
// fails the test as [Require] and [RequireUsers] do.
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

// Launch runs a server until [Server.Close]. It returns an error if sshd cannot be started, or
// if sshd needs a sandbox that the host does not support.
func Launch(config Config) (*Server, error) {
	why := sandbox()
	if why != nil && (os.Geteuid() == 0 || slices.ContainsFunc(config.Users, User.special)) {
		return nil, fmt.Errorf("cannot run sshd without a sandbox as root or with other users: %w", why)
	}
	return launch(config, why == nil)
}

func launch(config Config, sandboxed bool) (*Server, error) {
	if len(config.Users) == 0 {
		return nil, errors.New("sshd needs at least one user")
	}
	config.Address, config.LogLevel = cmp.Or(config.Address, "127.0.0.1"), cmp.Or(config.LogLevel, "VERBOSE")
	if len(config.HostKeys) == 0 {
		key, err := Generate(ED25519)
		if err != nil {
			return nil, err
		}
		config.HostKeys = []HostKey{{Key: key}}
	}
	s := &Server{config: config, sandboxed: sandboxed, log: &log{}}
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

// prepare writes the files that a restart does not change.
func (s *Server) prepare() error {
	// Other users need access, because their home directories are below s.dir.
	if err := os.Chmod(s.dir, 0o755); err != nil {
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

// configure writes the files that a restart can change.
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

// begin starts sshd, the first time on a free port.
func (s *Server) begin() error {
	if s.port != 0 {
		return s.run()
	}
	var err error
	for range 20 {
		// Below the ephemeral ports, so that the port stays free while the
		// server is down.
		s.port = 18000 + rand.IntN(12000) // not secret
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
	sshd, err := lookPath("sshd") // sshd must be started by its full path
	if err != nil {
		return err
	}
	if err := s.configure(); err != nil {
		return err
	}
	cmd := s.command(sshd, "-D", "-e", "-f", s.configFile())
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.WaitDelay = time.Second // sessions that outlive sshd keep the log open
	listening := s.log.after("Server listening on ")
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start sshd: %w", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed; errors are in the log
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
	select {
	case <-listening:
		return nil
	case <-exited:
		s.cmd = nil
		return fmt.Errorf("sshd ended: %s", s.Log())
	case <-time.After(maxWait):
		s.Kill()
		return fmt.Errorf("sshd does not listen after %s: %s", maxWait, s.Log())
	}
}

// Kill kills sshd, its sessions and their processes, except for daemonised processes
// outside of a sandbox. Connections are then refused.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	s.killAll()
	<-s.exited
	s.cmd = nil
}

// Restart kills the server if it runs, applies change, and starts it on the same port.
// change may be nil. Changes of Users and of the key in UserAuthority have no effect. Restart returns an error
// if sshd does not start.
func (s *Server) Restart(change func(*Config)) error {
	s.Kill()
	if change != nil {
		change(&s.config)
	}
	return s.run()
}

// Close ends the server and removes its files.
func (s *Server) Close() error {
	s.Kill()
	return os.RemoveAll(s.dir)
}

// Host returns the address of the server without the port.
func (s *Server) Host() string { return s.config.Address }

// Port returns the port of the server.
func (s *Server) Port() int { return s.port }

// Addr returns the address of the server as host:port.
func (s *Server) Addr() string { return net.JoinHostPort(s.config.Address, fmt.Sprint(s.port)) }

// Dir returns a directory that all users can read and only the user of this
// process can write to. Close removes it.
func (s *Server) Dir() string { return s.dir }

// Home returns the home directory of a user. Without a sandbox, it is the home directory of the
// user of this process.
func (s *Server) Home(name string) string {
	if !s.sandboxed {
		home, _ := os.UserHomeDir() // empty if HOME is not set
		return home
	}
	return filepath.Join(s.dir, "home", name)
}

// HostKey returns the first host key.
func (s *Server) HostKey() ssh.PublicKey { return s.config.HostKeys[0].PublicKey() }

// KnownHosts returns the lines of a known_hosts file with the address and the host keys.
func (s *Server) KnownHosts() string {
	var b strings.Builder
	for _, key := range s.config.HostKeys {
		b.WriteString(knownhosts.Line([]string{s.Addr()}, key.PublicKey()) + "\n")
	}
	return b.String()
}

// Log returns the log of sshd so far.
func (s *Server) Log() string { return s.log.String() }

// Count returns the number of lines of the log that contain text.
func (s *Server) Count(text string) int { return s.log.count(text) }

// Connections returns the number of accepted connections.
func (s *Server) Connections() int { return s.Count("Connection from ") }

// Sessions returns the number of programs and subsystems that were started in
// sessions.
func (s *Server) Sessions() int { return s.Count("Starting session: ") }

// Await waits until n lines of the log contain text, because sshd may write them after
// its response. It fails the test after 30 seconds.
func (s *Server) Await(tb testing.TB, n int, text string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), maxWait)
	defer cancel()
	for s.Count(text) < n {
		select {
		case <-ctx.Done():
			tb.Fatalf("the log of sshd has %q %d times, want %d", text, s.Count(text), n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// killAll kills sshd and its descendants. In a sandbox, sshd is the first process of its
// PID namespace, so all other processes in it end with sshd. Otherwise killAll finds the
// descendants by their parents; daemonised processes remain.
func (s *Server) killAll() {
	doomed := []int{s.cmd.Process.Pid}
	if !s.sandboxed {
		doomed = append(doomed, descendants(s.cmd.Process.Pid)...)
	}
	for _, pid := range doomed {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // the process may have ended
		}
	}
}

// descendants returns the PIDs of the descendants of a process, parents first.
func descendants(root int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output() //nolint:noctx // few processes
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		pid, errPID := strconv.Atoi(fields[0])
		parent, errParent := strconv.Atoi(fields[1])
		if errPID == nil && errParent == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		found = append(found, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

// log keeps the output of sshd, and notifies each waiter when the output contains its word.
type log struct {
	mu      sync.Mutex
	text    strings.Builder
	waiting []waiter
}

// waiter has a channel that is closed when the output after the offset from contains word.
type waiter struct {
	word string
	from int
	seen chan struct{}
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	kept := l.waiting[:0]
	for _, w := range l.waiting {
		if strings.Contains(l.text.String()[w.from:], w.word) {
			close(w.seen)
		} else {
			kept = append(kept, w)
		}
	}
	l.waiting = kept
	return len(p), nil
}

// after returns a channel that is closed when the output from now on contains word.
func (l *log) after(word string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := waiter{word: word, from: l.text.Len(), seen: make(chan struct{})}
	l.waiting = append(l.waiting, w)
	return w.seen
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *log) count(text string) int {
	n := 0
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
