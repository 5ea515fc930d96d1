package file

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// File manages a regular file: its content, mode and owner.
//
// The file is replaced atomically: readers see either the old or the new content, and
// the new content never has weaker permissions than configured. Hard links to the
// replaced file keep the old content, and its access control list (ACL) is lost. Every
// plan detects drift of content and mode, and of owner and group if they are set; the
// next apply repairs it in place. An update fails if it would replace content that was
// changed on the host after the plan was made: a new plan shows that change. It also
// fails if the same apply has changed the content before, for example through a
// `posix_command` or the upgrade of a package.
//
// On create, an existing file with the same content is adopted: it gets the
// configured mode and owner and is not rewritten. A file with different content is an
// error: import it to see in a plan what would change, or set
// `write_options.overwrite`.
//
// A symbolic link at the path is not followed. If the object at the path is a link, a
// directory or anything other than a regular file, the plan shows a warning, and the
// apply of this resource fails unless `write_options.overwrite` is `true`. If a managed
// file was replaced by such an object, the file counts as deleted.
//
// On destroy, the file is removed, even if its content has drifted. Its directories
// and an object of another type in its place are kept.
type File struct {
	// Host to manage the file on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the file, without `.`, `..`, double slashes or a trailing slash.
	// Must be UTF-8 in Unicode normalisation form C (NFC), like every string in
	// Terraform; files with other names cannot be managed. Changing this forces a new
	// resource.
	Path address.Path

	// Content as a UTF-8 string. If the content of the file drifts, the plan shows the
	// difference; content that is not text, or is larger than 1 MiB, is shown as null.
	Content *string

	// Content as a base64-encoded string, for binary content.
	ContentBase64 *Base64

	// Path of a local file to copy, on the host that runs the provider. It may be of any
	// size. A relative path starts at the working directory of the run. The file must
	// exist at plan time: the plan shows its digest as `sha256`, and an update if its
	// content has changed.
	//
	// Only the planned content is copied: if the source changes between plan and apply,
	// the apply fails and nothing is written. Terraform may detect the change first and
	// report that the provider produced an inconsistent final plan for `sha256`; create a
	// new plan in that case. If another resource writes the source in the same apply, take
	// the path from an attribute that is unknown until that resource is applied.
	//
	// To start managing an existing file with `source`, create the resource without an
	// import: a file with the same content is adopted, as described above. The plan of an
	// import shows the whole content as removed from the state: see [Import](#import).
	Source *string

	// Content that is never stored in the plan or the state. Can be an ephemeral value.
	// It is written when `content_wo_version` changes, and when the file no longer has
	// the content that was last written. To detect drift, a salted and stretched digest
	// of it is kept in the private part of the state. Only the owner can read the file,
	// unless `mode` is set. Do not import an existing file with secret content:
	// an import reads the content into the state. Create the resource instead: a file
	// with the same content is adopted.
	ContentWO *string `tf:"content_wo,writeonly"`

	// Arbitrary string; change it to write `content_wo` again. If the file no longer has
	// the content that was last written, the plan shows this attribute as null, and the
	// next apply writes `content_wo` again.
	ContentWOVersion *string

	// Permissions as three or four octal digits, such as `0644` or `4755`. `644` and
	// `0644` are equivalent. Defaults to `0644`, or to `0600` with `content_wo`.
	Mode host.Mode

	// Owner of the file, as a user name or UID. If unset, a new file is owned by the user
	// the provider runs as on the host, and the owner of an existing file is not changed.
	Owner *string

	// Group of the file, as a group name or GID. If unset, a new file gets the group that
	// the host assigns, and the group of an existing file is not changed.
	Group *string

	// Rarely needed settings for writing the file.
	WriteOptions *WriteOptions

	lifecycle.Links

	sources *sources
}

// WriteOptions are the settings for writing a file.
type WriteOptions struct {
	// Whether to create missing parent directories, with mode `0755` and the owner that
	// the host assigns. They are kept on destroy. Defaults to `true`.
	Parents *bool

	// Whether to overwrite an existing file with different content on create; the plan
	// then shows a warning. If `false` (the default), such a file is an error. A file
	// with the same content is adopted in either case. If `true`, an object of another
	// type, such as a symbolic link, is removed before the file is created, without a
	// backup; a directory that is not empty is an error in either case.
	Overwrite *bool

	// Command on the host that checks new content before it replaces the old content,
	// given as a program and its arguments, such as `["visudo", "-cf", "%s"]`. `%s` is
	// the path of a temporary file with the new content, and `%%` is a percent sign. If
	// the command does not end with exit code 0 within five minutes, the file is not
	// changed. The command runs as the user the provider runs as on the host, and
	// without a shell unless it names one.
	//
	// The temporary file is in the same directory, complete and with its final mode and
	// owner. The command must not change it. Its name starts with a dot and has a
	// different extension; if a program depends on the name, pass it a copy: `["sh",
	// "-c", "cp \"$1\" /run/check.service && systemd-analyze verify
	// /run/check.service", "sh", "%s"]`.
	//
	// The command runs whenever content is written, including to repair drift. It does
	// not run if only the mode or the owner changes, or if a file with the same content
	// is adopted. Must contain a program, and `%s` exactly once.
	Validate []string `tf:",optional"`

	// Whether the error for content that `validate` rejected includes the end of the
	// command's output. The output may repeat parts of the content: set this to `false`
	// for sensitive content. The output is never shown for `content_wo`. Defaults to
	// `true`.
	ValidateOutput *bool

	// Whether to keep content that is replaced, both previously configured content and
	// changes made by hand. It is kept next to the file as `.NAME.backup-TIME~`, with the
	// mode (except setuid and setgid) and the owner of the replaced file; if the owner
	// cannot be kept, only the user the provider runs as can read it. Backups are not
	// managed: they are never removed, not even on destroy, and old secrets remain in
	// them. To restore a backup, move it into place; delete those no longer needed.
	// Defaults to `false`.
	Backup *bool
}

