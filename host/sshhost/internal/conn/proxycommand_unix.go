//go:build unix

package conn

import (
	"os"
	"os/exec"
	"syscall"
)

// newSession makes the process run in a session and process group of its own: hangUp and kill also
// reach the processes that it starts in that group, Ctrl-C does not, and there is no terminal for prompts.
func newSession(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// hangUp sends a hangup signal to the process group of p.
func hangUp(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGHUP) }

// kill kills the process group of p.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
