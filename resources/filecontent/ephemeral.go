package filecontent

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Secret reads a regular file while a run needs it, and stores nothing of it:
// neither the plan nor the state has the content. Links are followed. It is read
// once for the plan and once more for the apply.
type Secret struct {
	// The host that the file is on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The absolute path of the file, without `.`, `..` or double slashes.
	Path target.Path

	// How many bytes the file may have. The default is 1048576, which is 1 MiB.
	MaxSize int64
}

// SecretOutput is what is known of a file for the time of a run.
type SecretOutput struct {
	Host *string `tf:",computed"`
	Path target.Path

	// The content as text; null where it is not text in UTF-8, in the normalisation
	// form C.
	Content *string `tf:",sensitive"`

	// The content as base64, whatever it is.
	ContentBase64 string `tf:",sensitive"`

	// The SHA-256 of the content in hexadecimal.
	SHA256 string `tf:",sensitive"`

	// The size of the content in bytes.
	Size int64

	// The permissions as four octal digits, as `0600`.
	Mode host.Mode

	// The user that owns the file, by name, or by number where there is none.
	Owner string

	// The group of the file, by name, or by number where there is none.
	Group string
}

var (
	_ runtime.TypedEphemeral[*SecretOutput, runtime.NoSession, *target.Hosts] = (*Secret)(nil)
	_ runtime.Defaulter                                                       = (*Secret)(nil)
	_ runtime.Constrainer                                                     = (*Secret)(nil)
)

// EphemeralResource is the registration of the ephemeral resource type.
func EphemeralResource() runtime.EphemeralRegistration {
	return runtime.MakeEphemeral[Secret, *SecretOutput, runtime.NoSession, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (s *Secret) Defaults() { s.MaxSize = sizeStandard }

// Constraints is part of [runtime.Constrainer].
func (*Secret) Constraints() []runtime.Constraint {
	return []runtime.Constraint{target.HostRule(), runtime.Range("max_size", 1, sizeMax)}
}

// Open is part of [runtime.TypedEphemeral].
func (s *Secret) Open(ctx context.Context, hosts *target.Hosts) (*SecretOutput, runtime.Lease[runtime.NoSession], error) {
	var none runtime.Lease[runtime.NoSession]
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, none, err
	}
	f, err := read(ctx, h, s.Path, s.MaxSize)
	if err != nil {
		return nil, none, explain(h, s.Path, err)
	}
	return &SecretOutput{
		Host: new(h.Name()), Path: s.Path, Content: f.text(), ContentBase64: f.base64(), SHA256: f.hex(),
		Size: f.info.Size, Mode: f.info.Mode, Owner: f.info.Owner, Group: f.info.Group,
	}, none, nil
}
