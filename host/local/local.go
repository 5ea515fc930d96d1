//go:build unix && !aix && !solaris

package local

import (
	"context"
	"os"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.Host = (*Host)(nil)

// Host is the host that the provider runs on. [New] returns it.
type Host struct {
	users  accounts[host.User]
	groups accounts[host.Group]
}

// New returns the host that the provider runs on.
func New() (host.Host, error) {
	return &Host{
		users:  accounts[host.User]{file: "/etc/passwd"},
		groups: accounts[host.Group]{file: "/etc/group"},
	}, nil
}

// Name returns [host.LocalName].
func (h *Host) Name() string { return host.LocalName }

// begin checks the context and path of an operation.
func begin(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return host.CheckPath(path)
}

// beginMake is begin for an operation that creates an object at path.
func beginMake(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return host.CheckTarget(path)
}

// fail returns the error of an operation: nil for nil, else a [*host.Error] with the bare
// cause, unless err already is one. Wrappers of the operating system are removed, because
// they name system calls and temporary files.
func (h *Host) fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // one deeper down is a caller's
		return err
	}
	return &host.Error{Op: op, Host: host.LocalName, Path: path, Err: cause(err)}
}

// cause maps the error of a system call to the errors of the contract. It does not unwrap
// err, because the message of a wrapper must be kept.
func cause(err error) error {
	switch wrapped := err.(type) { //nolint:errorlint // see above
	case *os.PathError:
		err = wrapped.Err
	case *os.LinkError:
		err = wrapped.Err
	case *os.SyscallError:
		err = wrapped.Err
	}
	errno, _ := err.(syscall.Errno) //nolint:errorlint // see above
	switch errno {
	case syscall.ENOTDIR:
		return host.ErrParentNotDirectory
	case syscall.ENOTEMPTY:
		return host.ErrNotEmpty
	case syscall.EISDIR:
		return &host.TypeError{Got: host.TypeDirectory}
	}
	return err
}
