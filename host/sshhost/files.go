package sshhost

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

var _ host.ParentMaker = (*Host)(nil)

// begin checks the path of an operation and waits until a connection is allowed. The
// connection is not closed to free its slot until done is called.
func (h *Host) begin(ctx context.Context, path string) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := host.CheckPath(path); err != nil {
		return nil, err
	}
	return h.admission.enter(ctx)
}

// onFiles runs an operation with the file backend of the host's mode.
func onFiles[T any](ctx context.Context, h *Host, op, path string, do func(f *remotefs.Files) (T, error)) (result T, err error) {
	done, err := h.begin(ctx, path)
	if err != nil {
		return result, h.fail(op, path, err)
	}
	defer done()
	m, err := h.currentMode(ctx)
	if err != nil {
		return result, h.fail(op, path, err)
	}
	return do(m.files)
}

// changeFiles is onFiles for an operation that changes files. If the connection breaks
// after the request, the error explains that the operation may have taken effect.
func changeFiles[T any](ctx context.Context, h *Host, op, path string, do func(f *remotefs.Files) (T, error)) (T, error) {
	return onFiles(ctx, h, op, path, func(f *remotefs.Files) (T, error) {
		result, err := do(f)
		return result, outcomeUnknown(err)
	})
}

// onFile is onFiles for an operation without a result.
func onFile(ctx context.Context, h *Host, op, path string, do func(f *remotefs.Files) error) error {
	_, err := onFiles(ctx, h, op, path, func(f *remotefs.Files) (struct{}, error) { return struct{}{}, do(f) })
	return err
}

// resolveParent is [remotefs.Files.ResolveParent] for an operation that is not a method of
// [remotefs.Files].
func (h *Host) resolveParent(ctx context.Context, path string) (host.ResolvedDir, error) {
	if h.trustedDirs == nil {
		return host.ResolvedDir{}, nil
	}
	m := h.mode.Load()
	if m == nil { // byShell works before the mode is detected
		dir, err := h.byShell.ResolveParent(ctx, path)
		if !errors.Is(err, errors.ErrUnsupported) && !h.withoutShell(ctx, err) { // the shell may lack a command for it, such as stat
			return dir, err
		}
		if m, err = h.currentMode(ctx); err != nil {
			return host.ResolvedDir{}, err
		}
	}
	return m.files.ResolveParent(ctx, path)
}

// checkLinks returns an error if there is a symbolic link above path that root does not follow.
func (h *Host) checkLinks(ctx context.Context, path string) error {
	_, err := h.resolveParent(ctx, path)
	return err
}

// Lstat implements [host.Files].
func (h *Host) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	return onFiles(ctx, h, "stat", path, func(f *remotefs.Files) (host.FileInfo, error) { return f.Lstat(ctx, path) })
}

// Open implements [host.Files].
func (h *Host) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	done, err := h.begin(ctx, path) // held by the reader until it is closed
	if err != nil {
		return host.FileInfo{}, nil, h.fail("read", path, err)
	}
	var content io.ReadCloser
	info, err := onFiles(ctx, h, "read", path, func(f *remotefs.Files) (info host.FileInfo, err error) {
		info, content, err = f.Open(ctx, path)
		return info, err
	})
	if err != nil {
		done()
		return host.FileInfo{}, nil, err
	}
	return info, &reader{content, done}, nil
}

// reader is an open file that keeps the host connected until Close.
type reader struct {
	io.ReadCloser
	done func()
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	err := r.ReadCloser.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}

// ReadDir implements [host.Files].
func (h *Host) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	return onFiles(ctx, h, "list", path, func(f *remotefs.Files) ([]host.DirEntry, error) { return f.ReadDir(ctx, path) })
}

// WriteFile implements [host.Files].
func (h *Host) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	return changeFiles(ctx, h, "write", path, func(f *remotefs.Files) (host.FileInfo, error) { return f.WriteFile(ctx, path, content, opts) })
}

