//go:build !unix

package conn

import (
	"errors"
	"os"
	"os/exec"
)

// newSession returns an error: other operating systems have no shell with the same rules.
func newSession(*exec.Cmd) error {
	return errors.New("ProxyCommand is not supported on this operating system. Use ProxyJump, or proxy_jump in the provider's configuration")
}

func hangUp(p *os.Process) { kill(p) }

func kill(p *os.Process) { _ = p.Kill() }
