//go:build dragonfly || freebsd || netbsd || openbsd

package local

import (
	"golang.org/x/sys/unix"
)

// renameNew gives a file a name that nothing else has: without a call for it,
// in two steps.
func renameNew(from, to string) error { return renameByLink(from, to) }

// chmodNoFollow changes the mode of what is at path unless that is a link,
// whose own mode it would change.
func chmodNoFollow(path string, mode uint32) error {
	return unix.Fchmodat(unix.AT_FDCWD, path, mode, unix.AT_SYMLINK_NOFOLLOW)
}
