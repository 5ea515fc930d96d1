package host

import (
	"context"
	"io"
)

// LocalName is the name of the host that the provider itself runs on.
const LocalName = "local"

// Host is one machine. See the package comment for what holds for all methods.
type Host interface {
	// Name is the host's name in messages: [LocalName] for this machine.
	Name() string

	Files
	Accounts
	Runner
}

// Files is the file system of a host.
type Files interface {
	// Lstat says what is at path, with the target if that is a link.
	Lstat(ctx context.Context, path string) (FileInfo, error)

	// Open reads a regular file. The info is that of the opened file, so that
	// the two belong together even while the file is being replaced. Anything
	// but a regular file is a [*TypeError], found without blocking and without
	// side effects. ctx governs the stream too: when it ends, Read fails.
	Open(ctx context.Context, path string) (FileInfo, io.ReadCloser, error)

	// ReadDir lists a directory without "." and "..", sorted by name.
	ReadDir(ctx context.Context, path string) ([]DirEntry, error)

	// WriteFile makes path a regular file with this content, in one step for
	// whoever looks: the content goes to a temporary file beside it, created
	// with mode 0600, which then gets its owner, its mode, a sync and the name.
	//
	// What was there must be a regular file ([*TypeError] otherwise) or nothing;
	// hard links to the old file keep the old content. [fs.ErrNotExist] means
	// that the directory is missing ([MakeParents] makes it). When content
	// ([*SourceError]) or the context fails, path is as it was and no temporary
	// file is left. When
	// the writer is killed, one may be left: the next WriteFile, Remove or
	// RemoveTemp of the same path removes it, and never one that another live
	// writer still fills. Writers of one path wait for each other a moment;
	// whatever their order, a reader sees one whole content.
	WriteFile(ctx context.Context, path string, content io.Reader, opts WriteOptions) (FileInfo, error)

	// RemoveTemp removes what a killed WriteFile or ReplaceSymlink of path left
	// behind. It is for callers that then find nothing to write: the others
	// do it on their way. Nothing there is no error.
	RemoveTemp(ctx context.Context, path string) error

	// Mkdir makes one directory. Anything already at path is [fs.ErrExist], a
	// missing parent [fs.ErrNotExist]. The mode is exact, whatever the umask
	// and the parent's setgid bit; nil is 0755.
	Mkdir(ctx context.Context, path string, attrs Attributes) (FileInfo, error)

	// Remove removes anything but a directory ([*TypeError]); see also Rmdir.
	// Absence is [fs.ErrNotExist].
	Remove(ctx context.Context, path string) error

	// Rmdir removes an empty directory; [ErrNotEmpty] when it is not.
	Rmdir(ctx context.Context, path string) error

	// Rename is rename(2): it moves within a file system, atomically, and
	// replaces a file at newPath, or a directory by a directory if empty.
	Rename(ctx context.Context, oldPath, newPath string) error

	// Link makes newPath another name of the file at oldPath; anything already
	// at newPath is [fs.ErrExist]. As WriteFile replaces files and never writes
	// into them, a link is a cheap and exact way to keep what it will replace.
	Link(ctx context.Context, oldPath, newPath string) error

	// Symlink makes path a symbolic link with exactly this target text, which
	// needs not exist. Anything already at path is [fs.ErrExist].
	Symlink(ctx context.Context, target, path string) (FileInfo, error)

	// ReplaceSymlink does the same, and replaces a link that is at path in one
	// step. Anything else there is a [*TypeError].
	ReplaceSymlink(ctx context.Context, target, path string) (FileInfo, error)

	// SetAttributes changes mode and owner of what is at path, in the order
	// that grants nobody more than both the old and the new state do, and keeps
	// setuid and setgid when Mode asks for them. Without Mode, a change of owner
	// may clear them, as chown(2) does. The owner of a link is that of the link
	// itself; Mode with a link is a [*TypeError].
	SetAttributes(ctx context.Context, path string, attrs Attributes) (FileInfo, error)
}

// Accounts is the user database of a host.
type Accounts interface {
	// LookupUser finds a user by name, or by number where no user has that
	// name, as chown(1) does. A number needs no entry: its Name is then empty.
	// A name that the host does not know is [ErrUnknownUser].
	LookupUser(ctx context.Context, nameOrID string) (User, error)

	// LookupGroup is the same for groups and [ErrUnknownGroup].
	LookupGroup(ctx context.Context, nameOrID string) (Group, error)
}

// User is an entry of the user database.
type User struct {
	Name string // empty when the number has no entry
	UID  uint32
	GID  uint32 // the primary group; meaningless when Name is empty
	Home string
}

// Group is an entry of the group database.
type Group struct {
	Name string // empty when the number has no entry
	GID  uint32
}

// Runner runs commands on a host.
type Runner interface {
	// Run runs a command to its end. A command that fails is not an error: its
	// exit code says so, 127 when it was not found and 126 when it could not be
	// executed, as in a POSIX shell, with the reason on Stderr. When ctx ends,
	// the command and what it started are killed and the error is the
	// context's. A command that is known not to have begun is a
	// [*NotStartedError].
	Run(ctx context.Context, cmd Command) (Result, error)
}

// Command is an argument vector and its surroundings. It never passes through
// a shell, unless Args names one.
type Command struct {
	Args   []string          // at least one; Args[0] is looked up in PATH when it has no slash
	Dir    string            // where to run; empty is the host's choice
	Env    map[string]string // added to the host's environment
	Stdin  io.Reader         // nil is empty
	Stdout io.Writer         // nil discards
	Stderr io.Writer         // nil discards
}

// Result is how a command ended.
type Result struct {
	ExitCode int    // 128 + the signal's number when a signal ended it
	Signal   string // the signal's name without SIG, as "TERM"; else empty
}

// WriteOptions say how [Files.WriteFile] treats the file around its content.
type WriteOptions struct {
	// Attributes that are nil are those of the file that is replaced; for a new
	// file, mode 0600 and the owner the host gives to new files. An owner that
	// can not be kept is an error, not a silent change.
	Attributes

	// Exclusive makes anything already at path [fs.ErrExist]. The check is one
	// step with the creation: of two exclusive writers exactly one succeeds.
	Exclusive bool

	// BeforeReplace, when set, is called with the temporary file complete,
	// with its final mode and owner, closed for writing and synced, just before
	// it takes the name. An error abandons the write and is returned in a
	// [*SourceError]. It must not write to the same path.
	BeforeReplace func(ctx context.Context, temp string) error

	// NoSync leaves out the sync before the rename: after a power failure the
	// file may be empty. It is for content that is cheap to write again.
	NoSync bool
}
