package directorylist

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup lists the objects in a directory of a host, whether or not Terraform manages
// them: files, directories, symbolic links and others, with their modes and owners.
// Symbolic links are listed but not followed.
type Lookup struct {
	// Host to read the directory from: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Absolute path of the directory, without `.`, `..`, double slashes or a trailing
	// slash.
	Path string

	// Whether to include the content of subdirectories. Defaults to `false`.
	Recursive *bool

	// Pattern of the objects to list. A pattern without `/`, such as `*.conf`, matches
	// names. A pattern with `/` at the beginning or in the middle, such as
	// `sites/**/*.conf`, matches paths relative to the directory. `*` matches any number
	// of characters except `/`, `?` one character except `/`, `[a-z]` one character of a
	// range, `[!a-z]` one outside of it, and `**` as an element of a path any number of
	// directories, including none. A pattern that ends with `/**`, such as `sites/**`,
	// matches the directory before `/**` and everything below it. One that ends with `/` matches
	// directories only. `\` removes the special meaning of the next character. If unset,
	// all objects match.
	Pattern *string

	// Maximum number of entries; more are an error. Defaults to `1000`.
	MaxEntries int64

	// Whether a missing directory is an error. If `false`, `exists` shows whether there
	// is a directory. Defaults to `true`.
	MustExist *bool
}

// LookupOutput is the content of the directory.
type LookupOutput struct {
	Host *string `tf:",computed"`
	Path string

	// Whether the directory exists.
	Exists bool

	// Objects in the directory, sorted by path. Those whose names or link targets are
	// not UTF-8 in Unicode normalisation form C (NFC) are left out, with a warning.
	Entries []Entry
}

// Entry is an object in the directory.
type Entry struct {
	// Path relative to the directory; without `recursive`, the name.
	Name string

	// Absolute path.
	Path string

	// Type of the object: `file`, `directory`, `symlink`, `fifo`, `socket`,
	// `block_device`, `character_device` or `other`.
	Type string

	// Permissions as four octal digits, such as `0644`.
	Mode host.Mode

	// Owner, as a user name, or as a UID if the user has no name.
	Owner string

	// Group, as a name, or as a GID if the group has no name.
	Group string

	// Size of a file in bytes. Null for other objects.
	Size *int64

	// Time of the last modification, such as `2026-01-31T12:00:00Z`.
	Modified string

	// Target of a symbolic link. Null for other objects.
	Target *string
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
	l.Recursive, l.MustExist, l.MaxEntries = new(false), new(true), 1000
}

// Constraints implements [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return append(constraints(), runtime.Range("max_entries", 1, maxObjects))
}

// Read implements [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*LookupOutput, error) {
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
		return nil, diag.AttributeErrorf("max_entries", "%s on host %s has %d entries, which is more than max_entries (%d). "+
			"Use pattern to list fewer entries, or increase max_entries", host.QuotePath(l.Path), h.Name(), len(found), l.MaxEntries)
	}
	warnOmitted(ctx, h, l.Path, unnameable, notText)
	out.Exists = true
	for _, e := range found {
		out.Entries = append(out.Entries, newEntry(l.Path, e))
	}
	return out, nil
}

func (l *Lookup) limit() int { return int(min(l.MaxEntries, maxObjects)) }

// typeNames has the value of Entry.Type for each file type.
var typeNames = map[host.FileType]string{
	host.TypeRegular: "file", host.TypeDirectory: "directory", host.TypeSymlink: "symlink", host.TypeFIFO: "fifo",
	host.TypeSocket: "socket", host.TypeBlockDevice: "block_device", host.TypeCharDevice: "character_device", host.TypeUnknown: "other",
}

func newEntry(dir string, e host.TreeEntry) Entry {
	one := Entry{
		Name: e.Path, Path: path.Join(dir, e.Path), Type: typeNames[e.Type], Mode: e.Mode, Owner: e.Owner, Group: e.Group,
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
