package sftpfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

var (
	errNoReason = errors.New("the host refuses it and gives no reason: a quota, a busy or a protected file are usual ones")
	errName     = errors.New("the host refuses the name or the request as invalid: is the name too long?")
	errHandle   = errors.New("the host does not know the open file any more")
)

// Cause implements [remotefs.Backend].
func (f *Files) Cause(err error) error { return cause(err) }

// cause returns what a server's answer means by the contract. It looks only at the
// error itself: what is wrapped has a text of ours around it.
func cause(err error) error {
	status, ok := err.(*sftp.StatusError) //nolint:errorlint // see above
	if !ok {
		return err
	}
	switch status.Code {
	case sftp.CodeNoSuchFile:
		if !errors.Is(status, fs.ErrNotExist) {
			return errHandle
		}
		return fs.ErrNotExist
	case sftp.CodePermissionDenied:
		return fs.ErrPermission
	case sftp.CodeBadMessage:
		return errName
	case sftp.CodeFailure:
		return errNoReason
	case sftp.CodeOpUnsupported:
		return errors.ErrUnsupported
	}
	return err
}

// failed reports whether the server refused without a reason.
func failed(err error) bool {
	var status *sftp.StatusError
	return errors.As(err, &status) && status.Code == sftp.CodeFailure
}

// isAbsent reports whether the server said that nothing is there.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func parent(p string) string { return path.Dir(p) }

// almostFull is how many bytes may be free on a file system that has no room for the
// next piece of a content.
const almostFull = 1 << 20

// explain looks for the reason of a failure at the file system of the directory of p: a
// disk that is full or read-only. It returns err if it finds none.
func explain(ctx context.Context, c *sftp.Client, p string, err error) error {
	if !failed(err) {
		return err
	}
	dir := parent(p)
	stat, looked := c.Batch().StatVFS(dir).Do(ctx)
	switch {
	case looked != nil:
		return err
	case stat.Flags&sftp.StatVFSReadOnly != 0:
		return fmt.Errorf("the file system of %s cannot be written to: %w", host.QuotePath(dir), syscall.EROFS)
	case stat.Blocks > 0 && stat.Available*stat.BlockSize < almostFull:
		return fmt.Errorf("the file system of %s has %d of %d bytes free: %w", host.QuotePath(dir),
			stat.Available*stat.BlockSize, stat.Blocks*stat.BlockSize, syscall.ENOSPC)
	case stat.Files > 0 && stat.FilesFree == 0:
		return fmt.Errorf("the file system of %s has room for no more than its %d files: %w", host.QuotePath(dir),
			stat.Files, syscall.ENOSPC)
	}
	return err
}

// apart returns why nothing can be renamed or linked between two directories on
// different file systems; else it is [explain].
func apart(ctx context.Context, c *sftp.Client, oldPath, newPath string, err error) error {
	if !failed(err) {
		return err
	}
	b := c.Batch()
	from, to := b.StatVFS(parent(oldPath)), b.StatVFS(parent(newPath))
	if b.Do(ctx) == nil && b.First() == nil && from.Value.ID != to.Value.ID {
		return fmt.Errorf("%s is on another file system: %w", host.QuotePath(oldPath), syscall.EXDEV)
	}
	return explain(ctx, c, newPath, err)
}

// undone returns err together with the error of undoing what it left half done.
func undone(err, undo error) error {
	if undo == nil || errors.Is(err, sftp.ErrClosed) {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
