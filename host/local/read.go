//go:build unix && !aix && !solaris

package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// Lstat implements [host.Files].
func (h *Host) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	info, err := below(ctx, h, path, func(name string) (host.FileInfo, error) { return h.lstat(ctx, name) })
	info.Path = path
	if err != nil {
		return host.FileInfo{}, h.fail("stat", path, err)
	}
	return info, nil
}

func (h *Host) lstat(ctx context.Context, path string) (host.FileInfo, error) {
	if err := begin(ctx, path); err != nil {
		return host.FileInfo{}, err
	}
	for {
		stat, err := os.Lstat(path)
		if err != nil {
			return host.FileInfo{}, err
		}
		info := h.info(ctx, path, stat)
		if info.Type != host.TypeSymlink {
			return info, nil
		}
		info.LinkTarget, err = os.Readlink(path)
		switch {
		case err == nil:
			return info, nil
		case !errors.Is(err, syscall.EINVAL):
			return host.FileInfo{}, err
		}
		// EINVAL: the object was a link before and no longer is one.
		if err := ctx.Err(); err != nil {
			return host.FileInfo{}, err
		}
	}
}

// Open implements [host.Files].
func (h *Host) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	var file *os.File
	info, err := below(ctx, h, path, func(name string) (info host.FileInfo, err error) {
		info, file, err = h.open(ctx, name)
		return info, err
	})
	if err != nil {
		return host.FileInfo{}, nil, h.fail("read", path, err)
	}
	info.Path = path
	return info, &reader{ctx: ctx, host: h, path: path, file: file}, nil
}

// open checks the type before it opens the object, because opening a device can have side effects, and
// again afterwards, because the object may have been replaced in between. O_NONBLOCK
// prevents blocking on a named pipe.
func (h *Host) open(ctx context.Context, path string) (host.FileInfo, *os.File, error) {
	if err := begin(ctx, path); err != nil {
		return host.FileInfo{}, nil, err
	}
	if err := checkType(path, host.TypeRegular); err != nil {
		return host.FileInfo{}, nil, err
	}
	file, err := os.OpenFile(path, readFlags, 0)
	if err != nil {
		return host.FileInfo{}, nil, notFollowed(path, host.TypeRegular, err)
	}
	stat, err := file.Stat()
	if err == nil {
		err = fileType(stat.Mode()).Want(host.TypeRegular)
	}
	if err != nil {
		return host.FileInfo{}, nil, closing(file, err)
	}
	return h.info(ctx, path, stat), file, nil
}

// readFlags are the flags to open a file for reading without following a link, waiting for
// a writer, or acquiring a controlling terminal.
const readFlags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY

// reader is an open file whose Read fails when the context of Open is done.
type reader struct {
	ctx  context.Context //nolint:containedctx // Read must fail once the context of Open is done
	host *Host
	path string
	file *os.File
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, r.host.fail("read", r.path, err)
	}
	n, err := r.file.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.host.fail("read", r.path, err)
	}
	return n, err
}

func (r *reader) Close() error { return r.host.fail("close", r.path, r.file.Close()) }

// ReadDir implements [host.Files].
func (h *Host) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	entries, err := below(ctx, h, path, func(name string) ([]host.DirEntry, error) { return readDir(ctx, name) })
	return entries, h.fail("list", path, err)
}

func readDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	if err := begin(ctx, path); err != nil {
		return nil, err
	}
	if err := checkType(path, host.TypeDirectory); err != nil {
		return nil, err
	}
	dir, err := os.OpenFile(path, readFlags|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, notFollowed(path, host.TypeDirectory, err)
	}
	read, err := dir.ReadDir(-1)
	if err := closing(dir, err); err != nil {
		return nil, err
	}
	entries := make([]host.DirEntry, len(read))
	for i, e := range read {
		entries[i] = host.DirEntry{Name: e.Name(), Type: fileType(e.Type())}
	}
	sortEntries(entries)
	return entries, nil
}

// info converts the result of stat, and looks up the names of the owner and the group.
func (h *Host) info(ctx context.Context, path string, stat fs.FileInfo) host.FileInfo {
	sys := stat.Sys().(*syscall.Stat_t) // the dynamic type on all supported systems
	owner, group := h.ownerNames(ctx, sys.Uid, sys.Gid)
	return host.FileInfo{
		Path:    path,
		Type:    fileType(stat.Mode()),
		Mode:    host.Mode(sys.Mode) & host.ModeMask,
		Size:    stat.Size(),
		UID:     sys.Uid,
		GID:     sys.Gid,
		Owner:   owner,
		Group:   group,
		ModTime: stat.ModTime(),
	}
}
