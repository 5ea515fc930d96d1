package local

import (
	"cmp"
	"strconv"

	"golang.org/x/sys/unix"
)

// renameNew renames a file to a name that must not exist, in one step if the system supports
// that.
func renameNew(from, to string) error {
	switch err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE); err {
	case unix.EINVAL, unix.ENOSYS, unix.EPERM, unix.EOPNOTSUPP: // EPERM: returned by sandboxes for unknown calls
		return renameByLink(from, to)
	default:
		return err
	}
}

// chmodNoFollow changes the mode of the object at path. A symbolic link is an error.
func chmodNoFollow(path string, mode uint32) error {
	err := unix.Fchmodat(unix.AT_FDCWD, path, mode, unix.AT_SYMLINK_NOFOLLOW)
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS {
		return err
	}
	return chmodPlace(path, mode)
}

// chmodPlace is for Linux before 6.6, which lacks fchmodat2. It opens path with O_PATH
// and without following a link, and changes the mode through /proc/self/fd.
func chmodPlace(path string, mode uint32) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
	return cmp.Or(err, unix.Close(fd))
}

// openPath is the flag for opening a directory to access the objects in it. The directory
// need not be readable.
const openPath = unix.O_PATH
