//go:build unix && !aix && !solaris

package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// WriteFile implements [host.Files].
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	if hook := opts.BeforeReplace; hook != nil {
		opts.BeforeReplace = func(ctx context.Context, temp string) error {
			return hook(ctx, filepath.Join(filepath.Dir(path), filepath.Base(temp)))
		}
	}
	info, err := below(ctx, h, path, func(name string) (host.FileInfo, error) { return h.writeFile(ctx, name, content, opts) })
	if err != nil {
		return host.FileInfo{}, h.fail("write", path, err)
	}
	info.Path = path
	return info, nil
}

func (h *Host) writeFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	if err := beginMake(ctx, path); err != nil {
		return host.FileInfo{}, err
	}
	old, err := replaceable(path, &opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	t, err := newTemp(ctx, path)
	if err != nil {
		return host.FileInfo{}, err
	}
	stat, err := build(ctx, t, path, content, keep(opts.Attributes, old), opts)
	if err != nil {
		return host.FileInfo{}, err
	}
	return h.info(ctx, path, stat), nil
}

// build fills the temporary file and renames it to path. It removes the temporary name if a step
// fails, or if the caller's reader or hook panics.
func build(ctx context.Context, t *temp, path string, content io.Reader, attrs host.Attributes, opts host.WriteOptions) (stat fs.FileInfo, err error) {
	defer func() {
		err = undone(err, t.discard())
		t.release()
	}()
	if stat, err = fill(ctx, t, content, attrs, opts.NoSync); err != nil {
		return nil, err
	}
	if opts.BeforeReplace != nil {
		if err := opts.BeforeReplace(ctx, t.name); err != nil {
			return nil, &host.SourceError{Source: "before replace", Err: err}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.replaceTarget(path, &opts); err != nil {
		return nil, err
	}
	if !opts.NoSync {
		syncDirectory(filepath.Dir(path))
	}
	return stat, nil
}

// syncDirectory makes a change of a name in the directory permanent. Errors are ignored: the change has
// happened, and some file systems cannot sync directories.
func syncDirectory(path string) {
	dir, err := os.Open(path)
	if err != nil {
		return // the directory may be writable but not readable
	}
	_ = dir.Sync()  // some file systems cannot sync directories
	_ = dir.Close() // read only
}

// replaceable returns the file to be replaced, or nil if there is none, or an error if path must not be
// replaced. It is called before the content is read and, unless opts.Exclusive is set, again by replaceTarget.
func replaceable(path string, opts *host.WriteOptions) (fs.FileInfo, error) {
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // a missing parent is detected when the temporary file is created
	case err != nil:
		return nil, err
	case opts.Exclusive:
		return nil, fs.ErrExist
	}
	if err := fileType(old.Mode()).Want(host.TypeRegular); err != nil {
		return nil, err
	}
	return old, opts.CheckUnchanged(host.FileInfo{Size: old.Size(), ModTime: old.ModTime()})
}

// keep returns attrs with unset attributes set to those of the replaced file. If old is nil, keep
// sets only the mode, to 0600, and only if the mode is unset.
func keep(attrs host.Attributes, old fs.FileInfo) host.Attributes {
	if old == nil {
		attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o600)))
		return attrs
	}
	return attrs.Or(owned(old))
}

// fill completes the temporary file and closes it. Once it is synced and closed, no write
// error can be pending.
func fill(ctx context.Context, t *temp, content io.Reader, attrs host.Attributes, noSync bool) (fs.FileInfo, error) {
	if err := copyContent(ctx, t.file, content); err != nil {
		return nil, err
	}
	if err := setNew(t.file, t.stat, attrs); err != nil {
		return nil, err
	}
	if !noSync {
		if err := t.file.Sync(); err != nil {
			return nil, err
		}
	}
	stat, err := t.file.Stat()
	if err != nil {
		return nil, err
	}
	if err := attrs.Accepted(owned(stat)); err != nil {
		return nil, err
	}
	return stat, t.file.Close()
}

