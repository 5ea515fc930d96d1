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
	errNoReason = errors.New("the server returned a failure without a reason; common ones are a quota, or a busy or protected file")
	errName     = errors.New("the server rejected the name or the request as invalid: is the name too long?")
	errHandle   = errors.New("the server does not recognise the file handle")
)

// Cause implements [remotefs.Backend].
func (f *Files) Cause(err error) error { return cause(err) }

// cause maps an error of the server to the errors of the contract. It does not unwrap err,
// because the message of a wrapper must be kept.
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

// failed reports whether the server returned an error without a reason.
func failed(err error) bool {
	var status *sftp.StatusError
	return errors.As(err, &status) && status.Code == sftp.CodeFailure
}

// isAbsent reports whether the server returned that the path does not exist.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func parent(p string) string { return path.Dir(p) }

// almostFull is the number of free bytes below which a file system counts as full.
const almostFull = 1 << 20

// explain looks for the reason of a failure in the state of p's file system: it may be full
// or read-only. If it finds none, it returns err.
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
		return fmt.Errorf("the file system of %s is read-only: %w", host.QuotePath(dir), syscall.EROFS)
	case stat.Blocks > 0 && stat.Available*stat.BlockSize < almostFull:
		return fmt.Errorf("the file system of %s has %d of %d bytes free: %w", host.QuotePath(dir),
			stat.Available*stat.BlockSize, stat.Blocks*stat.BlockSize, syscall.ENOSPC)
	case stat.Files > 0 && stat.FilesFree == 0:
		return fmt.Errorf("the file system of %s has no free inodes (%d in use): %w", host.QuotePath(dir),
			stat.Files, syscall.ENOSPC)
	}
	return err
}

// apart returns an error if the two directories are on different file systems, which rules
// out a rename or link; otherwise it returns the result of [explain].
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

// undone joins err with the error of undoing its effects.
func undone(err, undo error) error {
	if undo == nil || errors.Is(err, sftp.ErrClosed) {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
