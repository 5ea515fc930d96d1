package perlfs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

// Keeper keeps one session open between uses.
type Keeper interface {
	// Hold returns the session and calls open if there is none. The session is not closed
	// until release is called. The error may be that of open.
	Hold(ctx context.Context, open func(ctx context.Context) (*Session, error)) (s *Session, release func(), err error)
}

// Backend is a backend that does the operations that a Perl process cannot do.
type Backend interface {
	remotefs.Backend
	remotefs.DirMaker
}

var (
	_ Backend         = (*Files)(nil)
	_ remotefs.Editor = (*Files)(nil)
)

// Files implements [Backend] for one host. [New] makes one.
type Files struct {
	Backend
	starter remote.Starter
	keeper  Keeper
	allowed func() bool
	runs    atomic.Bool // a process has run
	missing atomic.Bool // the host has no usable Perl
	digests atomic.Bool // the process calculates digests
	batched atomic.Int32
}

// New returns the file system of a host. It uses other for the operations that a Perl process
// cannot do, and for all operations if the host has no usable Perl or while allowed returns false.
func New(other Backend, starter remote.Starter, keeper Keeper, allowed func() bool) *Files {
	return &Files{Backend: other, starter: starter, keeper: keeper, allowed: allowed}
}

// Reset forgets what the host offers.
func (f *Files) Reset() {
	f.runs.Store(false)
	f.missing.Store(false)
	f.batched.Store(0)
}

// maxContent is the maximum size of the content in one request or reply. The process
// handles one request at a time, and larger contents take more than a round trip anyway.
const maxContent = 64 << 10

const (
	// Values of the first string of a reply. Any other value means that the other backend has to do the operation.
	succeeded = ""
	exists    = "exists"
	changed   = "changed"
	absent    = "absent"
	left      = "left"
)

// errRefused means that the other backend has to do the operation.
var errRefused = errors.New("refused")

// startAhead starts the process, unless one has run before or cannot be used, in parallel with the operation
// of the caller. The other backend does that operation, because it takes no more round trips than the start. The
// returned function waits until the process is running or its start has failed.
func (f *Files) startAhead(ctx context.Context) (wait func()) {
	if f.runs.Load() || f.missing.Load() || !f.allowed() {
		return func() {}
	}
	var starts sync.WaitGroup
	starts.Go(func() {
		_, release, err := f.hold(ctx)
		if err == nil {
			release()
			f.runs.Store(true)
		}
	})
	return starts.Wait
}

// fewBatched is the number of operations for which the process is not started if the shell can do all of
// them in one request.
const fewBatched = 10

// startForMany is startAhead for an operation that the shell does together with others in one request: it
// starts no process for the first fewBatched of them.
func (f *Files) startForMany(ctx context.Context) (wait func()) {
	if !f.runs.Load() && f.batched.Add(1) <= fewBatched {
		return func() {}
	}
	return f.startAhead(ctx)
}

func (f *Files) hold(ctx context.Context) (*Session, func(), error) {
	s, release, err := f.keeper.Hold(ctx, func(ctx context.Context) (*Session, error) {
		s, err := start(ctx, f.starter)
		if err == nil {
			f.digests.Store(s.digests)
		}
		return s, err
	})
	if errors.Is(err, errMissing) {
		f.missing.Store(true)
		err = errRefused
	}
	return s, release, err
}

// call sends a request to the process and returns the reply. The error is errRefused if
// no process can be used.
func (f *Files) call(ctx context.Context, function string, arguments ...string) ([]string, error) {
	if !f.usable() {
		return nil, errRefused
	}
	s, release, err := f.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.call(ctx, function, arguments...)
}

func (f *Files) usable() bool { return f.runs.Load() && !f.missing.Load() && f.allowed() }

// callChange is call for a request that changes files. If ctx ends, it still waits for the
// reply until the request has expired.
func (f *Files) callChange(ctx context.Context, function string, arguments ...string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := graceperiod.With(ctx, expiry)
	defer cancel()
	return f.call(ctx, function, arguments...)
}

// WriteFile implements [remotefs.Backend].
func (f *Files) WriteFile(ctx context.Context, w *remotefs.Write) (host.FileInfo, error) {
	defer f.startAhead(ctx)()
	if w.Options.BeforeReplace != nil || !f.usable() {
		return f.Backend.WriteFile(ctx, w)
	}
	content, all, err := w.Content.Peek(maxContent)
	if err != nil {
		return host.FileInfo{}, err
	}
	if !all {
		return f.Backend.WriteFile(ctx, w)
	}
	info, temp, err := f.write(ctx, w, content)
	switch {
	case errors.Is(err, ErrEnded):
	case errors.Is(err, errRefused):
		w.Content.Rewind()
		return f.Backend.WriteFile(ctx, w)
	default:
		return info, err
	}
	lost := fmt.Errorf("%w. The temporary file %s may be left behind", err, host.QuotePath(temp))
	w.Content.Rewind()
	info, err = f.Backend.WriteFile(ctx, w)
	if w.Options.Exclusive && errors.Is(err, fs.ErrExist) || w.Options.Unchanged != nil && errors.Is(err, host.ErrChanged) {
		return f.written(ctx, w, content, err)
	}
	return info, remotefs.AfterLoss(lost, err)
}

