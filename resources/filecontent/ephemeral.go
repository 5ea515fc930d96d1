package filecontent

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Secret reads a regular file of a host without storing it: its content is neither in
// the plan nor in the state. Symbolic links are followed; if the provider runs as root,
// only those that other users cannot change.
//
// The file is read once during the plan, unless something that it depends on has to
// be applied first, and once during the apply.
type Secret struct {
	// Host to read the file from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Absolute path of the file, without `.`, `..`, double slashes or a trailing slash.
	Path address.Path

	// Maximum size of the file in bytes. A larger file is an error. Defaults to
	// `1048576` (1 MiB).
	MaxSize int64
}

// SecretOutput is the file as read for the current run.
type SecretOutput struct {
	Host *string `tf:",computed"`
	Path address.Path

	// Content as text. Null if the content is not UTF-8 in Unicode normalisation form C
	// (NFC).
	Content *string `tf:",sensitive"`

	// Content as a base64-encoded string.
	ContentBase64 string `tf:",sensitive"`

	// SHA-256 digest of the content, in hexadecimal.
	SHA256 string `tf:",sensitive"`

	// Size of the content in bytes.
	Size int64

	// Permissions as four octal digits, such as `0600`.
	Mode host.Mode

	// Owner of the file, as a user name, or as a UID if the user has no name.
	Owner string

	// Group of the file, as a name, or as a GID if the group has no name.
	Group string
}

var (
	_ runtime.Defaulter   = (*Secret)(nil)
	_ runtime.Constrainer = (*Secret)(nil)
)

// EphemeralResource returns the registration of the ephemeral resource type.
func EphemeralResource() runtime.EphemeralRegistration {
	return runtime.MakeEphemeral[Secret, *SecretOutput, runtime.NoSession, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (s *Secret) Defaults() { s.MaxSize = sizeStandard }

// Constraints implements [runtime.Constrainer].
func (*Secret) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), runtime.Range("max_size", 1, sizeMax)}
}

// Open implements [runtime.TypedEphemeral].
func (s *Secret) Open(ctx context.Context, hosts *lifecycle.Hosts) (*SecretOutput, runtime.Lease[runtime.NoSession], error) {
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
