package localport

import (
	"cmp"
	"context"
	"crypto/md5"  //nolint:gosec // an output of the published provider
	"crypto/sha1" //nolint:gosec // an output of the published provider
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// File is a file and its content. Each change forces a new file.
type File struct {
	Target

	// Content of the file.
	Content *string `tf:",replace"`
	// ContentBase64 is the content of the file in Base64, for binary data.
	ContentBase64 *Base64 `tf:",replace"`
	// SensitiveContent is the content of the file, which is hidden in output.
	//
	// Deprecated: Use the resource `local_sensitive_file`.
	SensitiveContent *string `tf:",sensitive,replace"`
}

// Defaults sets the permissions.
func (f *File) Defaults() { f.FilePermission, f.DirectoryPermission = 0o777, 0o777 }

// Constraints returns the rules of the configuration.
func (*File) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.ExactlyOneOf("content", "content_base64", "sensitive_content", "source")}
}

// Create writes the file.
func (f *File) Create(context.Context, runtime.NoConfig) (*Checksums, error) {
	return f.write(cmp.Or(f.Content, f.SensitiveContent), f.ContentBase64)
}

// Update is never called: each change replaces the file.
func (f *File) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[File, *Checksums]) (*Checksums, error) {
	return prior.Outputs, nil
}

// SensitiveFile is a file whose content is hidden in output. Each change forces a new
// file.
type SensitiveFile struct {
	Target

	// Content of the file.
	Content *string `tf:",sensitive,replace"`
	// ContentBase64 is the content of the file in Base64, for binary data.
	ContentBase64 *Base64 `tf:",sensitive,replace"`
}

// Defaults sets the permissions.
func (f *SensitiveFile) Defaults() { f.FilePermission, f.DirectoryPermission = 0o700, 0o700 }

// Constraints returns the rules of the configuration.
func (*SensitiveFile) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.ExactlyOneOf("content", "content_base64", "source")}
}

// Create writes the file.
func (f *SensitiveFile) Create(context.Context, runtime.NoConfig) (*Checksums, error) {
	return f.write(f.Content, f.ContentBase64)
}

// Update is never called: each change replaces the file.
func (f *SensitiveFile) Update(_ context.Context, _ runtime.NoConfig, prior runtime.Prior[SensitiveFile, *Checksums]) (*Checksums, error) {
	return prior.Outputs, nil
}

// Checksums has the checksums of the content of a file.
type Checksums struct {
	// ID is the SHA-1 checksum of the content in hexadecimal.
	ID string
	// ContentMD5 is the MD5 checksum of the content in hexadecimal.
	ContentMD5 string
	// ContentSHA1 is the SHA-1 checksum of the content in hexadecimal.
	ContentSHA1 string
	// ContentSHA256 is the SHA-256 checksum of the content in hexadecimal.
	ContentSHA256 string
	// ContentBase64SHA256 is the SHA-256 checksum of the content in Base64.
	ContentBase64SHA256 string `tf:"content_base64sha256"`
	// ContentSHA512 is the SHA-512 checksum of the content in hexadecimal.
	ContentSHA512 string
	// ContentBase64SHA512 is the SHA-512 checksum of the content in Base64.
	ContentBase64SHA512 string `tf:"content_base64sha512"`
}

func checksums(content []byte) *Checksums {
	sum5, sum1, sum256, sum512 := md5.Sum(content), sha1.Sum(content), sha256.Sum256(content), sha512.Sum512(content) //nolint:gosec // see above
	return &Checksums{
		ID:                  hex.EncodeToString(sum1[:]),
		ContentMD5:          hex.EncodeToString(sum5[:]),
		ContentSHA1:         hex.EncodeToString(sum1[:]),
		ContentSHA256:       hex.EncodeToString(sum256[:]),
		ContentBase64SHA256: base64.StdEncoding.EncodeToString(sum256[:]),
		ContentSHA512:       hex.EncodeToString(sum512[:]),
		ContentBase64SHA512: base64.StdEncoding.EncodeToString(sum512[:]),
	}
}

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

// DirExists reports whether a directory exists. A path to anything else is an error.
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
