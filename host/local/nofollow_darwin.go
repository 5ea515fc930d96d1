package local

import (
	"golang.org/x/sys/unix"
)

// renameNew gives a file a name that nothing else has, in one step.
func renameNew(from, to string) error {
	switch err := unix.RenamexNp(from, to, unix.RENAME_EXCL); err {
	case unix.EINVAL, unix.ENOSYS, unix.ENOTSUP:
		return renameByLink(from, to)
	default:
		return err
	}
}

// chmodNoFollow changes the mode of what is at path unless that is a link,
// whose own mode it would change.
func chmodNoFollow(path string, mode uint32) error {
	return unix.Fchmodat(unix.AT_FDCWD, path, mode, unix.AT_SYMLINK_NOFOLLOW)
}
