package hostpath

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// Unexpected is the error about something that stands where an object of
// another kind is managed.
func Unexpected(h host.Host, path address.Path, want, got host.FileType) error {
	return fmt.Errorf("%s on host %s is a %s, but this resource manages a %s. It is neither followed nor replaced: "+
		"move it away and apply again, or remove the resource from the state with the command state rm",
		path, h.Name(), got, want)
}

// Explain puts the remedy to an error of an operation on path, where want is
// managed. A [*host.Error] says where and why already.
func Explain(h host.Host, path address.Path, want host.FileType, err error) error {
	if wrong, ok := errors.AsType[*host.TypeError](err); ok {
		return Unexpected(h, path, want, wrong.Got)
	}
	for _, r := range remedies {
		if errors.Is(err, r.cause) {
			return fmt.Errorf("%w. "+r.text, err, h.Name())
		}
	}
	return err
}

// remedies are what to do about errors of a host's operating system, most
// precise first. Each text has a place for the name of the host.
var remedies = []struct {
	cause error
	text  string
}{
	{syscall.ENOSPC, "The file system on host %s is full: free space or inodes and apply again. The existing object was not changed"},
	{syscall.EDQUOT, "On host %s, the disk quota of the user the provider runs as, or of the owner, is exceeded: free space or raise the quota, and apply again. The existing object was not changed"},
	{syscall.EROFS, "The file system on host %s is mounted read-only: mount it writable, or choose a path on another file system"},
	{syscall.ENAMETOOLONG, "The name is too long for the file system on host %s: choose a shorter path"},
	{fs.ErrPermission, "On host %s, the user the provider runs as lacks permission: connect as another user, or grant this one the permission. " +
		"With sudo = {} for the host in the provider's configuration it runs as root. Creating, replacing or removing an object requires write permission on its directory; changing its mode or owner requires its owner or root; immutable files cannot be changed (see lsattr)"},
}
