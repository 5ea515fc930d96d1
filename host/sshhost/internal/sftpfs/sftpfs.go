package sftpfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
)

// Sessions provides SFTP sessions.
type Sessions interface {
	// SFTP returns a live session, which may be shared. The caller must release it.
	SFTP(ctx context.Context) (Session, error)
}

// Session is an SFTP session in use.
type Session struct {
	*sftp.Client
	Release func()
}

var (
	_ remotefs.Backend = (*Files)(nil)
	_ remotefs.Finder  = (*Files)(nil)
	_ remotefs.Names   = (*Files)(nil)
)

// Files implements [remotefs.Backend] for one host.
type Files struct {
	sessions Sessions
	owners   sync.Map // names of users and groups by [userID] and [groupID]
}

// New returns the file system of a host whose servers pass [Check].
func New(sessions Sessions) *Files { return &Files{sessions: sessions} }

// required are the extensions that operations need.
var required = []sftp.Extension{sftp.ExtPosixRename, sftp.ExtHardlink, sftp.ExtFsync, sftp.ExtLsetstat, sftp.ExtStatVFS}

// Check returns an error that matches [errors.ErrUnsupported] if a server lacks a required
// extension.
func Check(c *sftp.Client) error {
	var missing []string
	for _, ext := range required {
		if !c.Has(ext) {
			missing = append(missing, string(ext))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the SFTP server does not offer %s: %w", strings.Join(missing, ", "), errors.ErrUnsupported)
}

// attempts limits how often an idempotent operation is tried.
const attempts = 3

// withSession calls do with a session.
func (f *Files) withSession(ctx context.Context, do func(c *sftp.Client) error) error {
	s, err := f.sessions.SFTP(ctx)
	if err != nil {
		return err
	}
	defer s.Release()
	return do(s.Client)
}

// withRetries calls do with a session. If the session is lost, it repeats do with another one, at most
// [attempts] times in total.
func (f *Files) withRetries(ctx context.Context, do func(c *sftp.Client) error) error {
	return retry(ctx, func() error { return f.withSession(ctx, do) })
}

// retry calls do until its session is not lost, at most [attempts] times.
func retry(ctx context.Context, do func() error) error {
	var err error
	for range attempts {
		if err = do(); !sessionLost(ctx, err) {
			break
		}
	}
	return err
}

// changeWithRetries is withRetries for a change. Its error matches [host.ErrUnreachable] or
// [host.ErrRefused] only if nothing was sent to the host.
func (f *Files) changeWithRetries(ctx context.Context, do func(c *sftp.Client) error) error {
	var lost error
	err := f.withRetries(ctx, func(c *sftp.Client) error {
		err := do(c)
		if sessionLost(ctx, err) {
			lost = err
		}
		return err
	})
	return remotefs.AfterLoss(lost, err)
}

// sessionLost reports whether err is due to a lost session and another session may succeed: the host
// has not stopped responding, and ctx has not ended.
func sessionLost(ctx context.Context, err error) bool {
	return errors.Is(err, sftp.ErrClosed) && !errors.Is(err, remote.ErrSilent) && ctx.Err() == nil
}

// afterwards is how long undoing a change may take, or completing a change whose context has ended.
const afterwards = 3 * time.Second

var (
	errNoReason = errors.New("the server returned a failure without a reason; common reasons are an exceeded quota, and a busy or protected file")
	errName     = errors.New("the server rejected the name or the request as invalid. Check that the name is not too long")
	errHandle   = errors.New("the server does not recognise the file handle")
)

// Cause implements [remotefs.Backend].
func (f *Files) Cause(err error) error { return cause(err) }

// cause maps an error of the server to the errors of the contract of package host. It does not unwrap
// err, because the message of a wrapper must be kept.
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

// isAbsent reports whether err means that the path does not exist.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func parent(p string) string { return path.Dir(p) }

// almostFull is the number of free bytes below which a file system counts as full.
const almostFull = 1 << 20

// explain returns an error with the cause if err has none and the file system of p's directory is full or
// read-only. Otherwise it returns err.
func explain(ctx context.Context, c *sftp.Client, p string, err error) error {
	if !failed(err) {
		return err
	}
	dir := parent(p)
	stat, statErr := c.Batch().StatVFS(dir).Do(ctx)
	switch {
	case statErr != nil:
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

// explainCrossDevice returns [syscall.EXDEV], wrapped, if err gives no reason and the two directories are on
// different file systems, which rules out a rename or link; otherwise it returns the result of [explain].
func explainCrossDevice(ctx context.Context, c *sftp.Client, oldPath, newPath string, err error) error {
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

// joinUndo joins err, the error of an operation, with undo, the error of undoing it. If err is due to a lost
// session, joinUndo returns only err.
func joinUndo(err, undo error) error {
	if undo == nil || errors.Is(err, sftp.ErrClosed) {
		return err
	}
	return errors.Join(cause(err), cause(undo))
}
