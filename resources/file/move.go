package file

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// localFile has the attributes of local_file and local_sensitive_file of
// hashicorp/local that a move uses.
type localFile struct {
	Filename         string  `tf:",optional"`
	Content          *string `tf:",sensitive"`
	SensitiveContent *string `tf:",sensitive"`
	ContentBase64    *Base64 `tf:",sensitive"`
	Source           *string
	FilePermission   *string
	ContentSHA256    *string `tf:"content_sha256"`
}

// remoteFile has the attributes of remote_file of tenstad/remote that a move uses. The
// attribute conn cannot be mapped to one of the provider's hosts.
type remoteFile struct {
	Path        string
	Content     *string `tf:",sensitive"`
	Permissions *string
}

// systemFile has the attributes of system_file of neuspaces/system that a move uses. The
// attribute source has only the ETag of a source in the state, not its path.
type systemFile struct {
	Path             string
	Content          *string `tf:",sensitive"`
	ContentSensitive *string `tf:",sensitive"`
	Mode             *string
}

// Moves implements [runtime.Mover].
func (*File) Moves() []runtime.Move {
	return []runtime.Move{
		runtime.MoveFrom("tenstad/remote", "remote_file", func(ctx context.Context, old remoteFile) (File, *Output, error) {
			return moveWithoutHost(ctx, old.Path, old.Content, old.Permissions)
		}),
		runtime.MoveFrom("neuspaces/system", "system_file", func(ctx context.Context, old systemFile) (File, *Output, error) {
			content := old.Content
			if old.ContentSensitive != nil && *old.ContentSensitive != "" {
				content = old.ContentSensitive
				warnContentShown(ctx, "content_sensitive of a system_file")
			}
			return moveWithoutHost(ctx, old.Path, content, old.Mode)
		}),
		runtime.MoveFrom("hashicorp/local", "local_file", func(_ context.Context, old localFile) (File, *Output, error) {
			return old.move("0777")
		}),
		runtime.MoveFrom("hashicorp/local", "local_sensitive_file", func(ctx context.Context, old localFile) (File, *Output, error) {
			warnContentShown(ctx, "content of a local_sensitive_file")
			return old.move("0700")
		}),
	}
}

func warnContentShown(ctx context.Context, what string) {
	runtime.Warn(ctx, "", "Content no longer hidden",
		"The "+what+" is hidden in every plan; the content of a posix_file is only hidden if its value is sensitive. "+
			"Use a sensitive value for content, or use content_wo, which is not stored in the state.")
}

// moveWithoutHost returns a file without a host. Its next plan gets the host from the configuration.
func moveWithoutHost(ctx context.Context, path string, content, mode *string) (f File, out *Output, err error) {
	f.Content = content
	if err = f.Path.UnmarshalText([]byte(path)); err != nil {
		return f, nil, err
	}
	if f.Mode, err = host.ParseMode(cmp.Or(deref(mode), "0644")); err != nil {
		return f, nil, err
	}
	lifecycle.MarkHostUnknown(ctx)
	out = &Output{Path: f.Path, Mode: f.Mode, Content: f.Content}
	if content != nil {
		out.setFingerprint(fingerprint{sha256.Sum256([]byte(*content)), int64(len(*content))})
	}
	return f, out, nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// move returns the equivalent posix_file. The file is not written; the next refresh
// reads owner and group.
func (old localFile) move(defaultMode string) (File, *Output, error) {
	fail := func(err error) (File, *Output, error) { return File{}, nil, err }
	f := File{Source: old.Source, Content: cmp.Or(old.SensitiveContent, old.Content), ContentBase64: old.ContentBase64}
	// Like hashicorp/local, resolve a relative name from the working directory of the run.
	if old.Filename == "" {
		return fail(errors.New("the state of the file has no filename"))
	}
	path, err := filepath.Abs(old.Filename)
	if err != nil {
		return fail(fmt.Errorf("cannot find the absolute path of %s: %w", host.QuotePath(old.Filename), err))
	}
	if err := f.Path.UnmarshalText([]byte(path)); err != nil {
		return fail(err)
	}
	mode := defaultMode
	if old.FilePermission != nil {
		mode = *old.FilePermission
	}
	if f.Mode, err = host.ParseMode(mode); err != nil {
		return fail(err)
	}
	out := &Output{Host: new(host.LocalName), Path: f.Path, Mode: f.Mode, Content: f.Content, ContentBase64: f.ContentBase64}
	switch {
	case f.Content != nil:
		out.setFingerprint(fingerprint{sha256.Sum256([]byte(*f.Content)), int64(len(*f.Content))})
	case f.ContentBase64 != nil:
		out.setFingerprint(fingerprint{sha256.Sum256(*f.ContentBase64), int64(len(*f.ContentBase64))})
	default:
		out.SHA256 = old.ContentSHA256
	}
	return f, out, nil
}

// Migrations implements [runtime.Migrator]. Version 0 had the write options at the top
// level, and a flag that was false after write-only content had drifted.
func (*File) Migrations() []runtime.Migration {
	type before struct {
		Parents          *bool
		Overwrite        *bool
		Validate         []string `tf:",optional"`
		ValidateOutput   *bool
		Backup           *bool
		ContentWOVersion *string
		ContentWOIntact  *bool `tf:"content_wo_intact"`
		Size             *int64
		BackupPath       *string
	}
	type after struct {
		WriteOptions     *WriteOptions
		ContentWOVersion *string
	}
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, b before) (after, error) {
			options := WriteOptions{Validate: b.Validate, ValidateOutput: b.ValidateOutput, Backup: b.Backup}
			if b.Parents != nil && !*b.Parents {
				options.Parents = b.Parents
			}
			if isTrue(b.Overwrite) {
				options.Overwrite = b.Overwrite
			}
			a := after{ContentWOVersion: b.ContentWOVersion}
			if !reflect.DeepEqual(options, WriteOptions{}) {
				a.WriteOptions = &options
			}
			if b.ContentWOIntact != nil && !*b.ContentWOIntact {
				a.ContentWOVersion = nil
			}
			return a, nil
		}),
	}
}
