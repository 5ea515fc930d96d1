package filecontent

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup reads a regular file of a host, whether or not Terraform manages it.
// Symbolic links are followed; if the provider runs as root, only those that other
// users cannot change.
//
// The content is stored in the state. To read a secret, use the ephemeral resource of
// the same name, which stores nothing.
type Lookup struct {
	// Host to read the file from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Absolute path of the file, without `.`, `..`, double slashes or a trailing slash.
	Path address.Path

	// Whether a missing file is an error. If `false`, `exists` shows whether there is a
	// file, and the content and metadata of a missing file are null. Defaults to `true`.
	MustExist *bool

	// Whether to leave out the content. The other attributes are still set, for a file of
	// any size. Defaults to `false`.
	DigestOnly *bool

	// Maximum size of the file in bytes. A larger file is an error, unless
	// `digest_only` is `true`. Defaults to `1048576` (1 MiB).
	MaxSize int64
}

// LookupOutput is the state of the file.
type LookupOutput struct {
	Host *string `tf:",computed"`
	Path address.Path

	// Whether the file exists.
	Exists bool

	// Content as text. Null if the content is not UTF-8 in Unicode normalisation form C
	// (NFC).
	Content *string

	// Content as a base64-encoded string.
	ContentBase64 *string

	// SHA-256 digest of the content, in hexadecimal.
	SHA256 *string

	// Size of the content in bytes. If `digest_only` is `true`, the size that the host
	// reports, which is 0 for most files in `/proc`.
	Size *int64

	// Permissions as four octal digits, such as `0644`.
	Mode *host.Mode

	// Owner of the file, as a user name, or as a UID if the user has no name.
	Owner *string

	// Group of the file, as a name, or as a GID if the group has no name.
	Group *string
}

var (
	_ runtime.Defaulter   = (*Lookup)(nil)
	_ runtime.Constrainer = (*Lookup)(nil)
)

// DataSource returns the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (l *Lookup) Defaults() {
	l.MustExist, l.DigestOnly, l.MaxSize = new(true), new(false), sizeStandard
}

// Constraints implements [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), runtime.Range("max_size", 1, sizeMax)}
}

// Read implements [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*LookupOutput, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	out := &LookupOutput{Host: new(h.Name()), Path: l.Path}
	var f contents
	if *l.DigestOnly {
		f, err = digest(ctx, h, l.Path)
	} else {
		f, err = read(ctx, h, l.Path, l.MaxSize)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !*l.MustExist:
		return out, nil
	case err != nil:
		return nil, explain(h, l.Path, err)
	}
	out.Exists = true
	out.SHA256, out.Size, out.Mode = new(f.hex()), &f.info.Size, &f.info.Mode
	out.Owner, out.Group = &f.info.Owner, &f.info.Group
	if !*l.DigestOnly {
		out.Content, out.ContentBase64 = f.text(), new(f.base64())
	}
	return out, nil
}
