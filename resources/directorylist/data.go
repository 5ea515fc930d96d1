package directorylist

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup lists what is in a directory, whoever manages it: files, directories, links and all
// else, with their modes and owners. Links are listed and not followed.
type Lookup struct {
	// The host that the directory is on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The absolute path of the directory, without `.`, `..` or double slashes.
	Path string

	// Whether to list what is in directories below it, too. The default is false.
	Recursive *bool

	// What to list: a pattern for names, such as `*.conf`, or, with a `/` at its beginning or in it, for paths from
	// the directory on, such as `sites/**/*.conf`. `*` is any number of characters but `/`, `?` is one of
	// these, `[a-z]` is one of a range and `[!a-z]` one that is not in it, `\` takes the meaning from the
	// character that follows; `**` as an element is any number of directories, or none; a `/` at the end is for
	// directories alone. When unset, everything is listed.
	Pattern *string

	// How many entries there may be in the list; more is an error. The default is 1000.
	MaxEntries int64

	// Whether it is an error that there is no such directory. The default is true; when false,
	// `exists` says whether there is one.
	MustExist *bool
}

// LookupOutput is what was found.
type LookupOutput struct {
	Host *string `tf:",computed"`
	Path string

	// Whether there is such a directory.
	Exists bool

	// What is in it, sorted by path.
	Entries []Entry
}

// Entry is something in the directory.
type Entry struct {
	// Its path from the directory on; where nothing but that itself is listed, its name.
	Name string

	// Its absolute path.
	Path string

	// What it is: `file`, `directory`, `symlink`, `fifo`, `socket`, `block_device`, `character_device` or `other`.
	Type string

	// The permissions as four octal digits, as `0644`.
	Mode host.Mode

	// The user that owns it, by name, or by number where there is none.
	Owner string

	// Its group, by name, or by number where there is none.
	Group string

	// How many bytes a file has; null of all else.
	Size *int64

	// When it was last changed, as `2026-01-31T12:00:00Z`.
	Modified string

	// The target of a link; null of all else.
	Target *string
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
	l.Recursive, l.MustExist, l.MaxEntries = new(false), new(true), 1000
}

// Constraints is part of [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return append(constraints(), runtime.Range("max_entries", 1, most))
}

// Read is part of [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *target.Hosts) (*LookupOutput, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	q := query{path: l.Path, recursive: *l.Recursive, pattern: l.Pattern}
	out := &LookupOutput{Host: new(h.Name()), Path: l.Path, Entries: []Entry{}}
	found, unnameable, err := q.find(ctx, h)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !*l.MustExist:
		return out, nil
	case err != nil:
		return nil, err
	case len(found) > l.limit():
		return nil, diag.AttributeErrorf("max_entries", "%s on host %s has %d entries to list, and %d are the most. "+
			"Choose fewer by pattern, or raise max_entries", host.QuotePath(l.Path), h.Name(), len(found), l.MaxEntries)
	}
	left(ctx, h, l.Path, unnameable)
	out.Exists = true
	for _, e := range found {
		out.Entries = append(out.Entries, entry(l.Path, e))
	}
	return out, nil
}

func (l *Lookup) limit() int { return int(min(l.MaxEntries, most)) }

// types are the words for what something is.
var types = map[host.FileType]string{
	host.TypeRegular: "file", host.TypeDirectory: "directory", host.TypeSymlink: "symlink", host.TypeFIFO: "fifo",
	host.TypeSocket: "socket", host.TypeBlockDevice: "block_device", host.TypeCharDevice: "character_device", host.TypeUnknown: "other",
}

func entry(in string, e host.TreeEntry) Entry {
	one := Entry{
		Name: e.Path, Path: path.Join(in, e.Path), Type: types[e.Type], Mode: e.Mode, Owner: e.Owner, Group: e.Group,
		Modified: e.ModTime.UTC().Truncate(time.Second).Format(time.RFC3339),
	}
	switch e.Type {
	case host.TypeRegular:
		one.Size = &e.Size
	case host.TypeSymlink:
		one.Target = &e.LinkTarget
	}
	return one
}
