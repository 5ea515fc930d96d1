package remotefs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

var _ host.Files = (*Files)(nil)

// Files is the file system of one host. [New] makes one.
type Files struct {
	host    string
	backend Backend
	names   Names
	finder  Finder

	locks   lease.Locks
	trusted *TrustedDirs // nil unless operations are done as root
	left    leftovers
	skew    atomic.Pointer[time.Duration] // the host's clock minus the local clock; nil if unknown
}

// New returns the file system of a host; hostName is its name in errors. trusted is nil unless
// operations are done as root.
func New(hostName string, backend Backend, names Names, finder Finder, trusted *TrustedDirs) *Files {
	return &Files{
		host: hostName, backend: backend, names: names, finder: finder, trusted: trusted,
		left: leftovers{dirs: map[string]*directory{}, active: map[string]bool{}},
	}
}

// GracePeriod is how long completing or undoing a change may take once its context has
// ended, unless the backend has its own limit.
const GracePeriod = 10 * time.Second

// fail returns the error of an operation: nil for nil, err itself if it is a [*host.Error],
// and otherwise a new [*host.Error].
func (f *Files) fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := err.(*host.Error); done { //nolint:errorlint // a wrapped one can be an error of the caller
		return err
	}
	return &host.Error{Op: op, Host: f.host, Path: path, Err: f.backend.Cause(err)}
}

// check checks the context and path of an operation, and the links above the path.
func (f *Files) check(ctx context.Context, path string) error {
	return f.checkLinks(ctx, path, cmp.Or(ctx.Err(), host.CheckPath(path)))
}

// checkNew is check for an operation that creates an object at path.
func (f *Files) checkNew(ctx context.Context, path string) error {
	return f.checkLinks(ctx, path, cmp.Or(ctx.Err(), host.CheckTarget(path)))
}

// checkNewLink is checkNew for a symbolic link with this target.
func (f *Files) checkNewLink(ctx context.Context, target, path string) error {
	return f.checkLinks(ctx, path, cmp.Or(ctx.Err(), host.CheckTarget(path), host.CheckLinkTarget(target)))
}

// checkLinks checks the links above path if err, the result of the checks that need no request, is nil.
// Otherwise it returns err.
func (f *Files) checkLinks(ctx context.Context, path string, err error) error {
	if err == nil {
		_, err = f.ResolveParent(ctx, path)
	}
	return err
}

// Label adds the names of the owner and the group to info.
func Label(ctx context.Context, names Names, info *host.FileInfo) (err error) {
	if info.Owner, err = names.UserName(ctx, info.UID); err != nil {
		return err
	}
	info.Group, err = names.GroupName(ctx, info.GID)
	return err
}

// changeObject runs an operation that changes the object at path, and returns its new info. It
// looks up the names of a new owner before the change, because it is too late to fail afterwards:
// if a lookup fails then, the info has the IDs, because an error would hide that the change was
// made.
func (f *Files) changeObject(ctx context.Context, op, path string, attrs host.Attributes, do func() (host.FileInfo, error)) (host.FileInfo, error) {
	err := attrs.Check()
	if err == nil {
		var owner host.FileInfo
		if attrs.UID != nil {
			owner.UID = *attrs.UID
		}
		if attrs.GID != nil {
			owner.GID = *attrs.GID
		}
		err = Label(ctx, f.names, &owner)
	}
	var info host.FileInfo
	if err == nil {
		info, err = do()
	}
	if err == nil {
		ctx, cancel := graceperiod.With(ctx, GracePeriod)
		defer cancel()
		if Label(ctx, f.names, &info) != nil {
			info.Owner, info.Group = host.FormatID(info.UID), host.FormatID(info.GID)
		}
	}
	if err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	info.Path = path
	return info, nil
}

