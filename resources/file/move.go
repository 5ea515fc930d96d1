package file

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// localFile has the attributes of both file resources of hashicorp/local.
type localFile struct {
	Filename         string  `tf:",optional"`
	Content          *string `tf:",sensitive"`
	SensitiveContent *string `tf:",sensitive"`
	ContentBase64    *Base64 `tf:",sensitive"`
	Source           *string
	FilePermission   *string
	ContentSHA256    *string `tf:"content_sha256"`
}

// remoteFile has the attributes of the file of tenstad/remote. Its conn has an address and
// credentials; only the configuration can say which of the provider's hosts that is.
type remoteFile struct {
	Path        string
	Content     *string `tf:",sensitive"`
	Permissions *string
}

// systemFile has the attributes of the file of neuspaces/system. Its state has a tag for a
// source, but no path.
type systemFile struct {
	Path             string
	Content          *string `tf:",sensitive"`
	ContentSensitive *string `tf:",sensitive"`
	Mode             *string
}

// Moves is part of [runtime.Mover].
func (*File) Moves() []runtime.Move {
	return []runtime.Move{
		runtime.MoveFrom("tenstad/remote", "remote_file", func(ctx context.Context, old remoteFile) (File, *Output, error) {
			return arriving(ctx, old.Path, old.Content, old.Permissions)
		}),
		runtime.MoveFrom("neuspaces/system", "system_file", func(ctx context.Context, old systemFile) (File, *Output, error) {
			content := old.Content
			if old.ContentSensitive != nil && *old.ContentSensitive != "" {
				content = old.ContentSensitive
				warnShown(ctx, "content_sensitive of a system_file")
			}
			return arriving(ctx, old.Path, content, old.Mode)
		}),
		runtime.MoveFrom("hashicorp/local", "local_file", func(_ context.Context, old localFile) (File, *Output, error) {
			return old.move("0777")
		}),
		runtime.MoveFrom("hashicorp/local", "local_sensitive_file", func(ctx context.Context, old localFile) (File, *Output, error) {
			warnShown(ctx, "content of a local_sensitive_file")
			return old.move("0700")
		}),
	}
}

func warnShown(ctx context.Context, what string) {
	runtime.Warn(ctx, "", "Content no longer hidden",
		"The "+what+" is hidden in every plan; the content of a posix_file is only hidden if its value is sensitive. "+
			"Use a sensitive value for content, or use content_wo to not store it in the state.")
}

// arriving returns a moved file whose host is known only from the configuration.
func arriving(ctx context.Context, path string, content, mode *string) (f File, out *Output, err error) {
	f.Content = content
	if err = f.Path.UnmarshalText([]byte(path)); err != nil {
		return f, nil, err
	}
	if f.Mode, err = host.ParseMode(cmp.Or(deref(mode), "0644")); err != nil {
		return f, nil, err
	}
	lifecycle.LeaveHostOpen(ctx)
	out = &Output{Path: f.Path, Mode: f.Mode, Content: f.Content}
	if content != nil {
		out.setFacts(facts{sha256.Sum256([]byte(*content)), int64(len(*content))})
	}
	return f, out, nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// move returns the inputs and outputs of a posix_file with the same content. The file is
// not written; owner and group are set by the first refresh.
func (old localFile) move(defaultMode string) (File, *Output, error) {
	fail := func(err error) (File, *Output, error) { return File{}, nil, err }
	f := File{Source: old.Source, Content: old.Content, ContentBase64: old.ContentBase64}
	if old.SensitiveContent != nil {
		f.Content = old.SensitiveContent
	}
	// hashicorp/local resolves a relative path like this provider: from the working
	// directory of the run.
	if old.Filename == "" {
		return fail(errors.New("its state has no filename"))
	}
	path, err := filepath.Abs(old.Filename)
	if err != nil {
		return fail(fmt.Errorf("find the absolute path of %s: %w", host.QuotePath(old.Filename), err))
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
		out.setFacts(facts{sha256.Sum256([]byte(*f.Content)), int64(len(*f.Content))})
	case f.ContentBase64 != nil:
		out.setFacts(facts{sha256.Sum256(*f.ContentBase64), int64(len(*f.ContentBase64))})
	default:
		out.SHA256 = old.ContentSHA256
		if info, err := os.Stat(path); err == nil {
			out.Size = new(info.Size()) // the state has no size; a missing file is detected by the read
		}
	}
	return f, out, nil
}
