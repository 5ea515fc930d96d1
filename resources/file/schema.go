package file

import (
	"bytes"
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// File manages a regular file: its content, mode and owner. The file is written
// in one step: whoever reads it sees the old content or the new, and never with
// weaker permissions than configured. Drift of content, mode, owner and group is found
// by every plan and repaired in place.
//
// A directory, a link or anything else at the path is an error, and is neither
// followed nor replaced. Destroying the resource removes the file, whatever its
// content is by then, and leaves its directories.
type File struct {
	// The host that the file is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new file.
	Host *string

	// The absolute path of the file, without `.`, `..` or double slashes.
	// Names are text in UTF-8 and in normalisation form C, as all text in Terraform:
	// what has another one on the host cannot be managed.
	// Changing it makes a new file.
	Path target.Path

	// The content as text, stored as UTF-8. When the file's content drifts, the
	// plan shows the difference; content that is not text, or larger than 1 MiB,
	// is shown as null.
	Content *string

	// The content as base64, for what is not text.
	ContentBase64 *Base64

	// The path of a file on the machine where the provider runs, from which the
	// content is copied; it may be of any size. A relative path starts at the
	// working directory of the run. The file must exist when the plan is made, which
	// shows what it has then by its `sha256`; a change of its content plans an update.
	// What is copied is what was planned: when the source has changed by the time of
	// the apply, that is an error, and nothing is written. Terraform may be the first
	// to notice, and says then that the provider produced an inconsistent final plan
	// for `sha256`: make a new plan. Where another resource writes the source in the
	// same apply, take its path from an attribute that is not known before.
	Source *string

	// The content, never stored in plan or state; to find drift, a salted and
	// stretched digest of it is kept in the private part of the state. It may come from an ephemeral
	// value; set `mode` to keep it from other users of the host. It is written when `content_wo_version` changes, and when the file
	// no longer has the content that was written last. A file with secret content
	// that exists already needs no import, which would read the content into the
	// state: creating the resource adopts a file with the same content.
	ContentWO *string `tf:"content_wo,writeonly"`

	// Any text that changes when `content_wo` is to be written again.
	ContentWOVersion *string

	// The permissions as three or four octal digits, as `0644` or `4755`; `644`
	// and `0644` are the same. The default is `0644`.
	Mode host.Mode

	// The user that owns the file, by name or number. When unset, that is the
	// user whom the provider works as for a new file, and is left alone for one
	// that exists.
	Owner *string

	// The group of the file, by name or number. When unset, it is the one that
	// the host gives to a new file, and is left alone for one that exists.
	Group *string

	// Whether to create missing directories above the file, with mode 0755 and
	// the owner that the host gives to new directories. They are left when the
	// file is destroyed. The default is true.
	Parents bool

	// Whether to replace the content of a file that exists already when the
	// resource is created; the plan then warns of it. Without it, a file with other content is an error, and
	// one with the same content is adopted: it gets the configured mode and owner
	// and is not written again. The default is false.
	Overwrite *bool

	// A command that judges new content before it takes the place of the old, such as
	// `["visudo", "-cf", "%s"]`: a program of the host and its arguments, where `%s`
	// is the path of a temporary file and `%%` a percent sign. When it ends with
	// another exit code than 0, or not within five minutes, what is at the path stays
	// as it was. It runs as the user whom the provider works as, and through a shell
	// only where it names one. The temporary file is in the same directory, complete
	// and with its final mode and owner, and must not be changed. Its name begins with
	// a dot and has another ending; a program that goes by names can be given a copy:
	// `["sh", "-c", "cp \"$1\" /run/check.service && systemd-analyze verify /run/check.service", "sh", "%s"]`.
	// It runs whenever content is written, also to repair drift; not when only mode or
	// owner change, nor when a file that has the content already is adopted.
	Validate []string `tf:",optional"`

	// Whether the error about content that `validate` refused shows the end of what
	// the command printed, which may repeat parts of the content: set it to false
	// for content that is sensitive. It is never shown for `content_wo`. The default
	// is true.
	ValidateOutput *bool

	// Whether to keep content that is replaced, be it what was configured before or
	// what somebody made by hand: beside the file as `.NAME.backup-TIME~`, with the
	// mode (but for setuid and setgid) and owner that it had. Backups are not managed:
	// they are never removed, not even with the file, and old secrets stay in them. Move
	// one back to restore it, and delete those that nobody needs. The default is
	// false.
	Backup *bool

	sources *sources
}

// Output is what is known of a file that exists.
type Output struct {
	Host          *string `tf:",computed"`
	Path          target.Path
	Content       *string
	ContentBase64 *Base64
	Mode          host.Mode
	Owner         *string `tf:",computed"`
	Group         *string `tf:",computed"`

	// The SHA-256 of the content in hexadecimal; null for `content_wo`, as a
	// short secret could be found by its digest.
	SHA256 *string

	// The size of the content in bytes; null for `content_wo`.
	Size *int64

	// Whether the file still has the content that was last written from
	// `content_wo`; when it has not, an update writes it again. Null for other
	// content.
	ContentWOIntact *bool `tf:"content_wo_intact"`

	// Where the content is that was replaced last, if `backup` was set then; null
	// when nothing was.
	BackupPath *string
}

var (
	_ runtime.TypedResource[File, *Output, *target.Hosts]         = (*File)(nil)
	_ runtime.Defaulter                                           = (*File)(nil)
	_ runtime.Constrainer                                         = (*File)(nil)
	_ runtime.InputValidator[*target.Hosts]                       = (*File)(nil)
	_ runtime.InputEquivalencer[File]                             = (*File)(nil)
	_ runtime.Replacer[File]                                      = (*File)(nil)
	_ runtime.ResourcePlanModifier[File, *Output, *target.Hosts]  = (*File)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                        = (*File)(nil)
	_ runtime.Identifier[target.Identity, *Output, *target.Hosts] = (*File)(nil)
	_ runtime.ImportIDParser[target.Identity]                     = (*File)(nil)
	_ runtime.Mover                                               = (*File)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	known := &sources{}
	return runtime.MakeResourceWith[File, *Output, *target.Hosts](func() *File { return &File{sources: known} })
}

// SchemaVersion is part of [runtime.TypedResource].
func (*File) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*File) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn is part of [runtime.Replacer].
func (*File) ReplaceOn(field string, prior, _ File) bool {
	return target.ReplacesHost(field, prior.Host)
}

// Defaults is part of [runtime.Defaulter].
func (f *File) Defaults() {
	f.Mode = 0o644
	f.Parents = true
	f.Overwrite = new(false)
}

// Constraints is part of [runtime.Constrainer].
func (*File) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.ExactlyOneOf("content", "content_base64", "source", "content_wo"),
		runtime.RequiredTogether("content_wo", "content_wo_version"),
		runtime.Check("validate", "must have a program, and `%s` exactly once", checkValidate),
	}
}

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when
// a file is created never changes one that exists. A file that was moved from
// another provider and has no host yet is adopted by an update as by a create.
func (*File) EquivalentInput(_ context.Context, field string, prior, current File) bool {
	switch field {
	case "mode":
		return prior.Mode == current.Mode
	case "content_base64":
		return prior.ContentBase64 != nil && current.ContentBase64 != nil && bytes.Equal(*prior.ContentBase64, *current.ContentBase64)
	case "parents":
		return true
	case "overwrite":
		return prior.Host != nil
	}
	return false
}

// Identity is part of [runtime.Identifier].
func (*File) Identity(_ *target.Hosts, out *Output) target.Identity {
	return target.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*File) ParseImportID(id string) (target.Identity, error) { return target.ParseImportID(id) }
