//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// below calls do with a name of the object at path. For users other than root, and with a context of
// [host.WithFollowLinks], the name is path. Otherwise, below refuses symbolic links above path that other users
// control: see [host.Ancestry]. If other users can change the directories above path, the name goes through an
// open directory on Linux, so that replacing them has no effect. Other systems have no such names; there, a link
// that replaces a directory during the operation is followed.
func below[T any](ctx context.Context, h *Host, path string, do func(name string) (T, error)) (T, error) {
	var none T
	if !h.root || host.FollowsLinks(ctx) || host.CheckPath(path) != nil {
		return do(path)
	}
	dir, err := openParent(path)
	if err != nil {
		if unsafe, ok := errors.AsType[*host.UnsafeLinkError](err); ok {
			unsafe.Owner, _ = h.ownerNames(ctx, unsafe.UID, 0)
		}
		return none, err
	}
	defer func() { _ = unix.Close(dir.fd) }() // nothing was written through it
	return do(dir.name(path))
}

// belowDo is below for an operation without a result.
func belowDo(ctx context.Context, h *Host, path string, do func(name string) error) error {
	_, err := below(ctx, h, path, func(name string) (struct{}, error) { return struct{}{}, do(name) })
	return err
}

// parentDir is the open directory of a path.
type parentDir struct {
	fd      int
	trusted bool // only root can change the directories above the path
}

// name returns a name of the object at a path: one in the open directory if users other than root can change
// the directories above the path and the system has such names, or else the path itself.
func (d parentDir) name(at string) string {
	if d.trusted || at == "/" {
		return at
	}
	name := "/proc/self/fd/" + strconv.Itoa(d.fd)
	var opened, named unix.Stat_t
	if unix.Fstat(d.fd, &opened) != nil || unix.Stat(name, &named) != nil || opened.Dev != named.Dev || opened.Ino != named.Ino {
		return at // not Linux, or /proc is not mounted
	}
	return name + "/" + path.Base(at)
}

// maxLinks is the maximum number of links on the way to a path, the same as on Linux.
const maxLinks = 40

// openParent opens the directories above a path one after the other, each in the one before
// it, so that none is replaced between the check and its use. It returns the last one, which the
// caller closes, or a [*host.UnsafeLinkError] if root must not follow a link.
func openParent(at string) (dir parentDir, err error) {
	if dir.fd, err = openDirectory(unix.AT_FDCWD, "/"); err != nil {
		return dir, err
	}
	defer func() {
		if err != nil {
			_ = unix.Close(dir.fd)
		}
	}()
	var ancestry host.Ancestry
	where, links := "/", 0
	for rest := elements(path.Dir(at)); ; {
		var stat unix.Stat_t
		if err := unix.Fstat(dir.fd, &stat); err != nil {
			return dir, err
		}
		ancestry.Enter(where, host.Mode(stat.Mode)&host.ModeMask, stat.Uid)
		if len(rest) == 0 {
			dir.trusted = ancestry.Trusted()
			return dir, nil
		}
		name, start := rest[0], dir.fd
		rest = rest[1:]
		next, err := openDirectory(dir.fd, name)
		if err == nil {
			where = path.Join(where, name)
		} else {
			target, linkErr := readUnlessUnsafe(dir.fd, name, path.Join(where, name), &ancestry)
			if linkErr != nil {
				return dir, linkErr
			}
			if target == "" {
				return dir, err
			}
			if links++; links > maxLinks {
				return dir, unix.ELOOP
			}
			rest = append(elements(target), rest...)
			from := "."
			if strings.HasPrefix(target, "/") {
				from, where = "/", "/"
			}
			if next, err = openDirectory(start, from); err != nil {
				return dir, err
			}
		}
		_ = unix.Close(dir.fd) // nothing was written through it
		dir.fd = next
	}
}

// readUnlessUnsafe returns the target of a link in an open directory, or an empty string if the object
// is missing or is not a link. It returns a [*host.UnsafeLinkError] if a user other than root owns the link or
// could replace it.
func readUnlessUnsafe(dir int, name, at string, ancestry *host.Ancestry) (string, error) {
	var stat unix.Stat_t
	if err := unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil || host.StatType(uint32(stat.Mode)) != host.TypeSymlink { //nolint:unconvert // the type depends on the system
		return "", nil //nolint:nilerr // the caller returns the error of opening the directory
	}
	if err := ancestry.Follow(at, stat.Uid); err != nil {
		return "", err
	}
	return os.Readlink(at) // only root can replace it, or a directory above it
}

// openDirectory opens a directory in another without following a link.
func openDirectory(in int, name string) (fd int, err error) {
	err = ignoringEINTR(func() error {
		fd, err = unix.Openat(in, name, openPath|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, err
	}
	return fd, nil
}

// elements returns the elements of a path, without empty ones.
func elements(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}
