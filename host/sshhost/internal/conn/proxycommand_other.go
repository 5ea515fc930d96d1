//go:build !unix

package conn

import (
	"errors"
	"os"
	"os/exec"
)

// newSession returns an error: an operating system other than Unix need not have a POSIX shell.
func newSession(*exec.Cmd) error {
	return errors.New("ProxyCommand is not supported on this operating system. Use ProxyJump, or proxy_jump in the provider's configuration")
}

func hangUp(p *os.Process) { kill(p) }

func kill(p *os.Process) { _ = p.Kill() }
