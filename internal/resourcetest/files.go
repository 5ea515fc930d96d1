package resourcetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/local"
)

// TempDir returns the path of a new temporary directory. The path contains no symbolic links,
// so that errors contain exactly this path.
func TempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	Must(t, err)
	return dir
}

// Expand returns a configuration with DIR replaced by a directory.
func Expand(dir, config string) string { return strings.ReplaceAll(config, "DIR", dir) }

// ReplaceAll returns s with each text of pairs at an even index replaced by the next one,
// as by [strings.NewReplacer].
func ReplaceAll(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }

// Put writes a file in place and sets its mode, regardless of the umask. A program can be executed at once: no
// process is forked during the write, because a forked process has the file open for writing until it calls exec, and
// such a file cannot be executed (ETXTBSY).
func Put(path, content string, mode fs.FileMode) error {
	if mode&0o111 != 0 {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	return errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode))
}

// Write calls [Put] and ends the test on an error.
func Write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	Must(t, Put(path, content, mode))
}

// WantFile fails the test unless a file has this content and mode.
func WantFile(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	Must(t, err)
	if string(got) != content {
		t.Errorf("%s has %q, want %q", path, got, content)
	}
	WantMode(t, path, mode)
}

// WantMode fails the test unless the file at a path has these permissions.
func WantMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if got := Inode(t, path).Mode().Perm(); got != mode {
		t.Errorf("%s has mode %04o, want %04o", path, got, mode)
	}
}

// Inode returns the result of [os.Lstat] for a path, for use with [os.SameFile]. It ends the test on an error.
func Inode(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	Must(t, err)
	return info
}

// Inodes returns the results of [Inode] for files of a directory, by name.
func Inodes(t *testing.T, dir string, names ...string) map[string]os.FileInfo {
	t.Helper()
	found := map[string]os.FileInfo{}
	for _, name := range names {
		found[name] = Inode(t, filepath.Join(dir, name))
	}
	return found
}

// Tree returns everything below a directory by its relative path: type and
// permissions, and the content of a regular file. The text of a symbolic link is only its
// target after "-> ".
func Tree(dir string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			var content []byte
			content, err = os.ReadFile(path)
			text += " " + string(content)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
			text = "-> " + text
		}
		found[strings.TrimPrefix(path, dir+"/")] = text
		return err
	})
	return found, err
}

// OnDisk returns an error unless [Tree] returns want for a directory.
func OnDisk(dir string, want map[string]string) error {
	got, err := Tree(dir)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("on disk (-want +got):\n%s", diff)
	}
	return nil
}

// Owners returns a function that returns an error unless files in a directory have the owner,
// group and mode in want, in the form "0:0 0644".
func Owners(dir string, want map[string]string) func() error {
	return func() error {
		here, err := local.New()
		if err != nil {
			return err
		}
		got := map[string]string{}
		for name := range want {
			info, err := here.Lstat(context.Background(), filepath.Join(dir, name))
			if err != nil {
				return err
			}
			got[name] = fmt.Sprintf("%d:%d %#o", info.UID, info.GID, uint32(info.Mode))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("owners (-want +got):\n%s", diff)
		}
		return nil
	}
}
