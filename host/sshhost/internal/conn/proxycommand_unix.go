//go:build unix

package conn

import (
	"os"
	"os/exec"
	"syscall"
)

// newSession makes the process run in a session of its own: signals reach all processes that the
// shell has started, Ctrl-C does not, and there is no terminal for questions.
func newSession(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// hangUp sends a hangup signal to all processes of the session.
func hangUp(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGHUP) }

// kill kills all processes of the session.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