// Lstat implements [host.Files].
func (f *Files) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	info, err := host.FileInfo{}, f.check(ctx, path)
	if err == nil {
		info, err = f.backend.Lstat(ctx, path)
	}
	if err == nil {
		err = Label(ctx, f.names, &info)
	}
	if err != nil {
		return host.FileInfo{}, f.fail("stat", path, err)
	}
	info.Path = path
	return info, nil
}

// Open implements [host.Files].
func (f *Files) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	if err := f.check(ctx, path); err != nil {
		return host.FileInfo{}, nil, f.fail("read", path, err)
	}
	info, content, err := f.backend.Open(ctx, path)
	if err != nil {
		return host.FileInfo{}, nil, f.fail("read", path, err)
	}
	if err := Label(ctx, f.names, &info); err != nil {
		_ = content.Close() // content is not used
		return host.FileInfo{}, nil, f.fail("read", path, err)
	}
	info.Path = path
	return info, &reader{f, ctx, path, content}, nil
}

// reader adds the operation, the host and the path to errors.
type reader struct {
	files   *Files
	ctx     context.Context //nolint:containedctx // Read must fail once the context of Open is done
	path    string
	content io.ReadCloser
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, r.files.fail("read", r.path, err)
	}
	n, err := r.content.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader returns io.EOF unwrapped
		err = r.files.fail("read", r.path, err)
	}
	return n, err
}

func (r *reader) Close() error { return r.files.fail("close", r.path, r.content.Close()) }

// ReadDir implements [host.Files].
func (f *Files) ReadDir(ctx context.Context, path string) (entries []host.DirEntry, err error) {
	if err = f.check(ctx, path); err == nil {
		entries, err = f.backend.ReadDir(ctx, path)
	}
	return entries, f.fail("list", path, err)
}

// Mkdir implements [host.Files].
func (f *Files) Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error) {
	const op = "make directory"
	if err := f.checkNew(ctx, path); err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	return f.changeObject(ctx, op, path, attrs, func() (host.FileInfo, error) { return f.backend.Mkdir(ctx, path, DirAttributes(attrs)) })
}

// DirAttributes returns the attributes of a new directory, which always have a mode.
func DirAttributes(attrs host.Attributes) host.Attributes {
	attrs.Mode = cmp.Or(attrs.Mode, new(host.Mode(0o755)))
	return attrs
}

// Remove implements [host.Files].
func (f *Files) Remove(ctx context.Context, path string) error {
	err := f.check(ctx, path)
	if err == nil {
		tidy := f.tidying(ctx, path)
		err = f.backend.Remove(ctx, path)
		tidy(err == nil || errors.Is(err, fs.ErrNotExist))
	}
	return f.fail("remove", path, err)
}

// RemoveTemp implements [host.Files].
func (f *Files) RemoveTemp(ctx context.Context, path string) error {
	err := f.check(ctx, path)
	if err == nil {
		f.tidying(ctx, path)(true)
		err = ctx.Err()
	}
	return f.fail("remove the temporary file of", path, err)
}

// Rmdir implements [host.Files].
func (f *Files) Rmdir(ctx context.Context, path string) error {
	err := f.check(ctx, path)
	if err == nil {
		err = f.backend.Rmdir(ctx, path)
		f.trusted.forget(path)
	}
	if err == nil {
		f.left.forget(path)
	}
	return f.fail("remove directory", path, err)
}

// Rename implements [host.Files].
func (f *Files) Rename(ctx context.Context, oldPath, newPath string) error {
	return f.onTwoPaths(ctx, "rename", oldPath, newPath, func() error {
		err := f.backend.Rename(ctx, oldPath, newPath)
		f.trusted.forget(oldPath)
		f.trusted.forget(newPath)
		if err == nil {
			f.left.moved(oldPath, newPath)
		}
		return err
	})
}

