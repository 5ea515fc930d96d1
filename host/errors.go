package host

import (
	"cmp"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors that an [*Error] can wrap, in addition to [fs.ErrNotExist], [fs.ErrExist],
// [fs.ErrPermission], the context's errors and errno values.
var (
	ErrNotRegular   = errors.New("not a regular file")
	ErrNotDirectory = errors.New("not a directory")
	ErrNotSymlink   = errors.New("not a symbolic link")
	ErrIsDirectory  = errors.New("is a directory")
	ErrIsSymlink    = errors.New("is a symbolic link")
	ErrNotEmpty     = errors.New("directory is not empty")
	ErrUnknownUser  = errors.New("unknown user")
	ErrUnknownGroup = errors.New("unknown group")
	ErrInvalidPath  = errors.New("invalid path")

	// ErrChanged means that the file is not the version that [WriteOptions].Unchanged requires.
	ErrChanged = errors.New("the file has changed since it was read")

	// ErrUnreachable means that there is no connection to the host. No operation was
	// started on it.
	ErrUnreachable = errors.New("not reachable")

	// ErrRefused means that no connection is possible and retrying does not help: host key
	// verification or authentication failed, sudo rejected the provider, or a key or the
	// ProxyCommand cannot be used. No operation was started on the host.
	ErrRefused = errors.New("refused")

	// ErrNotElevated means that sudo rejected the provider. Such an error also matches
	// [ErrRefused].
	ErrNotElevated = errors.New("rejected by sudo")

	// ErrLost means that the connection, or the program on the host that does the operation,
	// ended before the result arrived. The operation may have taken effect.
	ErrLost = errors.New("lost")

	// ErrSilent means that a program on the host has not replied for some minutes, although the
	// connection works: the host hangs. Repeating the operation does not help. Such an error also
	// matches [ErrLost].
	ErrSilent = errors.New("no reply")
)

// Error is a failed operation with its host, path and cause. Errors of [Host] methods are
// of this type.
//
// errors.Is(err, [fs.ErrNotExist]) guarantees that nothing is at Path: the host reported
// that the name, or a directory above it, does not exist, or that an element above it is
// not a directory (the error then matches [ErrParentNotDirectory] too). A permission error or a
// broken connection never matches it.
type Error struct {
	Op   string // a verb: "read", "write", …
	Host string
	Path string // empty for an operation without one
	Err  error
}

// Error returns "op host:path: cause", without the host if it is [LocalName]. Without a path, it
// returns "op on host: cause".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteByte(' ')
	switch {
	case e.Path == "":
		b.WriteString("on ")
		b.WriteString(cmp.Or(e.Host, LocalName))
	case e.Host == "" || e.Host == LocalName:
		b.WriteString(QuotePath(e.Path))
	default:
		b.WriteString(e.Host)
		b.WriteByte(':')
		b.WriteString(QuotePath(e.Path))
	}
	b.WriteString(": ")
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// QuotePath returns path for a message: unchanged, or as a quoted Go string if it is empty or
// contains a space, a double quote, a character that is not printable, or invalid UTF-8.
func QuotePath(path string) string {
	odd := func(r rune) bool { return r == '"' || r == ' ' || !unicode.IsPrint(r) }
	if path == "" || !utf8.ValidString(path) || strings.ContainsFunc(path, odd) {
		return strconv.Quote(path)
	}
	return path
}

// TypeError means that the object at the path is not of the type that the operation needs.
// It matches ErrNotRegular, ErrNotDirectory or ErrNotSymlink according to Want, and
// ErrIsDirectory or ErrIsSymlink according to Got.
type TypeError struct {
	Want FileType // TypeUnknown: any type but Got
	Got  FileType
}

func (e *TypeError) Error() string {
	if e.Want == TypeUnknown {
		return "is a " + e.Got.String()
	}
	return "is a " + e.Got.String() + ", not a " + e.Want.String()
}

// Is reports whether target is a sentinel error for Want or Got.
func (e *TypeError) Is(target error) bool {
	switch target {
	case ErrNotRegular:
		return e.Want == TypeRegular
	case ErrNotDirectory:
		return e.Want == TypeDirectory
	case ErrNotSymlink:
		return e.Want == TypeSymlink
	case ErrIsDirectory:
		return e.Got == TypeDirectory
	case ErrIsSymlink:
		return e.Got == TypeSymlink
	}
	return false
}

// TargetError means that the symbolic link at the path does not have the target that
// [Files.ReplaceSymlink] requires.
type TargetError struct{ Got string }

func (e *TargetError) Error() string { return "is a link to " + QuotePath(e.Got) }

// ErrParentNotDirectory is the cause when an element before the last of a path is not a
// directory. It matches [fs.ErrNotExist], as nothing can be at such a path: a resource
// whose directory became a file is gone. It matches [ErrNotDirectory] too. If the protocol
// does not distinguish this case from a missing directory, an implementation may return
// plain fs.ErrNotExist instead.
var ErrParentNotDirectory error = parentNotDirectory{}

type parentNotDirectory struct{}

func (parentNotDirectory) Error() string { return "a parent directory in the path is not a directory" }

func (parentNotDirectory) Is(target error) bool {
	return target == fs.ErrNotExist || target == ErrNotDirectory
}

// SourceError is a failure of the content or the BeforeReplace of [Files.WriteFile], or of the
// content of a file of [WriteTree]. It matches what Err matches, except [fs.ErrNotExist], [fs.ErrExist] and
// [fs.ErrPermission]: a missing source file must not look like a missing destination.
type SourceError struct {
	Source string // "content" or "before replace"
	Err    error
}

func (e *SourceError) Error() string { return e.Source + ": " + e.Err.Error() }

// Is reports whether Err matches target. [fs.ErrNotExist], [fs.ErrExist] and [fs.ErrPermission]
// never match.
func (e *SourceError) Is(target error) bool {
	switch target {
	case fs.ErrNotExist, fs.ErrExist, fs.ErrPermission:
		return false
	}
	return errors.Is(e.Err, target)
}

// As is [errors.As] for Err.
func (e *SourceError) As(target any) bool { return errors.As(e.Err, target) }

// NotStartedError means that a [Runner] did not start the command, so the command had no
// effect. Without this error the command may have run.
type NotStartedError struct{ Err error }

func (e *NotStartedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason why the command was not started.
func (e *NotStartedError) Unwrap() error { return e.Err }

// MayHaveRun reports whether a command whose [Runner] returned err, which may be nil, may have
// had an effect: it returns false only for a [*NotStartedError].
func MayHaveRun(err error) bool {
	_, notStarted := errors.AsType[*NotStartedError](err)
	return !notStarted
}
