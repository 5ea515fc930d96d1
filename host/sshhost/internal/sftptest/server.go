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

// places are where systems have the program.
var places = []string{
	"/usr/lib/openssh/sftp-server",     // Debian
	"/usr/libexec/openssh/sftp-server", // Fedora
	"/usr/lib/ssh/sftp-server",         // Arch, Alpine, SUSE
	"/usr/libexec/sftp-server",         // the BSDs and macOS
}

// Path is where the program is. The test is skipped where it is not.
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

// Start starts the server, with flags of its own: -u for a umask, -R for read
// only, -P for requests that it denies.
func Start(tb testing.TB, flags ...string) *Server {
	tb.Helper()
	return Run(tb, exec.Command(Path(tb), append([]string{"-e"}, flags...)...)) //nolint:noctx // Close ends it
}

// Run starts a command that is or leads to the server.
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
		_ = s.Close() // it may have been, and killed as well
		if tb.Failed() && s.stderr.Len() > 0 {
			tb.Logf("the SFTP server says:\n%s", s.stderr.String())
		}
	})
	return s
}

// Server is a running server, and the connection with it.
type Server struct {
	io.Reader
	io.WriteCloser
	cmd    *exec.Cmd
	stderr bytes.Buffer
	once   sync.Once
	err    error
}

// Close ends the server as the end of a connection does.
func (s *Server) Close() error {
	s.once.Do(func() {
		err := s.WriteCloser.Close()
		stuck := time.AfterFunc(2*time.Second, func() { _ = s.Kill() }) // it writes what nobody reads
		s.err = errors.Join(err, s.cmd.Wait())
		stuck.Stop()
	})
	return s.err
}

// Kill ends the server at once.
func (s *Server) Kill() error { return s.cmd.Process.Kill() }

// PID is the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }
