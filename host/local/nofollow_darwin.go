package local

import (
	"golang.org/x/sys/unix"
)

// renameNew renames a file to a name that must not exist, in one step if the system supports
// that.
func renameNew(from, to string) error {
	switch err := unix.RenamexNp(from, to, unix.RENAME_EXCL); err {
	case unix.EINVAL, unix.ENOSYS, unix.ENOTSUP:
		return renameByLink(from, to)
	default:
		return err
	}
}

// chmodNoFollow changes the mode of the object at path without following a symbolic link; a
// link's own mode is changed.
func chmodNoFollow(path string, mode uint32) error {
	return unix.Fchmodat(unix.AT_FDCWD, path, mode, unix.AT_SYMLINK_NOFOLLOW)
}

// openPath is the flag for opening a directory to access the objects in it.
const openPath = unix.O_RDONLY
