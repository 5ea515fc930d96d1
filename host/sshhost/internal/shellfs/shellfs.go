package shellfs

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

var _ remotefs.Backend = (*Files)(nil)

// Files implements [remotefs.Backend] for one host. [New] makes one.
type Files struct {
	starter remote.Starter
	batches *shellrpc.Coalescer
	single  func() bool
}

// New returns the file system of a host. batches sends its requests to helper. single reports
// whether the host allows a single session: content of up to [singleContent] bytes is then
// buffered, so that one file can be copied to another.
func New(starter remote.Starter, helper *shellrpc.Helper, batches *shellrpc.Coalescer, single func() bool) *Files {
	helper.Define(functions)
	return &Files{starter: starter, batches: batches, single: single}
}

// singleContent is the largest content that is buffered if the host allows a single
// session.
const singleContent = 16 << 20

// changeTime is how long a change may take once its context has ended.
const changeTime = 30 * time.Second

// runChange runs a request that has an effect. The first block of its reply is empty on success.
func (f *Files) runChange(ctx context.Context, text shell.Text, blocks int) (shellrpc.Reply, error) {
	ctx, cancel := graceperiod.With(ctx, changeTime)
	defer cancel()
	replies, err := f.batches.Do(ctx, shellrpc.Request{Text: text, Blocks: blocks, Effect: true})
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

const (
	// Errors that functions print.
	failedType     = "type"
	failedTarget   = "target"
	failedTempGone = "lost"

	// outcome is the number of blocks of functions that print the error and the info of a path.
	outcome = 5
)

var errOther = errors.New("the path briefly had an object of another type, which was not replaced: run the plan or apply again when no program replaces it")

// result returns the info of path, with which the reply ends, or the error in its first block.
func result(path string, reply shellrpc.Reply, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	is, err := shellrpc.InfoReply(path, reply)
	info := is.FileInfo
	switch failure := reply[0]; failure {
	case "":
		return info, err
	case failedType:
		return info, cmp.Or(err, info.Type.Want(want), errOther)
	case failedTarget:
		if err = cmp.Or(err, info.Type.Want(want)); err == nil {
			err = &host.TargetError{Got: info.LinkTarget}
		}
		return info, err
	default:
		return info, failureError(failure, attrs)
	}
}

// failureError returns the error that a function printed.
func failureError(failure string, attrs host.Attributes) error {
	if failure == failedTempGone {
		return remotefs.ErrTempGone
	}
	rest, owner := strings.CutPrefix(failure, "owner ")
	err := shell.Reason(strings.TrimPrefix(rest, "failed:"))
	if owner {
		return attrs.OwnerError(err)
	}
	return err
}

// Lstat implements [remotefs.Backend].
func (f *Files) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	is, err := f.batches.Lstat(ctx, path)
	return is.FileInfo, err
}

// LstatAll implements [remotefs.Backend].
func (f *Files) LstatAll(ctx context.Context, paths []string) ([]remotefs.Result, error) {
	found, err := f.batches.Lstats(ctx, paths...)
	all := make([]remotefs.Result, len(found))
	for i, is := range found {
		all[i] = remotefs.Result{FileInfo: is.FileInfo, Err: is.Err}
	}
	return all, err
}

// Digest returns the SHA-256 of a regular file and the info of the same file. On a host
// without a command for it, the error matches [errors.ErrUnsupported].
func (f *Files) Digest(ctx context.Context, path string) (host.FileInfo, [32]byte, error) {
	is, sum, err := f.batches.Digest(ctx, path)
	return is.FileInfo, sum, err
}

// DirectDigest is Digest for a file without a symbolic link above its path. If there is one, nothing
// is read, and the error matches [shellrpc.ErrLinkAbove].
func (f *Files) DirectDigest(ctx context.Context, path string) (host.FileInfo, [32]byte, error) {
	is, sum, err := f.batches.DirectDigest(ctx, path)
	return is.FileInfo, sum, err
}

// Cause implements [remotefs.Backend].
func (f *Files) Cause(err error) error { return err }
