package shell

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/host"
)

// SystemError is an error message that a tool printed: that of the host's operating system, or the whole
// text if it contains no known message.
type SystemError struct {
	Text string
	kind error
}

func (e *SystemError) Error() string { return e.Text }

// Unwrap returns an error of package io/fs or syscall, or nil if the message is not known.
func (e *SystemError) Unwrap() error { return e.kind }

// Messages of errno values in the C locale, with the errors that they match. They are the
// same in all C libraries, except for EDQUOT.
var (
	causes = map[string]error{
		"Not a directory":                  host.ErrParentNotDirectory,
		"Path has non-directory component": host.ErrParentNotDirectory, // busybox uses its own text
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
		"Disk quota exceeded":       syscall.EDQUOT, // glibc
		"Quota exceeded":            syscall.EDQUOT, // musl
		"Disc quota exceeded":       syscall.EDQUOT, // FreeBSD, NetBSD and macOS
	}
)

// Reason returns the error in the stderr of a tool. It recognises only errno messages of
// the C locale, either after the last colon or as the whole text.
func Reason(stderr string) error {
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return errors.New("the command failed without a message")
	}
	message := stderr
	if i := strings.LastIndex(stderr, ": "); i >= 0 {
		message = stderr[i+2:]
	}
	if cause := causes[message]; cause != nil {
		return cause
	}
	if kind := kinds[message]; kind != nil {
		return &SystemError{Text: strings.ToLower(message[:1]) + message[1:], kind: kind}
	}
	return &SystemError{Text: strings.ToValidUTF8(stderr, "?")}
}
