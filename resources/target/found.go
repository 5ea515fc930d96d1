package target

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// Unexpected is the error about something that stands where an object of
// another kind is managed.
func Unexpected(h host.Host, path Path, want, got host.FileType) error {
	return fmt.Errorf("%s on host %s is a %s, and a %s is managed here. It is neither followed nor replaced: "+
		"move it away and apply again, or have the resource forgotten by the command state rm",
		path, h.Name(), got, want)
}

// Explain puts the remedy to an error of an operation on path, where want is
// managed. A [*host.Error] says where and why already.
func Explain(h host.Host, path Path, want host.FileType, err error) error {
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
	{syscall.ENOSPC, "The file system that this is on is full on host %s: free space or inodes there, and apply again. What was there before is as it was"},
	{syscall.EDQUOT, "On host %s, the user that the provider works as, or the owner, has used up the disk quota: free space or raise the quota, and apply again. What was there before is as it was"},
	{syscall.EROFS, "The file system that this is on is mounted read-only on host %s: mount it writable, or choose a path on another"},
	{syscall.ENAMETOOLONG, "It is longer than the file system on host %s takes: choose a shorter path"},
	{fs.ErrPermission, "On host %s, the user that the provider works as must be allowed to do this: let the provider work there as another user, or give this one the right. " +
		"With sudo = {} for the host in the provider's configuration it works as root. To make, replace or remove a name takes the right to write to its directory; to change mode or owner takes owning the file, or root; nobody may change what is immutable (lsattr shows that)"},
}
