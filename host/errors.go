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

// What an [*Error] can wrap, beside [fs.ErrNotExist], [fs.ErrExist],
// [fs.ErrPermission], the context's errors and what the operating system says.
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

	// ErrUnreachable: the host could not be asked. Nothing has happened on it.
	ErrUnreachable = errors.New("not reachable")

	// ErrRefused: the host answers, and there will be no connection, however often one
	// tries: its key is not the right one, or it does not let us in. Nothing has
	// happened on it.
	ErrRefused = errors.New("refused")
)

// Error says which operation failed, where, and why. Errors of [Host] methods
// are of this type.
//
// errors.Is(err, [fs.ErrNotExist]) is a promise that nothing is at Path: the
// host said that the name, or a directory on the way to it, does not exist, or
// that something on the way is no directory (which then is
// [ErrParentNotDirectory] as well). A host that could not look, for want of
// permission or for a broken connection, never says so.
type Error struct {
	Op   string // a verb: "read", "write", …
	Host string
	Path string // empty for an operation without one
	Err  error
}

// Error is "op host:path: cause", without the host if it is [LocalName].
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

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// QuotePath is a path as a message shows it: as it is, or as a Go string when
// it has characters that would not be seen for what they are.
func QuotePath(path string) string {
	odd := func(r rune) bool { return r == '"' || r == ' ' || !unicode.IsPrint(r) }
	if path == "" || !utf8.ValidString(path) || strings.ContainsFunc(path, odd) {
		return strconv.Quote(path)
	}
	return path
}

// TypeError says that something of another kind is at the path than the
// operation is for. It matches ErrNotRegular, ErrNotDirectory or ErrNotSymlink
// by what was wanted, and ErrIsDirectory or ErrIsSymlink by what was found.
type TypeError struct {
	Want FileType // TypeUnknown: anything but what was found
	Got  FileType
}

func (e *TypeError) Error() string {
	if e.Want == TypeUnknown {
		return "is a " + e.Got.String()
	}
	return "is a " + e.Got.String() + ", not a " + e.Want.String()
}

// Is matches the sentinels by Want and Got.
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

// ErrParentNotDirectory is the cause when an element before the last of a path
// is not a directory. It matches [fs.ErrNotExist], as nothing can be at such a
// path: a resource whose directory became a file is gone. It matches
// [ErrNotDirectory] too. Over a protocol that does not tell the two apart, an
// implementation may say plain fs.ErrNotExist instead.
var ErrParentNotDirectory error = parentNotDirectory{}

type parentNotDirectory struct{}

func (parentNotDirectory) Error() string { return "a parent of it is not a directory" }

func (parentNotDirectory) Is(target error) bool {
	return target == fs.ErrNotExist || target == ErrNotDirectory
}

// SourceError is the failure of what the caller handed to [Files.WriteFile]:
// its content or its BeforeReplace. It matches what Err matches, except the
// errors of package io/fs: that a source file does not exist must not read as
// a statement about the path that was written.
type SourceError struct {
	Source string // "content" or "before replace"
	Err    error
}

func (e *SourceError) Error() string { return e.Source + ": " + e.Err.Error() }

// Is matches what Err does, but no errors of package io/fs.
func (e *SourceError) Is(target error) bool {
	switch target {
	case fs.ErrNotExist, fs.ErrExist, fs.ErrPermission:
		return false
	}
	return errors.Is(e.Err, target)
}

// As finds what Err holds.
func (e *SourceError) As(target any) bool { return errors.As(e.Err, target) }

// NotStartedError is the cause when a [Runner] did not even begin to run a
// command: nothing of it has happened. An error without it promises nothing.
type NotStartedError struct{ Err error }

func (e *NotStartedError) Error() string { return e.Err.Error() }

// Unwrap is why it was not started.
func (e *NotStartedError) Unwrap() error { return e.Err }