// Link implements [host.Files].
func (f *Files) Link(ctx context.Context, oldPath, newPath string) error {
	return f.onTwoPaths(ctx, "link", oldPath, newPath, func() error {
		err := f.backend.Link(ctx, oldPath, newPath)
		if err == nil {
			f.left.made(newPath)
		}
		return err
	})
}

// onTwoPaths runs an operation on oldPath whose result is at newPath.
func (f *Files) onTwoPaths(ctx context.Context, op, oldPath, newPath string, do func() error) error {
	if err := f.check(ctx, oldPath); err != nil {
		return f.fail(op, oldPath, err)
	}
	err := f.check(ctx, newPath)
	if err == nil {
		err = do()
	}
	if old, is := err.(*OldPathError); is { //nolint:errorlint // only the outermost error matters
		return f.fail(op, oldPath, old.Err)
	}
	return f.fail(op+" "+host.QuotePath(oldPath)+" to", newPath, err)
}

// Symlink implements [host.Files].
func (f *Files) Symlink(ctx context.Context, target, path string) (host.FileInfo, error) {
	const op = "make link"
	if err := f.checkNewLink(ctx, target, path); err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	return f.changeObject(ctx, op, path, host.Attributes{}, func() (host.FileInfo, error) { return f.backend.Symlink(ctx, target, path) })
}

// ReplaceSymlink implements [host.Files].
func (f *Files) ReplaceSymlink(ctx context.Context, target, path string, was *string) (host.FileInfo, error) {
	const op = "make link"
	if err := f.checkNewLink(ctx, target, path); err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	return f.changeObject(ctx, op, path, host.Attributes{}, func() (info host.FileInfo, err error) {
		tidy := f.tidying(ctx, path)
		defer func() { tidy(err == nil) }()
		release, err := f.locks.Lock(ctx, path)
		if err != nil {
			return host.FileInfo{}, err
		}
		defer release()
		temp := f.newTemp(path)
		info, gone, err := f.backend.ReplaceSymlink(ctx, target, temp, path, was)
		f.left.end(temp, gone)
		return info, err
	})
}

// SetAttributes implements [host.Files].
func (f *Files) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	const op = "set mode and owner of"
	if err := f.check(ctx, path); err != nil {
		return host.FileInfo{}, f.fail(op, path, err)
	}
	return f.changeObject(ctx, op, path, attrs, func() (host.FileInfo, error) {
		info, err := f.backend.SetAttributes(ctx, path, want, attrs)
		if err != nil || info.Type == host.TypeDirectory {
			f.trusted.forget(path)
		}
		return info, err
	})
}

var _ host.ParentMaker = (*Files)(nil)

// DirMaker is a [Backend] that can create many directories in one step.
type DirMaker interface {
	// MakeDirs creates the directories, each the parent of the next, unless they exist. It
	// returns those that it created, even with an error. An error about a directory is a
	// [*DirError].
	MakeDirs(ctx context.Context, dirs []string, attrs host.Attributes) (made []string, err error)
}

// DirError is the error of one of several directories that were to be created.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DirError) Unwrap() error { return e.Err }

// MakeParents implements [host.ParentMaker].
func (f *Files) MakeParents(ctx context.Context, target string, attrs host.Attributes) (made []string, err error) {
	const op = "make parents of"
	if err = f.check(ctx, target); err == nil {
		err = attrs.Check()
	}
	if err != nil {
		return nil, f.fail(op, target, err)
	}
	maker, ok := f.backend.(DirMaker)
	if !ok {
		return host.MakeDirs(ctx, f, path.Dir(target), attrs)
	}
	var dirs []string
	for dir := path.Dir(target); dir != "/"; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs) // the outermost first
	if len(dirs) > 0 {
		made, err = maker.MakeDirs(ctx, dirs, DirAttributes(attrs))
	}
	if dir, is := err.(*DirError); is { //nolint:errorlint // only the outermost error matters
		return made, f.fail("make directory", dir.Dir, dir.Err)
	}
	return made, f.fail(op, target, err)
}