func (f *Files) write(ctx context.Context, w *remotefs.Write, content []byte) (info host.FileInfo, temp string, err error) {
	temp, gone := w.NewTemp(), false
	defer func() { w.EndTemp(temp, gone) }()
	attrs := w.Options.Attributes
	reply, err := f.callChange(ctx, "write", w.Path, temp, flag(w.Options.Exclusive), number(attrs.UID), number(attrs.GID), number(attrs.Mode),
		flag(!w.Options.NoSync), stamp(w.Options.Unchanged), string(content))
	if err != nil {
		gone = errors.Is(err, errRefused)
		return host.FileInfo{}, temp, err
	}
	gone = reply[0] != left
	switch reply[0] {
	case succeeded:
		w.Placed()
		info, err = infoOf(reply)
		return info, temp, err
	case exists:
		return host.FileInfo{}, temp, fs.ErrExist
	case changed:
		return host.FileInfo{}, temp, host.ErrChanged
	}
	return host.FileInfo{}, temp, errRefused
}

// EditFile implements [remotefs.Editor] for edits that fit into one request, of files that fit
// into one reply.
func (f *Files) EditFile(ctx context.Context, w *remotefs.Write, edit host.Edit) (info host.FileInfo, now []byte, err error) {
	f.startAhead(ctx)() // no other backend takes as few round trips
	if len(edit.Old)+len(edit.New) > maxContent || !f.usable() {
		return host.FileInfo{}, nil, errors.ErrUnsupported
	}
	temp, gone := w.NewTemp(), false
	defer func() { w.EndTemp(temp, gone) }()
	attrs, was := w.Options.Attributes, ""
	if edit.Was != nil {
		was = fmt.Sprintf("%d %d %d", edit.Was.Mode, edit.Was.UID, edit.Was.GID)
	}
	reply, err := f.callChange(ctx, "edit", w.Path, temp, strconv.Itoa(maxContent), number(attrs.UID), number(attrs.GID), number(attrs.Mode),
		was, edit.Mark, string(edit.Old), string(edit.New))
	switch {
	case errors.Is(err, errRefused):
		gone, err = true, errors.ErrUnsupported
		return host.FileInfo{}, nil, err
	case err != nil:
		return host.FileInfo{}, nil, err
	}
	gone = reply[0] != left
	switch reply[0] {
	case succeeded:
		w.Placed()
		info, err = infoOf(reply)
		return info, nil, err
	case changed:
		if info, err = infoOf(reply); err == nil && len(reply) > 2 {
			return info, []byte(reply[2]), nil
		}
		return host.FileInfo{}, nil, cmp.Or(err, errors.ErrUnsupported)
	case absent:
		return host.FileInfo{}, nil, fs.ErrNotExist
	}
	return host.FileInfo{}, nil, errors.ErrUnsupported
}

// written returns the info of the file at the path if the write whose reply was lost may have
// placed it, because it has the content and attributes of that write. Otherwise it returns err.
func (f *Files) written(ctx context.Context, w *remotefs.Write, content []byte, err error) (host.FileInfo, error) {
	info, r, openErr := f.Backend.Open(ctx, w.Path)
	if openErr != nil {
		return host.FileInfo{}, err
	}
	defer func() { _ = r.Close() }() // read only
	is, readErr := io.ReadAll(io.LimitReader(r, maxContent+1))
	attrs := w.Options.Attributes
	if w.Options.Exclusive {
		attrs, _ = w.Attributes(host.FileInfo{}, fs.ErrNotExist)
	}
	if readErr != nil || !bytes.Equal(is, content) || attrs.Accepted(info.Mode, info.UID, info.GID) != nil {
		return host.FileInfo{}, err
	}
	w.Placed()
	return info, nil
}

// ReplaceSymlink implements [remotefs.Backend].
func (f *Files) ReplaceSymlink(ctx context.Context, target, temp, path string, was *string) (host.FileInfo, bool, error) {
	defer f.startAhead(ctx)()
	reply, err := f.callChange(ctx, "link", path, temp, target, remotefs.RequiredTarget(was))
	switch {
	case err == nil && reply[0] == succeeded:
		info, err := infoOf(reply)
		return info, true, err
	case err == nil && reply[0] == left, errors.Is(err, ErrEnded):
		_ = f.RemoveAll(ctx, []string{temp}) // the other backend reports errors
	case err != nil && !errors.Is(err, errRefused):
		return host.FileInfo{}, false, err
	}
	info, gone, otherErr := f.Backend.ReplaceSymlink(ctx, target, temp, path, was)
	return info, gone, afterLoss(err, otherErr)
}

