//go:build unix && !aix && !solaris

package local

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// A temporary file is in use while its writer holds an exclusive flock on it. The kernel
// releases the lock when the writer exits, so a file that can be locked is a leftover. The
// protocol, for every writer:
//
//   - A file is created with O_EXCL, then locked, then checked again: before it was locked,
//     another writer may have removed it as a leftover.
//   - Only the holder of a file's lock removes its name, except in the cases below and if
//     takeName fails: takeName then removes the file that it created.
//   - An existing file is never written to: it may have become the target.
//
// If a file of this user cannot be opened, or the file system has no locks, the file
// counts as a leftover if another writer has waited for [maxWait] and the file does not
// change between two checks. If the file is still in use, its writer detects the removal
// before the rename: see [temp.replaceTarget].

// maxWait is how long a writer waits for another writer of the same path before it
// uses a different temporary name.
const maxWait = 5 * time.Second

// temp is a temporary file that this process writes.
type temp struct {
	name string
	file *os.File // for writing
	lock *os.File // a second descriptor, so that the lock outlives file.Close
	stat fs.FileInfo
}

// newTemp creates the temporary file for target, locked and with mode 0600. It removes leftovers.
// If the usual name is not free after maxWait, or an object that cannot or must not be removed has it, the file gets a
// random name.
func newTemp(ctx context.Context, target string) (*temp, error) {
	usual := host.TempPath(target, "")
	var seen fs.FileInfo
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := takeName(usual)
		if t != nil || err != nil {
			return t, err
		}
		waited := time.Since(start)
		switch found, stat := inspect(usual, seen, waited); found {
		case absent:
			if waited < maxWait {
				continue
			}
		case leftover:
			removeVariants(target)
			continue
		case live:
			if seen == nil || changed(seen, stat) {
				seen = stat
			}
			if waited < maxWait {
				if host.Sleep(ctx, pause) != nil {
					return nil, ctx.Err()
				}
				continue
			}
		}
		return takeRandomName(target)
	}
}

// takeName creates and locks the file. If the file already exists, or is removed as a leftover before
// it is locked, takeName returns nil and no error.
func takeName(name string) (*temp, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &temp{name: name, file: file}
	if err := t.takeLock(); err != nil {
		err = closing(file, err)
		switch {
		case errors.Is(err, errLost):
			return nil, nil
		case t.named():
			err = undone(err, unlink(name))
		}
		return nil, err
	}
	return t, nil
}

var errLost = errors.New("another process removed the temporary file as a leftover")

func (t *temp) takeLock() (err error) {
	if t.stat, err = t.file.Stat(); err != nil {
		return err
	}
	if t.stat.Mode().Perm() != 0o600 { // a umask that denies the owner access
		if err := t.file.Chmod(0o600); err != nil {
			return err
		}
	}
	t.lock, err = os.OpenFile(t.name, readFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return errLost
	}
	if err != nil {
		return err
	}
	switch locked, err := tryLock(t.lock); {
	case err != nil && !errors.Is(err, errNoLocks):
		return closing(t.lock, err)
	case err == nil && !locked, !t.named():
		return closing(t.lock, errLost)
	}
	return nil
}

// named reports whether the name still refers to this file.
func (t *temp) named() bool {
	now, err := os.Lstat(t.name)
	return err == nil && os.SameFile(t.stat, now)
}

// release releases the lock. The file must have been renamed or discarded.
func (t *temp) release() { unlock(t.lock) }

// unlock releases the lock on a file and closes the file. Closing is not enough: a child of this
// process has a copy of the descriptor, and thereby the lock, from fork until exec.
func unlock(file *os.File) {
	_ = unix.Flock(int(file.Fd()), unix.LOCK_UN) // the file system may have no locks
	_ = file.Close()                             // nothing was written through this descriptor
}

// discard removes the temporary name, if the file still has it. Errors of closing the file are
// ignored.
func (t *temp) discard() error {
	_ = t.file.Close()
	if !t.named() {
		return nil
	}
	return unlink(t.name)
}

func takeRandomName(target string) (*temp, error) {
	for {
		t, err := takeName(host.TempPath(target, strings.ToLower(rand.Text()[:12])))
		if t != nil || err != nil {
			return t, err
		}
	}
}

// finding is the state of a temporary file.
type finding int

const (
	absent   finding = iota
	leftover         // existed, and was removed
	live             // in use by another writer, or not known yet
	foreign          // cannot or must not be removed
)

// inspect determines the state of the temporary file with the given name and removes a leftover. seen is the info
// that an earlier call returned for the file, or nil, and waited is the time since the wait for the file began.
func inspect(name string, seen fs.FileInfo, waited time.Duration) (finding, fs.FileInfo) {
	stat, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil || stat.IsDir():
		return foreign, nil
	case !stat.Mode().IsRegular():
		// A link of ReplaceSymlink, which creates it again if it is missing.
		return unlinkLeftover(name), stat
	}
	file, err := os.OpenFile(name, readFlags, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil && int(stat.Sys().(*syscall.Stat_t).Uid) != os.Geteuid():
		return foreign, nil
	case err != nil:
		return unchangedLeftover(name, stat, seen, waited), stat
	}
	defer unlock(file) // after the removal
	switch locked, err := tryLock(file); {
	case err != nil:
		return unchangedLeftover(name, stat, seen, waited), stat
	case !locked:
		return live, stat
	}
	// The lock is on the opened file: check that this file still has the name.
	opened, err := file.Stat()
	if err != nil {
		return foreign, nil
	}
	now, err := os.Lstat(name)
	if err != nil || !os.SameFile(opened, now) {
		return absent, nil
	}
	return unlinkLeftover(name), stat
}

func unlinkLeftover(name string) finding {
	if err := unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return foreign
	}
	return leftover
}

func unchangedLeftover(name string, stat, seen fs.FileInfo, waited time.Duration) finding {
	if seen == nil || changed(seen, stat) || waited < maxWait {
		return live
	}
	return unlinkLeftover(name)
}

func changed(a, b fs.FileInfo) bool {
	return !os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())
}

// removeVariants removes leftovers under the other temporary names of target. It lists the
// directory, so it is called only if a leftover shows that a writer was killed. A variant that
// is the only leftover is kept, except a temporary link: see removeTemp.
func removeVariants(target string) {
	dir, prefix := path.Split(host.TempPath(target, "") + "-")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the directory may be writable but not readable
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			inspect(dir+e.Name(), nil, 0)
		}
	}
}

// removeTemp removes a leftover under the usual temporary name of target, and then those under the
// other names. If the usual name has no leftover, it removes only a leftover temporary link.
func removeTemp(target string) {
	if found, _ := inspect(host.TempPath(target, ""), nil, 0); found == leftover {
		removeVariants(target)
		return
	}
	inspect(host.TempPath(target, linkVariant), nil, 0)
}

var errNoLocks = errors.New("the file system has no locks")

// tryLock reports whether it got the exclusive lock on file. The error is errNoLocks if the file
// system has no locks.
func tryLock(file *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, nil
		case unix.EWOULDBLOCK:
			return false, nil
		case unix.EINTR:
		case unix.ENOLCK, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL,
			unix.EBADF: // NFS locks only files that are open for writing
			return false, errNoLocks
		default:
			return false, err
		}
	}
}
