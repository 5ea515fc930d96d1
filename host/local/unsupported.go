//go:build !unix || aix || solaris

package local

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/posixform/terraform-provider-posix/host"
)

// New returns an error that matches [errors.ErrUnsupported]: this system has no POSIX modes
// and owners, or lacks the system calls to write files safely.
func New() (host.Host, error) {
	return nil, fmt.Errorf(
		"cannot manage the host %q on %s: %w. Use a host over SSH instead",
		host.LocalName, goruntime.GOOS, errors.ErrUnsupported)
}