// RemoveTemp implements [host.Files].
func (h *Host) RemoveTemp(ctx context.Context, path string) error {
	return onFile(ctx, h, "remove the temporary file of", path, func(f *remotefs.Files) error { return f.RemoveTemp(ctx, path) })
}

// Mkdir implements [host.Files].
func (h *Host) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	return changeFiles(ctx, h, "make directory", path, func(f *remotefs.Files) (host.FileInfo, error) { return f.Mkdir(ctx, path, attrs) })
}

// Remove implements [host.Files].
func (h *Host) Remove(ctx context.Context, path string) error {
	return onFile(ctx, h, "remove", path, func(f *remotefs.Files) error { return outcomeUnknown(f.Remove(ctx, path)) })
}

// Rmdir implements [host.Files].
func (h *Host) Rmdir(ctx context.Context, path string) error {
	return onFile(ctx, h, "remove directory", path, func(f *remotefs.Files) error { return outcomeUnknown(f.Rmdir(ctx, path)) })
}

// Rename implements [host.Files].
func (h *Host) Rename(ctx context.Context, oldPath, newPath string) error {
	return onFile(ctx, h, "rename", oldPath, func(f *remotefs.Files) error { return outcomeUnknown(f.Rename(ctx, oldPath, newPath)) })
}

// Link implements [host.Files].
func (h *Host) Link(ctx context.Context, oldPath, newPath string) error {
	return onFile(ctx, h, "link", oldPath, func(f *remotefs.Files) error { return outcomeUnknown(f.Link(ctx, oldPath, newPath)) })
}

// Symlink implements [host.Files].
func (h *Host) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	return changeFiles(ctx, h, "make link", path, func(f *remotefs.Files) (host.FileInfo, error) { return f.Symlink(ctx, target, path) })
}

// ReplaceSymlink implements [host.Files].
func (h *Host) ReplaceSymlink(ctx context.Context, target, path string, was *string) (host.FileInfo, error) {
	return changeFiles(ctx, h, "make link", path, func(f *remotefs.Files) (host.FileInfo, error) {
		return f.ReplaceSymlink(ctx, target, path, was)
	})
}

// SetAttributes implements [host.Files].
func (h *Host) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	return changeFiles(ctx, h, "set mode and owner of", path, func(f *remotefs.Files) (host.FileInfo, error) {
		return f.SetAttributes(ctx, path, want, attrs)
	})
}

// MakeParents implements [host.ParentMaker].
func (h *Host) MakeParents(ctx context.Context, path string, attrs host.Attributes) ([]string, error) {
	return changeFiles(ctx, h, "make parents of", path, func(f *remotefs.Files) ([]string, error) { return f.MakeParents(ctx, path, attrs) })
}

var _ host.Editor = (*Host)(nil)

// EditFile implements [host.Editor].
func (h *Host) EditFile(ctx context.Context, path string, edit host.Edit, attrs host.Attributes) (info host.FileInfo, now []byte, err error) {
	info, err = changeFiles(ctx, h, "write", path, func(f *remotefs.Files) (info host.FileInfo, err error) {
		info, now, err = f.EditFile(ctx, path, edit, attrs)
		return info, err
	})
	return info, now, err
}

var _ host.Digester = (*Host)(nil)

// Digest implements [host.Digester]. Concurrent calls that Perl does not handle are combined into one request
// to the shell. On a host without a shell or without a command for SHA-256, the content is read.
func (h *Host) Digest(ctx context.Context, path string) (host.FileInfo, [sha256.Size]byte, error) {
	done, err := h.begin(ctx, path)
	if err != nil {
		return host.FileInfo{}, [sha256.Size]byte{}, h.fail("read", path, err)
	}
	defer done()
	info, sum, err := h.digest(ctx, path)
	switch {
	case err == nil:
		return info, sum, nil
	case !errors.Is(err, errors.ErrUnsupported) && !h.withoutShell(ctx, err):
		return host.FileInfo{}, sum, h.fail("read", path, err)
	}
	return host.Digest(ctx, onlyHost{h}, path)
}

