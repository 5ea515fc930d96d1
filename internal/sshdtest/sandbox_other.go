//go:build !linux

package sshdtest

import (
	"errors"
	"os/exec"
)

func sandbox() error { return errors.New("namespaces require Linux") }

func (*Server) command(args ...string) *exec.Cmd {
	return exec.Command(args[0], args[1:]...) //nolint:noctx // Kill ends it
}
