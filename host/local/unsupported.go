//go:build !unix || aix || solaris

package local

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/posixform/terraform-provider-posix/host"
)

// New answers an error that matches [errors.ErrUnsupported]: this system's
// files have no POSIX modes and owners, or not the calls to write them safely.
func New() (host.Host, error) {
	return nil, fmt.Errorf(
		"the host %q cannot be managed on %s: name a host that is reached over the network instead: %w",
		host.LocalName, goruntime.GOOS, errors.ErrUnsupported)
}
