package remotefs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/posixform/terraform-provider-posix/host"
)

// Backend implements [host.Files] in single steps, each safe on its own. Paths and
// attributes have been checked. A FileInfo needs no owner names, and errors need no
// operation, host or path.
//
// If the connection breaks, the backend repeats operations that have no effect or are
// idempotent.
type Backend interface {
	Lstat(ctx context.Context, path string) (host.FileInfo, error)
	// Open returns the info and the content of a file. Read does not block once ctx is done.
	Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error)
	ReadDir(ctx context.Context, path string) ([]host.DirEntry, error)
	// Mkdir creates a directory with exactly these attributes, or no directory.
	Mkdir(ctx context.Context, path string, attrs host.Attributes) (host.FileInfo, error)
	Remove(ctx context.Context, path string) error
	Rmdir(ctx context.Context, path string) error
	// Rename and Link wrap an error that is about oldPath in an [OldPathError].
	Rename(ctx context.Context, oldPath, newPath string) error
	Link(ctx context.Context, oldPath, newPath string) error
	Symlink(ctx context.Context, target, path string) (host.FileInfo, error)
	// ReplaceSymlink creates the link at temp and renames it. gone reports whether temp
	// no longer exists.
	ReplaceSymlink(ctx context.Context, target, temp, path string, was *string) (info host.FileInfo, gone bool, err error)
	SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error)
	// WriteFile writes a temporary file at the path that [Write.NewTemp] returns, and renames it.
	WriteFile(ctx context.Context, w *Write) (host.FileInfo, error)

	// LstatAll is Lstat of several paths in one step. The targets of links may be omitted.
	LstatAll(ctx context.Context, paths []string) ([]Result, error)
	// RemoveAll removes files and ignores those that it cannot remove.
	RemoveAll(ctx context.Context, paths []string) error
	// Cause maps an error of the backend to an error of package host.
	Cause(err error) error
}

// Result is the object at one of several paths, or an error.
type Result struct {
	host.FileInfo
	Err error
}

// Finder finds temporary files.
type Finder interface {
	// Leftovers returns the names in a directory that have the form of [host.TempPath]. If the
	// directory does not exist or is not readable, the list is empty, possibly with an error.
	Leftovers(ctx context.Context, dir string) ([]string, error)
}

// Names looks up the names of users and groups.
type Names interface {
	// UserName returns the name of a user, or the UID in decimal if it has none. An error
	// means that the lookup failed.
	UserName(ctx context.Context, uid uint32) (string, error)
	// GroupName returns the name of a group, or the GID in decimal if it has none.
	GroupName(ctx context.Context, gid uint32) (string, error)
}

// RequiredTarget converts was, an argument of [host.Files.ReplaceSymlink], to an argument for a program
// on the host: the target after an equals sign, or an empty string for nil.
func RequiredTarget(was *string) string {
	if was == nil {
		return ""
	}
	return "=" + *was
}

// OldPathError marks an error as one about the old path of a rename or link.
type OldPathError struct{ Err error }

func (e *OldPathError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *OldPathError) Unwrap() error { return e.Err }

// ErrTempGone means that another process removed a temporary file before it was renamed.
var ErrTempGone = errors.New("the temporary file was removed by another process before it was renamed: apply again")

// ErrReplaced means that each attempt to open a file opened an object other than the one at
// the path before and after, for example because another user replaces the file with a link.
var ErrReplaced = errors.New("the file was replaced each time it was opened: run the plan or apply again when no program replaces it")

// OpenAttempts limits the attempts to open a file that is being replaced.
const OpenAttempts = 50

// AfterLoss returns the error of a change whose last attempt failed with err. If there was no
// connection for that attempt, the result matches lost, the error of the previous attempt,
// whose outcome is unknown. lost may be nil.
func AfterLoss(lost, err error) error {
	if lost == nil || !errors.Is(err, host.ErrUnreachable) && !errors.Is(err, host.ErrRefused) {
		return err
	}
	return fmt.Errorf("%w; connecting again failed: %v", lost, err) //nolint:errorlint // must not match err, which means that no operation was started
}