// writeOptions returns the configured settings, or the defaults.
func (f *File) writeOptions() WriteOptions {
	if f.WriteOptions == nil {
		return WriteOptions{}
	}
	return *f.WriteOptions
}

func (o WriteOptions) createsParents() bool { return o.Parents == nil || *o.Parents }
func (o WriteOptions) overwrites() bool     { return isTrue(o.Overwrite) }
func (o WriteOptions) showsOutput() bool    { return o.ValidateOutput == nil || *o.ValidateOutput }
func (o WriteOptions) keepsBackup() bool    { return isTrue(o.Backup) }

func isTrue(b *bool) bool { return b != nil && *b }

// Output is the state of a managed file.
type Output struct {
	Host          *string `tf:",computed"`
	Path          address.Path
	Content       *string
	ContentBase64 *Base64
	// ContentWOVersion is null if the file no longer has the content that was last written
	// from content_wo.
	ContentWOVersion *string
	Mode             host.Mode
	Owner            *string `tf:",computed"`
	Group            *string `tf:",computed"`

	// SHA-256 digest of the content, in hexadecimal. It is shown in plans and outputs even
	// if the content is sensitive, because a provider cannot mark an attribute as sensitive
	// only when another one is. A reader can test guesses of a short secret against the
	// digest. Use `content_wo` for secret content: the digest is then null.
	SHA256 *string
}

var (
	_ runtime.Defaulter                                               = (*File)(nil)
	_ runtime.ConditionalDefaulter                                    = (*File)(nil)
	_ runtime.Constrainer                                             = (*File)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                        = (*File)(nil)
	_ runtime.InputEquivalencer[File]                                 = (*File)(nil)
	_ runtime.Replacer[File]                                          = (*File)(nil)
	_ runtime.ResourcePlanModifier[File, *Output, *lifecycle.Scope]   = (*File)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                         = (*File)(nil)
	_ runtime.Identifier[address.Identity, *Output, *lifecycle.Scope] = (*File)(nil)
	_ runtime.ImportIDParser[address.Identity]                        = (*File)(nil)
	_ runtime.Migrator                                                = (*File)(nil)
	_ runtime.Mover                                                   = (*File)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	known := &sources{}
	return lifecycle.ResourceWith[File, *Output](func() *File { return &File{sources: known} })
}

// SchemaVersion implements [runtime.SchemaVersioner].
func (*File) SchemaVersion() int { return 1 }

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*File) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn implements [runtime.Replacer].
func (*File) ReplaceOn(field string, prior, _ File) bool {
	return lifecycle.ReplacesHost(field, prior.Host)
}

// Defaults implements [runtime.Defaulter].
func (f *File) Defaults() {
	f.Mode = 0o644
}

// DefaultsWith implements [runtime.ConditionalDefaulter].
func (f *File) DefaultsWith(attribute string) {
	if attribute == "content_wo" {
		f.Mode = 0o600
	}
}

// Constraints implements [runtime.Constrainer].
func (*File) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.ExactlyOneOf("content", "content_base64", "source", "content_wo"),
		runtime.RequiredTogether("content_wo", "content_wo_version"),
		runtime.Check("write_options", "", checkWriteOptions),
	}
}

// EquivalentInput implements [runtime.InputEquivalencer]. A change of write options for
// creates does not change an existing file. A file that was moved from another provider and
// has no host yet is an exception for overwrite: its update adopts it like a create.
func (*File) EquivalentInput(field string, prior, current File) bool {
	switch field {
	case "mode":
		return prior.Mode == current.Mode
	case "content_base64":
		return prior.ContentBase64 != nil && current.ContentBase64 != nil && bytes.Equal(*prior.ContentBase64, *current.ContentBase64)
	case "write_options":
		return reflect.DeepEqual(lastingOptions(prior, prior), lastingOptions(current, prior))
	}
	return false
}

// lastingOptions returns the write options of f whose change requires an update of prior.
func lastingOptions(f, prior File) WriteOptions {
	o := f.writeOptions()
	o.Parents = nil
	if prior.Host != nil {
		o.Overwrite = nil
	}
	return o
}

// Identity implements [runtime.Identifier].
func (*File) Identity(_ *lifecycle.Scope, out *Output) address.Identity {
	return address.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*File) ParseImportID(id string) (address.Identity, error) { return address.ParseImportID(id) }

// Base64 is binary content that is configured as base64.
type Base64 []byte

// MarshalText implements [encoding.TextMarshaler], with the standard alphabet and padding.
func (b Base64) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler], with the standard alphabet and padding. It ignores line breaks.
func (b *Base64) UnmarshalText(text []byte) error {
	content, err := base64.StdEncoding.AppendDecode(nil, text)
	if bad, ok := errors.AsType[base64.CorruptInputError](err); ok {
		return fmt.Errorf("invalid base64 at character %d: use the standard alphabet (+ and /) with padding, as base64encode() does", int64(bad)+1)
	}
	if err != nil {
		return err
	}
	*b = content
	return nil
}
