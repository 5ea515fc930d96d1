package localport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// FileLookup reads a file.
type FileLookup struct {
	// Filename is the path of the file, which must exist.
	Filename string
}

// FileContent is the content of a file.
type FileContent struct {
	Checksums

	// Content of the file. Bytes that are not valid UTF-8 are replaced.
	Content string
	// ContentBase64 is the content of the file in Base64.
	ContentBase64 Base64
}

// Read reads the file.
func (f *FileLookup) Read(context.Context, runtime.NoConfig) (*FileContent, error) {
	content, err := os.ReadFile(f.Filename)
	if err != nil {
		return nil, err
	}
	return &FileContent{*checksums(content), valid(content), content}, nil
}

// SensitiveFileLookup reads a file whose content is hidden in output.
type SensitiveFileLookup struct{ FileLookup }

// SensitiveFileContent is the content of a file, which is hidden in output.
type SensitiveFileContent struct {
	Checksums

	// Content of the file. Bytes that are not valid UTF-8 are replaced.
	Content string `tf:",sensitive"`
	// ContentBase64 is the content of the file in Base64.
	ContentBase64 Base64 `tf:",sensitive"`
}

// Read reads the file.
func (f *SensitiveFileLookup) Read(ctx context.Context, cfg runtime.NoConfig) (*SensitiveFileContent, error) {
	content, err := f.FileLookup.Read(ctx, cfg)
	return (*SensitiveFileContent)(content), err
}

// valid returns a text in which bytes that are not valid UTF-8 are replaced.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// DirExists reports whether a directory exists. A path of something else is an error.
//
//   - path: a relative or absolute path
func DirExists(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, runtime.ArgumentError("path", err)
	case !info.IsDir():
		return false, runtime.ArgumentError("path", fmt.Errorf("%q was found, but is not a directory", path))
	}
	return true, nil
}
