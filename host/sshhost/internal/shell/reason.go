package shell

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// SystemError is what a host's system said when it refused something.
type SystemError struct {
	Text string
	kind error
}

func (e *SystemError) Error() string { return e.Text }

// Unwrap returns an error of package io/fs or syscall, or nil.
func (e *SystemError) Unwrap() error { return e.kind }

// The system's words in the C locale, which for these are the same in all C
// libraries: those for which the contract has an error, and those that it has
// a kind for.
var (
	causes = map[string]error{
		"Not a directory":                  host.ErrParentNotDirectory,
		"Path has non-directory component": host.ErrParentNotDirectory, // busybox with words of its own
		"Directory not empty":              host.ErrNotEmpty,
		"Is a directory":                   &host.TypeError{Got: host.TypeDirectory},
	}
	kinds = map[string]error{
		"No such file or directory": fs.ErrNotExist,
		"Permission denied":         fs.ErrPermission,
		"Operation not permitted":   fs.ErrPermission,
		"File exists":               fs.ErrExist,
		"No space left on device":   syscall.ENOSPC,
		"Read-only file system":     syscall.EROFS,
		"Disk quota exceeded":       syscall.EDQUOT, // glibc's words, musl's and those of BSDs
		"Quota exceeded":            syscall.EDQUOT,
		"Disc quota exceeded":       syscall.EDQUOT,
	}
)

// Reason returns the error in what a tool printed on stderr. It parses only errno
// strings, in LC_ALL=C, which stand at the end, after a colon.
func Reason(said string) error {
	said = strings.TrimSpace(said)
	if said == "" {
		return errors.New("it failed without a word")
	}
	words := said
	if i := strings.LastIndex(said, ": "); i >= 0 {
		words = said[i+2:]
	}
	if cause := causes[words]; cause != nil {
		return cause
	}
	if kind := kinds[words]; kind != nil {
		return &SystemError{Text: strings.ToLower(words[:1]) + words[1:], kind: kind}
	}
	return &SystemError{Text: strings.ToValidUTF8(said, "?")}
}
