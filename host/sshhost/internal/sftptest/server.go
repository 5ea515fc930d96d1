package sftptest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// places lists the paths of the program on different systems.
var places = []string{
	"/usr/lib/openssh/sftp-server",     // Debian
	"/usr/libexec/openssh/sftp-server", // Fedora
	"/usr/lib/ssh/sftp-server",         // Arch, Alpine, SUSE
	"/usr/libexec/sftp-server",         // the BSDs and macOS
}

// Path returns the path of the program. It skips the test if there is none.
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

// Close ends the server by closing the connection.
func (s *Server) Close() error {
	s.once.Do(func() {
		err := s.WriteCloser.Close()
		stuck := time.AfterFunc(2*time.Second, func() { _ = s.Kill() }) // it may block writing output that is not read
		s.err = errors.Join(err, s.cmd.Wait())
		stuck.Stop()
	})
	return s.err
}

// Kill kills the server.
func (s *Server) Kill() error { return s.cmd.Process.Kill() }

// PID returns the process ID of the server.
func (s *Server) PID() int { return s.cmd.Process.Pid }
