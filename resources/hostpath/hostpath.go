// Package hostpath has operations on paths that several resource types need: creating
// parent directories, removing objects, and adding remedies to errors.
//
// Invariants: an object of an unexpected type is not followed, and only RemoveOther removes it.
//
// Elsewhere: package host has the operations of a host.
package hostpath

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type recorderKey struct{}

// WithRecorder returns a context with which [InDirectory] does not create missing directories itself, but calls
// record with a function that creates them and returns their paths. record must call this function once.
func WithRecorder(ctx context.Context, record func(create func() []string)) context.Context {
	return context.WithValue(ctx, recorderKey{}, record)
}

// InDirectory runs the function do, which needs the directory of a path. If the directory is missing
// and parents is set, the directory is created with its parents, and do runs again.
func InDirectory(ctx context.Context, h host.Host, at address.Path, parents bool, do func() error) error {
	err := do()
	remedy := "create it first, or set parents = true"
	if parents {
		remedy = "create it first"
		if errors.Is(err, fs.ErrNotExist) {
			create := func() (made []string) {
				made, err = host.MakeParents(ctx, h, string(at), host.Attributes{Mode: new(host.Mode(0o755))})
				return made
			}
			if record, ok := ctx.Value(recorderKey{}).(func(func() []string)); ok {
				record(create)
			} else {
				create()
			}
			if err == nil {
				err = do()
			} else {
				err = withRemedy(h, err)
			}
		}
	}
	return NoDirectory(ctx, h, at, err, remedy)
}

// NoDirectory returns the error of an operation on a path. To an error for a missing object, it
// adds the cause and a remedy. The cause is a missing directory of the path, an object where a
// directory is needed, a link that leads back to itself, or a file system that does not allow new
// objects. The argument remedy is the remedy for a missing directory. For a link that leads back to
// itself, the returned error is about [syscall.ELOOP] instead of the missing object.
func NoDirectory(ctx context.Context, h host.Host, at address.Path, err error, remedy string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := path.Dir(string(at))
	above, info := nearest(ctx, h, dir)
	where, wrong := "", errors.Is(err, host.ErrParentNotDirectory)
	switch {
	case info.Type == host.TypeSymlink:
		where = fmt.Sprintf("%s is a symbolic link to %s", host.QuotePath(above), host.QuotePath(info.LinkTarget))
	case above != "" && info.Type != host.TypeDirectory:
		where, wrong = fmt.Sprintf("%s is a %s", host.QuotePath(above), info.Type), true
	}
	switch {
	case info.Type == host.TypeSymlink && loops(ctx, h, above, info):
		// SFTP reports such a link as a missing file.
		cause := error(syscall.ELOOP)
		if failed, ok := errors.AsType[*host.Error](err); ok {
			cause = &host.Error{Op: failed.Op, Host: failed.Host, Path: failed.Path, Err: cause}
		}
		return fmt.Errorf("%w. On host %s, %s, which leads back to itself: correct or remove the link, or change the path", cause, h.Name(), where)
	case above == dir && info.Type == host.TypeDirectory:
		return fmt.Errorf("%w. The directory %s exists on host %s, but its file system does not allow new objects in it: choose another path", err, host.QuotePath(dir), h.Name())
	case where == "":
		return fmt.Errorf("%w. The directory %s does not exist on host %s: %s", err, host.QuotePath(dir), h.Name(), remedy)
	case wrong:
		return fmt.Errorf("%w. On host %s, %s where a directory is needed: move it away, or change the path", err, h.Name(), where)
	default: // the link is dangling, or its target lacks the rest of the path
		return fmt.Errorf("%w. The directory %s does not exist on host %s, where %s: %s", err, host.QuotePath(dir), h.Name(), where, remedy)
	}
}

// nearest returns the first of dir and its parents that exists, or an empty path if an error
// prevents finding it.
func nearest(ctx context.Context, h host.Host, dir string) (string, host.FileInfo) {
	for ; ; dir = path.Dir(dir) {
		switch info, err := h.Lstat(ctx, dir); {
		case err == nil:
			return dir, info
		case dir == "/" || !errors.Is(err, fs.ErrNotExist):
			return "", host.FileInfo{}
		}
	}
}