// digest is Digest with Perl or the shell. If [remotefs.TrustedDirs.TryDirect] returns true, the request itself
// checks that there is no symbolic link above the path. Otherwise, or if such a link is found, the links are checked
// before a request that follows them.
func (h *Host) digest(ctx context.Context, path string) (host.FileInfo, [sha256.Size]byte, error) {
	if h.trustedDirs.TryDirect(ctx, path) {
		info, sum, err := h.digestNamed(ctx, path, true)
		if !errors.Is(err, shellrpc.ErrLinkAbove) {
			return info, sum, err
		}
		h.trustedDirs.RecordLink(path)
	}
	if err := h.checkLinks(ctx, path); err != nil {
		return host.FileInfo{}, [sha256.Size]byte{}, err
	}
	return h.digestNamed(ctx, path, false)
}

// digestNamed gets a digest from Perl or from the shell, and completes the info. If direct is set, no link
// above the path is followed. On a host known to have no shell, it returns [errors.ErrUnsupported].
func (h *Host) digestNamed(ctx context.Context, path string, direct bool) (info host.FileInfo, sum [sha256.Size]byte, err error) {
	m := h.mode.Load()
	if m != nil && !m.shell {
		return host.FileInfo{}, [sha256.Size]byte{}, errors.ErrUnsupported
	}
	byShell := h.shellFiles.Digest
	if direct {
		byShell = h.shellFiles.DirectDigest
	}
	var names sync.WaitGroup // the result needs the owner names: their lookup and the digest share one round trip
	names.Go(func() { _ = h.accounts.Load(ctx) })
	defer names.Wait()
	withSFTP := m == nil || m.sftp
	if withSFTP {
		info, sum, err = h.perl.Digest(ctx, path, direct, byShell)
	} else {
		info, sum, err = byShell(ctx, path)
	}
	if err == nil {
		err = remotefs.Label(ctx, h.accounts, &info)
	}
	if withSFTP {
		asOverSFTP(&info)
	}
	info.Path = path
	return info, sum, err
}

// onlyHost hides the optional interfaces of the embedded host.
type onlyHost struct{ host.Host }

// asOverSFTP removes the fraction of a second of the modification time, which SFTP does not report, so that
// the info of a file is the same over SFTP and through the shell.
func asOverSFTP(info *host.FileInfo) { info.ModTime = time.Unix(info.ModTime.Unix(), 0) }

var _ host.TypedRemover = (*Host)(nil)

// RemoveOnly implements [host.TypedRemover]. Concurrent calls that Perl does not handle are combined into one
// request to the shell. If a file was not removed although the host responds, a second attempt for only
// this file removes it or returns the exact error.
func (h *Host) RemoveOnly(ctx context.Context, path string, want host.FileType) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail("remove", path, err)
	}
	defer done()
	if err := h.checkLinks(ctx, path); err != nil {
		return h.fail("remove", path, err)
	}
	if m := h.mode.Load(); m == nil || m.shell {
		removeTemp := h.RemoveTemp
		if m == nil { // byShell works before the mode is detected
			removeTemp = h.byShell.RemoveTemp
		}
		var tidying sync.WaitGroup // usually in the same round trip; errors do not matter
		tidying.Go(func() { _ = removeTemp(ctx, path) })
		defer tidying.Wait()
		removed, err := false, error(nil)
		if m == nil || m.sftp {
			removed, err = h.perl.RemoveOnly(ctx, path, want)
		}
		if !removed && err == nil {
			removed, err = h.batches.RemoveOnly(ctx, path, want)
		}
		switch {
		case removed:
			return nil
		case ctx.Err() != nil, errors.Is(err, host.ErrUnreachable), errors.Is(err, remote.ErrSilent):
			return h.fail("remove", path, cmp.Or(err, ctx.Err()))
		}
	}
	return host.RemoveOnly(ctx, onlyHost{h}, path, want)
}
