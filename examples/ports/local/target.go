package localport

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Target has the arguments that [File] and [SensitiveFile] share.
type Target struct {
	// Filename is the path of the file. Missing directories are created, and an existing file
	// is overwritten.
	Filename string `tf:",replace"`
	// Source is the path of a file whose content is copied.
	Source *string `tf:",replace"`
	// FilePermission is the mode of a new file before the umask is applied.
	FilePermission Permission `tf:",replace"`
	// DirectoryPermission is the mode of new directories before the umask is applied.
	DirectoryPermission Permission `tf:",replace"`
}

// write creates or overwrites the file with text or encoded, or with the content of the source if both are
// nil, and returns the checksums of the content. It also creates missing directories.
func (t *Target) write(text *string, encoded *Base64) (*Checksums, error) {
	var content []byte
	switch {
	case text != nil:
		content = []byte(*text)
	case encoded != nil:
		content = *encoded
	case t.Source != nil:
		var err error
		if content, err = os.ReadFile(*t.Source); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(t.Filename), os.FileMode(t.DirectoryPermission)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(t.Filename, content, os.FileMode(t.FilePermission)); err != nil {
		return nil, err
	}
	return checksums(content), nil
}

// Read returns an error that wraps [runtime.ErrNotFound] if the file is missing or its content differs from
// the state, so that the next plan creates the file again.
func (t *Target) Read(_ context.Context, _ runtime.NoConfig, prior *Checksums) (*Checksums, error) {
	content, err := os.ReadFile(t.Filename)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runtime.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	sums := checksums(content)
	if sums.ID != prior.ID {
		return nil, fmt.Errorf("%w: %s has different content", runtime.ErrNotFound, t.Filename)
	}
	return sums, nil
}

// Delete removes the file. It returns no error if the file is missing.
func (t *Target) Delete(context.Context, runtime.NoConfig, *Checksums) error {
	if err := os.Remove(t.Filename); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Permission is a mode up to 0777 as three or four octal digits.
type Permission os.FileMode

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Permission) UnmarshalText(text []byte) error {
	mode, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil || len(text) < 3 || len(text) > 4 {
		// The acceptance tests expect "bad mode permission".
		return errors.New("bad mode permission: must be three or four octal digits from 000 to 0777, such as \"0644\"")
	}
	*p = Permission(mode)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (p Permission) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(p)), nil }

// Base64 is binary data, whose text form is its Base64 encoding.
type Base64 []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Base64) UnmarshalText(text []byte) (err error) {
	*b, err = base64.StdEncoding.AppendDecode(nil, text)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (b Base64) MarshalText() ([]byte, error) { return base64.StdEncoding.AppendEncode(nil, b), nil }