// loops reports whether the links that start with the link at a path form or lead to a cycle.
func loops(ctx context.Context, h host.Host, at string, link host.FileInfo) bool {
	seen := map[string]bool{}
	for link.Type == host.TypeSymlink {
		if seen[at] {
			return true
		}
		seen[at] = true
		target := link.LinkTarget
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(at), target)
		}
		at = path.Clean(target)
		var err error
		if link, err = h.Lstat(ctx, at); err != nil {
			return false
		}
	}
	return false
}

// Lstat returns the object at a path, and a [*WrongTypeError] if the object is not of type kind.
func Lstat(ctx context.Context, h host.Host, at address.Path, kind host.FileType) (host.FileInfo, error) {
	info, err := h.Lstat(ctx, string(at))
	if err == nil && info.Type != kind {
		err = WrongType(h, at, kind, info.Type)
	}
	return info, err
}

// Remove removes the object of type kind at a path, and temporary files of a killed
// writer. A missing object is not an error. An object of another type is a [*WrongTypeError].
func Remove(ctx context.Context, h host.Host, at address.Path, kind host.FileType) error {
	err := host.RemoveOnly(ctx, h, string(at), kind)
	if errors.Is(err, fs.ErrNotExist) {
		err = h.RemoveTemp(ctx, string(at))
	}
	return Explain(h, at, kind, err)
}

// Explain returns err with the remedy, if one is known. The resource manages an object of type want
// at path; a [*host.TypeError] about this path, or about no path, becomes a [*WrongTypeError].
func Explain(h host.Host, path address.Path, want host.FileType, err error) error {
	if wrong, ok := errors.AsType[*host.TypeError](err); ok {
		if of, named := errors.AsType[*host.Error](err); !named || of.Path == string(path) {
			return WrongType(h, path, want, wrong.Got)
		}
	}
	return withRemedy(h, err)
}

// explainedError is an error whose text has the remedy.
type explainedError struct{ error }

// Unwrap returns the error without the remedy.
func (e explainedError) Unwrap() error { return errors.Unwrap(e.error) }

// withRemedy returns err with the remedy, if one is known and err does not have it yet.
func withRemedy(h host.Host, err error) error {
	if _, done := errors.AsType[explainedError](err); done {
		return err
	}
	user := otherUser
	switch {
	case host.RunsAsRoot(h):
		user = rootUser
	case h.Name() == host.LocalName:
		user = localUser
	}
	for _, r := range remedies {
		if errors.Is(err, r.cause) && (r.user == anyUser || r.user == user) {
			return explainedError{fmt.Errorf("%w. "+r.text, err, h.Name())}
		}
	}
	return err
}

// CallerError returns the error of a reader or of a BeforeReplace function that made
// [host.Host.WriteFile] fail, without the prefix of the host. Other errors are returned as
// they are.
func CallerError(err error) error {
	if wrapped, ok := err.(*host.Error); ok { //nolint:errorlint // As would drop the errors around it
		if source, ok := wrapped.Err.(*host.SourceError); ok { //nolint:errorlint // as above
			return source.Err
		}
	}
	return err
}

// remedies are the remedies for errors of a host's operating system; the first match is used.
// Each has a formatting verb for the name of the host.
var remedies = []struct {
	cause error
	text  string
	user  user
}{
	{syscall.ENOSPC, "The file system on host %s is full: free space or inodes and apply again", anyUser},
	{syscall.EDQUOT, "On host %s, the disk quota of the user the provider runs as, or of the owner, is exceeded: free space or raise the quota, and apply again", anyUser},
	{syscall.EROFS, "The file system on host %s is mounted read-only: mount it writable, or choose a path on another file system", anyUser},
	{syscall.ENAMETOOLONG, "The name is too long for the file system on host %s: choose a shorter path", anyUser},
	{fs.ErrPermission, "On host %s, the user the provider runs as lacks permission: connect as another user, or grant this user the permission. " +
		"With sudo = {} for the host in the provider's configuration, the provider runs as root. " + permissionRequirements, otherUser},
	{fs.ErrPermission, "On host %s, the user who runs Terraform lacks permission: run Terraform as root, or grant the permission. " + permissionRequirements, localUser},
	{fs.ErrPermission, "On host %s, the provider runs as root, so the cause is not a lack of permission: the object or its directory may be immutable (see lsattr and chattr), " +
		"or its file system or a security module denies the access (see mount, and the log of the kernel)", rootUser},
}

