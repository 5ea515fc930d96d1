package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LocalName is the name of the host that the provider itself runs on.
const LocalName = "local"

// Host is one POSIX host. The package comment lists the guarantees of all methods.
type Host interface {
	// Name returns the host's name in messages: [LocalName] for the host that the
	// provider runs on.
	Name() string

	Files
	Accounts
	Runner
}

// Files is the file system of a host.
type Files interface {
	// Lstat returns information about path. For a symbolic link, it describes the
	// link itself, with LinkTarget.
	Lstat(ctx context.Context, path string) (FileInfo, error)

	// Open opens a regular file for reading. The FileInfo is that of the opened file, even
	// if path is replaced at the same time. Any other type is a [*TypeError]; it is
	// detected without blocking and without side effects. Read fails once ctx is done.
	Open(ctx context.Context, path string) (FileInfo, io.ReadCloser, error)

	// ReadDir lists a directory without "." and "..", sorted by name.
	ReadDir(ctx context.Context, path string) ([]DirEntry, error)

	// WriteFile atomically creates or replaces a regular file: the content is written
	// to a temporary file in the same directory, created with mode 0600, which then
	// gets its owner and mode, is synced and renamed.
	//
	// An existing path must be a regular file ([*TypeError] otherwise); hard links to
	// the old file keep the old content. [fs.ErrNotExist] means that the directory is
	// missing ([MakeParents] creates it). If content ([*SourceError]) or the context
	// fails, path is unchanged and no temporary file is left. If the writer is killed,
	// one may be left: the next WriteFile, Remove or RemoveTemp of the same path
	// removes it, but never one that another writer is still filling. Writers of one
	// path wait for each other for a short time; a reader always sees one complete
	// content. An implementation that would have to list the directory may keep the file of
	// a killed writer that waited for another writer and then used a different name.
	WriteFile(ctx context.Context, path string, content io.Reader, opts WriteOptions) (FileInfo, error)

	// RemoveTemp removes temporary files that a killed WriteFile or ReplaceSymlink of path
	// left, with the exception that WriteFile describes. It is not an error if there are
	// none. Remove also removes them; WriteFile and ReplaceSymlink remove at least those of
	// the same method.
	RemoveTemp(ctx context.Context, path string) error

	// Mkdir creates one directory. An existing path is [fs.ErrExist], a missing parent
	// [fs.ErrNotExist]. The mode is exact, independent of the umask and the parent's
	// setgid bit; nil is 0755.
	Mkdir(ctx context.Context, path string, attrs Attributes) (FileInfo, error)

	// Remove removes anything but a directory, which is a [*TypeError] (use Rmdir). If path
	// does not exist, the error is [fs.ErrNotExist].
	Remove(ctx context.Context, path string) error

	// Rmdir removes an empty directory; [ErrNotEmpty] if it is not empty.
	Rmdir(ctx context.Context, path string) error

	// Rename is rename(2): it moves within a file system, atomically, and replaces a file
	// at newPath, or an empty directory with a directory.
	Rename(ctx context.Context, oldPath, newPath string) error

	// Link makes newPath a hard link to oldPath; an existing newPath is [fs.ErrExist].
	// WriteFile replaces files and never modifies them in place, so a hard link is a cheap
	// backup of a file that is about to be replaced.
	Link(ctx context.Context, oldPath, newPath string) error

	// Symlink creates a symbolic link with exactly this target, which need not exist.
	// An existing path is [fs.ErrExist].
	Symlink(ctx context.Context, target, path string) (FileInfo, error)

	// ReplaceSymlink is Symlink, but atomically replaces an existing link. Anything else
	// at path is a [*TypeError]. If was is not nil, a link with target is kept, and one with
	// neither that target nor was is a [*TargetError].
	ReplaceSymlink(ctx context.Context, target, path string, was *string) (FileInfo, error)

	// SetAttributes changes the mode and owner of path. An object that is not of type want is a
	// [*TypeError]; [TypeUnknown] stands for any type. Attributes that the object already has need
	// no permission. No intermediate state grants a user more than the old and the new state both
	// do. Setuid and setgid are kept if Mode has them; without Mode, a change of owner may clear
	// them, as chown(2) does. For a symbolic link, the owner of the link itself is changed, and
	// Mode is a [*TypeError].
	SetAttributes(ctx context.Context, path string, want FileType, attrs Attributes) (FileInfo, error)
}

// Accounts is the user database of a host.
type Accounts interface {
	// LookupUser returns a user by name, or by UID if no user has that name, as chown(1)
	// does. A UID without an entry returns a User with an empty Name. An unknown name is
	// [ErrUnknownUser].
	LookupUser(ctx context.Context, nameOrID string) (User, error)

	// LookupGroup is LookupUser for groups; an unknown name is [ErrUnknownGroup].
	LookupGroup(ctx context.Context, nameOrID string) (Group, error)
}

// ParseID parses a UID or GID as chown(1) does. The highest number, which chown(2) reads
// as "unchanged", is not an ID.
func ParseID(s string) (id uint32, ok bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n != 1<<32-1
}

