//go:build unix && !aix && !solaris

package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

var (
	_ host.Host     = (*Host)(nil)
	_ host.RootHost = (*Host)(nil)
)

// Host is the host that the provider runs on. [New] returns it.
type Host struct {
	users  accounts[host.User]
	groups accounts[host.Group]
	root   bool // whether the provider runs as root
}

// New returns the host that the provider runs on. The error is always nil: unsupported.go has New for
// other systems.
func New() (host.Host, error) {
	return &Host{
		users: accounts[host.User]{
			file: passwdFile, find: findUser, unknown: host.ErrUnknownUser,
			unnamed: func(uid uint32) host.User { return host.User{UID: uid} },
		},
		groups: accounts[host.Group]{
			file: "/etc/group", find: findGroup, unknown: host.ErrUnknownGroup,
			unnamed: func(gid uint32) host.Group { return host.Group{GID: gid} },
		},
		root: os.Geteuid() == 0,
	}, nil
}

// Name returns [host.LocalName].
func (h *Host) Name() string { return host.LocalName }

// RunsAsRoot implements [host.RootHost].
func (h *Host) RunsAsRoot() bool { return h.root }

// begin checks the context and path of an operation.
func begin(ctx context.Context, path string) error {
	return cmp.Or(ctx.Err(), host.CheckPath(path))
}

// beginMake is begin for an operation that creates an object at path.
func beginMake(ctx context.Context, path string) error {
	return cmp.Or(ctx.Err(), host.CheckTarget(path))
}

// fail returns the error of an operation: nil for nil, otherwise a [*host.Error] with the bare
// cause, unless err already is one. Wrappers of package os are removed, because they name
// system calls and temporary files.
func (h *Host) fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // a wrapped one can be an error of the caller
		return err
	}
	return &host.Error{Op: op, Host: host.LocalName, Path: path, Err: cause(err)}
}

// cause maps the error of a system call to the errors of the contract. It removes only a wrapper
// of package os, because the message of any other wrapper must be kept.
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

var _ host.Dialer = (*Host)(nil)

// DialHost implements [host.Dialer].
func (h *Host) DialHost(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if wrapped, ok := err.(*net.OpError); ok { //nolint:errorlint // only the wrapper is removed
		err = wrapped.Err // omits the network and the address, because DialError adds the address
	}
	if err != nil {
		return nil, host.DialError(h, network, address, cause(err))
	}
	return conn, nil
}

func fileType(mode fs.FileMode) host.FileType {
	switch mode.Type() {
	case 0:
		return host.TypeRegular
	case fs.ModeDir:
		return host.TypeDirectory
	case fs.ModeSymlink:
		return host.TypeSymlink
	case fs.ModeNamedPipe:
		return host.TypeFIFO
	case fs.ModeSocket:
		return host.TypeSocket
	case fs.ModeDevice:
		return host.TypeBlockDevice
	case fs.ModeDevice | fs.ModeCharDevice:
		return host.TypeCharDevice
	}
	return host.TypeUnknown
}

// checkType returns an error unless the object at path has the type.
func checkType(path string, want host.FileType) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return fileType(stat.Mode()).Want(want)
}

// notFollowed returns the reason why opening an object failed with err. If err can mean that the object does not
// have the wanted type, the reason is the error of checkType, if any. Otherwise, it is err. Systems report different
// errors for O_NOFOLLOW and O_DIRECTORY, and none distinguishes the last element of the path from those before it.
func notFollowed(path string, want host.FileType, err error) error {
	switch {
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EMLINK), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		if again := checkType(path, want); again != nil {
			return again
		}
	}
	return err
}

// closing closes a file to which nothing was written, and returns err, or else the error of Close.
func closing(file *os.File, err error) error {
	return cmp.Or(err, file.Close())
}

func sortEntries(entries []host.DirEntry) {
	slices.SortFunc(entries, func(a, b host.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
}

// undone returns err, the error of an operation, joined with undo, the error of undoing the operation, if any.
func undone(err, undo error) error {
	if undo == nil {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
