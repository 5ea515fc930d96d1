//go:build unix

package conn

import (
	"os"
	"os/exec"
	"syscall"
)

// newSession lets the process run in a session of its own: a signal reaches what the shell has started,
// Ctrl-C does not, and the process has no terminal to ask questions on.
func newSession(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// hangUp asks all processes of the session to end.
func hangUp(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGHUP) }

// kill kills all processes of the session.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