// user is the kind of user that the provider runs as on a host.
type user int

const (
	anyUser   user = iota
	rootUser       // on any host
	localUser      // another user on the host local
	otherUser      // another user on a host over SSH
)

const permissionRequirements = "Creating, replacing or removing an object requires write permission on its directory; " +
	"changing its mode or group requires its owner or root, and changing its owner requires root; immutable files cannot be changed (see lsattr)"

// WrongTypeError is the error of an operation on a path that has an object of a type that the
// resource does not manage. Nothing was changed. Package lifecycle handles the error as drift: a
// read counts the managed object as deleted, and a delete keeps the other object.
type WrongTypeError struct {
	Host string
	Path string
	Want host.FileType
	Got  host.FileType // TypeUnknown if the host does not report it
	// Remedy describes what to do before the next apply.
	Remedy string
}

func (e *WrongTypeError) Error() string {
	return e.Found() + ". It is neither followed nor replaced: " + e.Remedy
}

// Found returns a sentence about the object at the path, without a period.
func (e *WrongTypeError) Found() string {
	at := fmt.Sprintf("%s on host %s is ", host.QuotePath(e.Path), e.Host)
	if e.Got == host.TypeUnknown {
		return at + "not a " + e.Want.String()
	}
	return at + "a " + e.Got.String() + ", but this resource manages a " + e.Want.String()
}

// WrongType returns the error for an object of type got at a path at which a resource manages
// an object of type want.
func WrongType(h host.Host, at address.Path, want, got host.FileType) error {
	remedy := "move it away and apply again, or choose another path"
	if manager, ok := managers[got]; ok {
		remedy = "move it away and apply again, choose another path, or manage it with " + manager
	}
	return &WrongTypeError{Host: h.Name(), Path: string(at), Want: want, Got: got, Remedy: remedy}
}

// managers are the resource types that manage objects of a type.
var managers = map[host.FileType]string{
	host.TypeRegular:   "posix_file",
	host.TypeDirectory: "posix_directory",
	host.TypeSymlink:   "posix_symlink",
}

// PlanRemoveOther warns that a create will remove the object, as [RemoveOther] does, or returns the
// error of RemoveOther for a directory that is not empty. The warning is about the attribute that
// allows the removal.
func PlanRemoveOther(ctx context.Context, h host.Host, at address.Path, want, got host.FileType, attribute string) error {
	if got == host.TypeDirectory {
		entries, err := h.ReadDir(ctx, string(at))
		if len(entries) > 0 {
			err = notEmpty(h, at, want)
		}
		if err != nil {
			return err
		}
	}
	runtime.Warn(ctx, attribute, "Existing object will be replaced", fmt.Sprintf("%s on host %s is a %s, which will be removed.", at, h.Name(), got))
	return nil
}

// RemoveOther removes an object of type got, so that one of type want can be created at the
// path. RemoveOther keeps the object and returns an error if the object is a directory that is not
// empty, or is not of type got. A missing object is not an error.
func RemoveOther(ctx context.Context, h host.Host, at address.Path, want, got host.FileType) error {
	var err error
	if got == host.TypeDirectory {
		err = h.Rmdir(ctx, string(at))
	} else {
		err = host.RemoveOnly(ctx, h, string(at), got)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, host.ErrNotEmpty):
		return notEmpty(h, at, want)
	}
	return err
}

func notEmpty(h host.Host, at address.Path, want host.FileType) error {
	return &WrongTypeError{
		Host: h.Name(), Path: string(at), Want: want, Got: host.TypeDirectory,
		Remedy: "overwrite does not remove a directory that is not empty. Move it away and apply again, or choose another path",
	}
}
