package localport

import (
	"context"

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
	text := f.Content
	if text == nil {
		text = f.SensitiveContent
	}
	return f.write(text, f.ContentBase64)
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
