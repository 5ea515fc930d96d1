// Package disk has the file operations that the resources of packages bench and twin use. It writes
// files with the same procedure as the provider under test, so that a comparison of whole runs
// compares servers and not fsync. Unlike the provider, it does not lock the temporary file or sync
// the directory.
//
// Elsewhere: package host/local has the provider's own file operations.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Files reads and writes whole files.
type Files struct{ names names }

// Write replaces the file at path with this content and octal mode. An invalid mode is an error.
func (f *Files) Write(path, content, mode string) error {
	bits, err := strconv.ParseUint(mode, 8, 12)
	if err != nil {
		return fmt.Errorf("mode of %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".bench-*")
	if err != nil {
		return err
	}
	if err := fill(tmp, content, fs.FileMode(bits)); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// fill writes and closes tmp, which CreateTemp created with mode 0600.
func fill(tmp *os.File, content string, mode fs.FileMode) (err error) {
	defer func() { err = errors.Join(err, tmp.Close()) }()
	if _, err := tmp.WriteString(content); err != nil {
		return err
	}
	if err := tmp.Chmod(mode); err != nil {
		return err
	}
	return tmp.Sync()
}

// Read returns the content and mode of the file at path. For a missing file, the error matches [fs.ErrNotExist].
func (f *Files) Read(path string) (content, mode string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", "", err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	return string(b), fmt.Sprintf("%04o", info.Mode().Perm()), nil
}

// Remove deletes path. A missing file is not an error.
func (f *Files) Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