// FormatID is the inverse of [ParseID].
func FormatID(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// User is an entry of the user database.
type User struct {
	Name string // empty if the UID has no entry
	UID  uint32
	GID  uint32 // the primary group; meaningless if Name is empty
	Home string
}

// Group is an entry of the group database.
type Group struct {
	Name string // empty if the GID has no entry
	GID  uint32
}

// Runner runs commands on a host.
type Runner interface {
	// Run runs a command until it exits. A command that fails is not an error: Result has
	// its exit code, which is 127 if the command was not found and 126 if it could not be
	// executed, as in a POSIX shell, with the reason on Stderr. When ctx ends, the command
	// and the processes that it started are killed, and the error is the context's. Processes
	// that left its process group may survive. If the command certainly did not start, the
	// error is a [*NotStartedError].
	Run(ctx context.Context, cmd Command) (Result, error)
}

// Command is a program with its arguments, environment and streams. No shell
// interprets it, unless Args names one.
type Command struct {
	Args   []string          // at least one; Args[0] without a slash is looked up in PATH, that of Env if it is set there
	Dir    string            // working directory; empty: chosen by the host
	Env    map[string]string // added to the host's environment
	Stdin  io.Reader         // nil is empty input
	Stdout io.Writer         // nil discards
	Stderr io.Writer         // nil discards
}

// Check returns an error if the command is empty, an argument or the value of a variable has a
// NUL byte, or the name of a variable or Dir is invalid.
func (c *Command) Check() error {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return errors.New("the command is empty")
	}
	if slices.ContainsFunc(c.Args, func(arg string) bool { return strings.IndexByte(arg, 0) >= 0 }) {
		return errors.New("an argument contains a NUL byte")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("environment: %q is not a valid variable name", name)
		}
		if strings.IndexByte(c.Env[name], 0) >= 0 {
			return fmt.Errorf("environment: the value of %s contains a NUL byte", name)
		}
	}
	if c.Dir == "" {
		return nil
	}
	return CheckPath(c.Dir)
}

// Result is the outcome of a command.
type Result struct {
	ExitCode int    // 128 + the signal number if the command was killed by a signal
	Signal   string // signal name without SIG, such as "TERM"; empty if none
}

// WriteOptions are the options of [Files.WriteFile].
type WriteOptions struct {
	// Attributes of the file. A nil field keeps the value of the replaced file; a new file
	// gets mode 0600 and the owner that the host assigns. An owner that cannot be kept is
	// an error.
	Attributes

	// Exclusive makes the write fail with [fs.ErrExist] if path exists. The check and
	// the creation are one step: of two exclusive writers exactly one succeeds.
	Exclusive bool

	// Unchanged, if set, makes the write fail with [ErrChanged], and keeps the existing file, if
	// its size or modification time differs: it has changed since the caller read it. A missing
	// file is created. The check takes no additional round trip, except on a host with only a
	// shell if the content is large or BeforeReplace is set.
	Unchanged *FileStamp

	// BeforeReplace, if set, is called before the rename with the path of the temporary
	// file, which is complete and closed, has its final mode and owner, and is synced unless NoSync
	// is set. An error abandons the write and is returned in a [*SourceError]. BeforeReplace must
	// not write to the same path.
	BeforeReplace func(ctx context.Context, temp string) error

	// NoSync omits the sync before the rename: after a power failure the file may be
	// empty. It is for content that is cheap to write again.
	NoSync bool
}

// FileStamp distinguishes versions of a file without reading it. Two versions of the same size
// that were written in the same second have the same stamp.
//
// Modification times are compared modulo 2^32, because SFTP has only 32 bits for them: a time
// outside of 1970 to 2106 differs between SFTP and a shell.
type FileStamp struct {
	Size    int64 // a negative size is any size
	ModTime int64 // in seconds since 1970, because some hosts do not report fractions
}

// CheckUnchanged returns [ErrChanged] if the existing file does not have the stamp Unchanged.
func (o *WriteOptions) CheckUnchanged(at FileInfo) error {
	want := o.Unchanged
	if want == nil || (want.ModTime-at.ModTime.Unix())%(1<<32) == 0 && (want.Size < 0 || want.Size == at.Size) {
		return nil
	}
	return ErrChanged
}

// CheckOldTarget applies the argument was of [Files.ReplaceSymlink] to a link with the target now. It
// reports whether the link is kept, or returns a [*TargetError].
func CheckOldTarget(now, target string, was *string) (kept bool, err error) {
	switch {
	case was == nil:
		return false, nil
	case now == target:
		return true, nil
	case now != *was:
		return false, &TargetError{Got: now}
	}
	return false, nil
}

// UndoTimeout is how long a resource may take to revert a change that failed, or to find
// out which effects the change had. It is long enough for mounting a file system over a network.
const UndoTimeout = 2 * time.Minute

type connectOnceKey struct{}

// WithConnectOnce returns a context with which a failed connection attempt is not retried: for
// callers that have their own retries and report each failure.
func WithConnectOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, connectOnceKey{}, true)
}

// ConnectsOnce reports whether ctx was made by [WithConnectOnce] or derives from such a context.
func ConnectsOnce(ctx context.Context) bool { return ctx.Value(connectOnceKey{}) != nil }

// WithoutCancel returns a context that has the values of ctx, but ends only after timeout or when
// the returned function is called. It is for steps that must run although ctx has ended, such as
// undoing a step that failed.
func WithoutCancel(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), timeout)
}

// Sleep waits for d. If ctx ends first, it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
