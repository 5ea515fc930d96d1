package filecontent

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup reads a regular file that is there already, whoever manages it. Links are
// followed.
//
// The content is in the state. To read a secret, use the ephemeral resource of the
// same name, which stores nothing.
type Lookup struct {
	// The host that the file is on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The absolute path of the file, without `.`, `..` or double slashes.
	Path target.Path

	// Whether it is an error that there is no file. The default is true; when false,
	// `exists` says whether there is one, and all else is null without.
	MustExist *bool

	// Whether to leave the content out. All else is known without it, of a file of any
	// size. The default is false.
	DigestOnly *bool

	// How many bytes the file may have for its content to be read. The default is
	// 1048576, which is 1 MiB.
	MaxSize int64
}

// LookupOutput is what is known of a file.
type LookupOutput struct {
	Host *string `tf:",computed"`
	Path target.Path

	// Whether there is a file.
	Exists bool

	// The content as text; null where it is not text in UTF-8, in the normalisation
	// form C.
	Content *string

	// The content as base64, whatever it is.
	ContentBase64 *string

	// The SHA-256 of the content in hexadecimal.
	SHA256 *string

	// The size of the content in bytes.
	Size *int64

	// The permissions as four octal digits, as `0644`.
	Mode *host.Mode

	// The user that owns the file, by name, or by number where there is none.
	Owner *string

	// The group of the file, by name, or by number where there is none.
	Group *string
}

var (
	_ runtime.TypedDataSource[*LookupOutput, *target.Hosts] = (*Lookup)(nil)
	_ runtime.Defaulter                                     = (*Lookup)(nil)
	_ runtime.Constrainer                                   = (*Lookup)(nil)
)

// DataSource is the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (l *Lookup) Defaults() {
	l.MustExist, l.DigestOnly, l.MaxSize = new(true), new(false), sizeStandard
}

// Constraints is part of [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return []runtime.Constraint{target.HostRule(), runtime.Range("max_size", 1, sizeMax)}
}

// Read is part of [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *target.Hosts) (*LookupOutput, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	out := &LookupOutput{Host: new(h.Name()), Path: l.Path}
	var f found
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
