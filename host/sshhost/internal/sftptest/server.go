// Package sftptest starts OpenSSH's SFTP server for tests and connects to it with pipes. The
// server is the program that sshd starts, but without an SSH connection.
//
// Tests of packages sftp, sftpfs, perlfs, hostiletest and sshhost use it. Invariant: a test that needs the server is
// skipped if the program is missing, except in CI.
//
// Elsewhere: package sshdtest starts a complete sshd.
package sftptest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// places lists the paths of the program on different operating systems.
var places = []string{
	"/usr/lib/openssh/sftp-server",     // Debian
	"/usr/libexec/openssh/sftp-server", // Fedora
	"/usr/lib/ssh/sftp-server",         // Arch, Alpine, SUSE
	"/usr/libexec/sftp-server",         // the BSDs and macOS
}

// Path returns the path of the program. If there is none, the test is skipped; in CI it fails.
func Path(tb testing.TB) string {
	tb.Helper()
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	const missing = "OpenSSH's sftp-server is missing: install the package openssh-sftp-server"
	if os.Getenv("CI") != "" {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
	return ""
}

// Start starts the server with additional flags: -u for a umask, -R for read-only, -P for
// denied requests.
func Start(tb testing.TB, flags ...string) *Server {
	tb.Helper()
	return Run(tb, exec.Command(Path(tb), append([]string{"-e"}, flags...)...)) //nolint:noctx // Close ends it
}

// Run starts a command that is or starts the server.
func Run(tb testing.TB, cmd *exec.Cmd) *Server {
	tb.Helper()
	s := &Server{cmd: cmd}
	cmd.Stderr = &s.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	s.Reader, s.WriteCloser = out, in
	tb.Cleanup(func() {
		_ = s.Close() // it may have ended already
		if tb.Failed() && s.stderr.Len() > 0 {
			tb.Logf("stderr of the SFTP server:\n%s", s.stderr.String())
		}
	})
	return s
}

// Server is a running server and the connection to it.
type Server struct {
	io.Reader
	io.WriteCloser
	cmd    *exec.Cmd
	stderr bytes.Buffer
	once   sync.Once
	err    error
}

// Close ends the server by closing the connection, and kills it if it is still running after two seconds.
func (s *Server) Close() error {
	s.once.Do(func() {
		err := s.WriteCloser.Close()
		stuck := time.AfterFunc(2*time.Second, func() { _ = s.Kill() }) // the server may block while it writes output that is not read
		s.err = errors.Join(err, s.cmd.Wait())
		stuck.Stop()
	})
	return s.err
}

// Kill kills the server without waiting for its end.
func (s *Server) Kill() error { return s.cmd.Process.Kill() }

// PID returns the process ID of the server.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Tap is a connection to a server. It reports requests, counts round trips, and can break at
// any request.
type Tap struct {
	*Server

	// Request, if set, is called for each request and returns its outcome. It must not be
	// set while requests are sent.
	Request func(kind byte, body []byte) Outcome
	// Quiet, if set, is the time without requests after which replies are delivered: each
	// delivery is then a round trip.
	Quiet time.Duration

	mu      sync.Mutex
	partial []byte
	deaf    bool
	asked   bool // whether a request has been sent since the last round trip
	last    time.Time
	trips   int
}

// Outcome is what happens to a request.
type Outcome int

// The outcomes of a request.
const (
	Pass      Outcome = iota
	Cut               // the connection breaks before the request is sent
	LoseReply         // the request is executed, and the connection breaks before its reply
)

var errCut = errors.New("the test breaks the connection")

// Write implements [io.Writer].
func (t *Tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.asked, t.last = true, time.Now()
	t.partial = append(t.partial, p...)
	var frames [][]byte
	for len(t.partial) >= 4 {
		n := 4 + int(binary.BigEndian.Uint32(t.partial))
		if len(t.partial) < n {
			break
		}
		frames = append(frames, t.partial[:n:n])
		t.partial = t.partial[n:]
	}
	t.mu.Unlock()
	for _, frame := range frames {
		outcome := Pass
		if t.Request != nil && len(frame) > 9 {
			outcome = t.Request(frame[4], frame[9:])
		}
		if outcome == Cut {
			return 0, errors.Join(errCut, t.Kill())
		}
		t.mu.Lock()
		t.deaf = t.deaf || outcome == LoseReply
		t.mu.Unlock()
		if _, err := t.Server.Write(frame); err != nil {
			return 0, err
		}
		if outcome == LoseReply {
			break
		}
	}
	return len(p), nil
}

// Read implements [io.Reader].
func (t *Tap) Read(p []byte) (int, error) {
	n, err := t.Server.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.deaf && n > 0 {
		return 0, errors.Join(io.ErrUnexpectedEOF, t.Kill())
	}
	for t.asked && time.Since(t.last) <= t.Quiet {
		t.mu.Unlock()
		time.Sleep(time.Millisecond)
		t.mu.Lock()
	}
	if t.asked {
		t.asked = false
		t.trips++
	}
	return n, err
}

// Trips returns the number of round trips since the last call of Trips. On a busy host, requests
// that belong together may be sent late: the number may then be too high, but never too
// low.
func (t *Tap) Trips() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.trips
	t.trips = 0
	return n
}

// Least calls do a few times and returns the lowest number of round trips of a call. It stops
// once a call takes at most want. Background work is not counted. Each further attempt doubles
// Quiet, for busy hosts.
func (t *Tap) Least(want int, do func() error) (int, error) {
	least, quiet := 1<<30, t.Quiet
	defer t.wait(quiet)
	for attempt := 0; attempt < 7 && least > want; attempt++ {
		t.wait(quiet << attempt)
		time.Sleep(2*t.Quiet + 10*time.Millisecond)
		t.Trips()
		if err := do(); err != nil {
			return 0, err
		}
		least = min(least, t.Trips())
	}
	return least, nil
}

// wait sets the time without requests after which replies are delivered.
func (t *Tap) wait(quiet time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Quiet = quiet
}
