package shell_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

func TestReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stderr, text string
		is           []error
	}{
		{"stat: cannot statx '/a': No such file or directory", "no such file or directory", []error{fs.ErrNotExist}},
		{"stat: can't stat '/a: b': No such file or directory\n", "no such file or directory", []error{fs.ErrNotExist}},
		{"cat: /a: Permission denied", "permission denied", []error{fs.ErrPermission}},
		{"chown: changing ownership of '/a': Operation not permitted", "operation not permitted", []error{fs.ErrPermission}},
		{"ln: failed to create hard link '/a': File exists", "file exists", []error{fs.ErrExist}},
		{"x: Not a directory", host.ErrParentNotDirectory.Error(), []error{fs.ErrNotExist, host.ErrNotDirectory}},
		{"rmdir: '/a': Directory not empty", host.ErrNotEmpty.Error(), []error{host.ErrNotEmpty}},
		{"rm: /a: Is a directory", "is a directory", []error{host.ErrIsDirectory}},
		{"cat: write error: No space left on device", "no space left on device", []error{syscall.ENOSPC}},
		{"cat: write error: Disk quota exceeded", "disk quota exceeded", []error{syscall.EDQUOT}},
		{"mkdir: can't create directory '/a': Read-only file system", "read-only file system", []error{syscall.EROFS}},
		{"Permission denied", "permission denied", []error{fs.ErrPermission}},
		{"x: Too many levels of symbolic links", "x: Too many levels of symbolic links", nil},
		{"rm: '/No such file or directory' is busy", "rm: '/No such file or directory' is busy", nil},
		{"x: No such file or directory, or so", "x: No such file or directory, or so", nil},
		{"x: \xff", "x: ?", nil},
		{" \n", "the command failed without a message", nil},
	} {
		err := shell.Reason(tt.stderr)
		if err.Error() != tt.text {
			t.Errorf("%q: %q, want %q", tt.stderr, err, tt.text)
		}
		for _, target := range tt.is {
			if !errors.Is(err, target) {
				t.Errorf("%q: %q is not %q", tt.stderr, err, target)
			}
		}
		if len(tt.is) == 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
			t.Errorf("%q: %q matches fs.ErrNotExist or fs.ErrPermission, want neither", tt.stderr, err)
		}
	}
}