// setTypes are the letters of the types that the process changes, by the wanted type.
var setTypes = map[host.FileType]string{host.TypeUnknown: "fd", host.TypeRegular: "f", host.TypeDirectory: "d"}

// SetAttributes implements [remotefs.Backend].
func (f *Files) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	defer f.startAhead(ctx)()
	reply, err := f.callChange(ctx, "attributes", path, setTypes[want], number(attrs.UID), number(attrs.GID), number(attrs.Mode))
	switch {
	case err == nil && reply[0] == succeeded:
		return infoOf(reply)
	case err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, errRefused):
		return host.FileInfo{}, err
	}
	info, otherErr := f.Backend.SetAttributes(ctx, path, want, attrs)
	return info, afterLoss(err, otherErr)
}

// Open implements [remotefs.Backend].
func (f *Files) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	defer f.startAhead(ctx)()
	reply, err := f.call(ctx, "read", path, strconv.Itoa(maxContent))
	switch {
	case err == nil && reply[0] == succeeded && len(reply) == 3:
		info, err := infoOf(reply)
		if err != nil {
			return host.FileInfo{}, nil, err
		}
		return info, io.NopCloser(strings.NewReader(reply[2])), nil
	case err == nil, errors.Is(err, ErrEnded), errors.Is(err, errRefused):
		return f.Backend.Open(ctx, path)
	}
	return host.FileInfo{}, nil, err
}

// maxDigest is the maximum size of a file whose digest the process calculates: it handles one request at
// a time.
const maxDigest = 1 << 20

// Digest returns the SHA-256 of a regular file, and the info of the same file. If direct is set, no
// link above the path is followed. If the process cannot do that, Digest calls other.
func (f *Files) Digest(ctx context.Context, path string, direct bool,
	other func(ctx context.Context, path string) (host.FileInfo, [32]byte, error),
) (host.FileInfo, [32]byte, error) {
	can := f.digests.Load()
	defer f.startForMany(ctx)()
	if !can {
		return other(ctx, path)
	}
	reply, err := f.call(ctx, "digest", path, strconv.Itoa(maxDigest), flag(direct))
	switch {
	case err == nil && reply[0] == succeeded && len(reply) == 3 && len(reply[2]) == 32:
		info, err := infoOf(reply)
		return info, [32]byte([]byte(reply[2])), err
	case err == nil && reply[0] == absent:
		return host.FileInfo{}, [32]byte{}, fs.ErrNotExist
	case err == nil, errors.Is(err, ErrEnded), errors.Is(err, errRefused):
		return other(ctx, path)
	}
	return host.FileInfo{}, [32]byte{}, err
}

// removeTypes are the letters of the types that the process removes.
var removeTypes = map[host.FileType]string{host.TypeRegular: "f", host.TypeSymlink: "l"}

// RemoveOnly removes the object at path if it is of the wanted type, a regular file or a symbolic
// link. If the process cannot do that, or ends before it replies, RemoveOnly returns false without an error.
func (f *Files) RemoveOnly(ctx context.Context, path string, want host.FileType) (removed bool, err error) {
	letter, can := removeTypes[want]
	if !can {
		return false, nil
	}
	defer f.startForMany(ctx)()
	reply, err := f.callChange(ctx, "remove", path, letter)
	if errors.Is(err, ErrEnded) || errors.Is(err, errRefused) {
		return false, nil
	}
	return err == nil && reply[0] == succeeded, err
}

// afterLoss is [remotefs.AfterLoss] for the error of the process.
func afterLoss(lost, err error) error {
	if !errors.Is(lost, ErrEnded) {
		return err
	}
	return remotefs.AfterLoss(lost, err)
}

func flag(set bool) string {
	if set {
		return "1"
	}
	return ""
}

// stamp returns the size and modification time that a file must have, or an empty string for nil.
func stamp(s *host.FileStamp) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d %d", s.Size, s.ModTime)
}

// number returns a number in decimal, or an empty string for nil.
func number[N ~uint32](n *N) string {
	if n == nil {
		return ""
	}
	return strconv.FormatUint(uint64(*n), 10)
}

// infoOf returns the info in a reply.
func infoOf(reply []string) (host.FileInfo, error) {
	var mode, uid, gid uint32
	var size, modified int64
	if len(reply) < 2 {
		return host.FileInfo{}, fmt.Errorf("unexpected reply from the host's Perl process: %q", reply)
	}
	if _, err := fmt.Sscanf(reply[1], "%d %d %d %d %d", &mode, &size, &uid, &gid, &modified); err != nil {
		return host.FileInfo{}, fmt.Errorf("unexpected reply from the host's Perl process: %q", reply[1])
	}
	info := host.FileInfo{
		Type: host.StatType(mode), Mode: host.Mode(mode) & host.ModeMask, Size: size, UID: uid, GID: gid, ModTime: time.Unix(modified, 0),
	}
	if info.Type == host.TypeSymlink && len(reply) > 2 {
		info.LinkTarget = reply[2]
	}
	return info, nil
}