var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// copyContent copies content to the file. An error of content is returned as a [*host.SourceError];
// the context is checked between chunks.
func copyContent(ctx context.Context, file *os.File, content io.Reader) error {
	buffer := buffers.Get().(*[64 << 10]byte)
	defer func() {
		clear(buffer[:]) // contents may be secret: leave none in the pool
		buffers.Put(buffer)
	}()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := content.Read(buffer[:])
		if _, err := file.Write(buffer[:n]); err != nil {
			return err
		}
		switch {
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return &host.SourceError{Source: "content", Err: readErr}
		}
	}
}

// replaceTarget renames the file. The target was checked when the write began, possibly long
// ago, and is checked again.
func (t *temp) replaceTarget(path string, opts *host.WriteOptions) error {
	if !t.named() {
		return errLost
	}
	if opts.Exclusive {
		return renameNew(t.name, path)
	}
	if _, err := replaceable(path, opts); err != nil {
		return err
	}
	return renameOver(t.name, path)
}

// renameByLink renames to a name that must not exist, with link and unlink, for systems and
// file systems without a single call for it. A writer killed in between leaves a second name without a
// lock, which is removed as a leftover.
func renameByLink(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	if err := unlink(from); err != nil {
		return fmt.Errorf("the file is complete, but its temporary name could not be removed: %w", err)
	}
	return nil
}

// SetAttributes implements [host.Files].
func (h *Host) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	if err := begin(ctx, path); err != nil {
		return host.FileInfo{}, h.fail("set mode and owner of", path, err)
	}
	if err := belowDo(ctx, h, path, func(name string) error { return setAttributes(name, want, attrs) }); err != nil {
		return host.FileInfo{}, h.fail("set mode and owner of", path, err)
	}
	return h.Lstat(context.WithoutCancel(ctx), path) // the change is done: report it even if ctx ends
}

// setAttributes sets the mode and the owner. If both change, it first sets the bits that the
// old and the new mode share, so that the new owner never has permissions of only the old mode,
// and the old owner never has permissions of only the new mode.
func setAttributes(path string, want host.FileType, attrs host.Attributes) error {
	stat, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := cmp.Or(attrs.CheckType(want, fileType(stat.Mode())), attrs.Check()); err != nil {
		return err
	}
	mode, uid, gid := owned(stat)
	newOwner := attrs.OtherOwner(uid, gid)
	if newOwner {
		if attrs.Mode != nil && mode.Shared(*attrs.Mode) != mode {
			if err := chmodNoFollow(path, uint32(mode.Shared(*attrs.Mode))); err != nil {
				return err
			}
		}
		if err := os.Lchown(path, id(attrs.UID), id(attrs.GID)); err != nil {
			return attrs.OwnerError(cause(err))
		}
	}
	if attrs.Mode != nil && (newOwner || *attrs.Mode != mode) {
		if err := chmodNoFollow(path, uint32(*attrs.Mode)); err != nil {
			return err
		}
	}
	if stat, err = os.Lstat(path); err != nil {
		return err
	}
	return attrs.Accepted(owned(stat))
}

// setNew is setAttributes for a new file of this process with mode 0600. It sets the owner
// first: until the mode is set, only the new owner can access the file. created is the file's
// info right after creation.
func setNew(file *os.File, created fs.FileInfo, attrs host.Attributes) error {
	if err := attrs.Check(); err != nil {
		return err
	}
	_, uid, gid := owned(created)
	if attrs.OtherOwner(uid, gid) {
		if err := file.Chown(id(attrs.UID), id(attrs.GID)); err != nil {
			return attrs.OwnerError(cause(err))
		}
	}
	if attrs.Mode == nil || *attrs.Mode == 0o600 {
		return nil
	}
	return fchmod(file, *attrs.Mode)
}

// fchmod sets a mode in the system's numbering; package os numbers the upper three bits
// differently.
func fchmod(file *os.File, mode host.Mode) error {
	return ignoringEINTR(func() error { return syscall.Fchmod(int(file.Fd()), uint32(mode)) })
}

func owned(stat fs.FileInfo) (host.Mode, uint32, uint32) {
	sys := stat.Sys().(*syscall.Stat_t) // the dynamic type on all supported systems
	return host.Mode(sys.Mode) & host.ModeMask, sys.Uid, sys.Gid
}

// id returns an ID as chown expects it: -1 keeps the current one.
func id(n *uint32) int {
	if n == nil {
		return -1
	}
	return int(*n)
}
