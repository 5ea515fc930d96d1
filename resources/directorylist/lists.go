package directorylist

import (
	"context"
	"iter"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// FileFilter finds the regular files in a directory of a host, so that `terraform query` writes the
// import blocks and configurations of them. Links are not followed.
type FileFilter struct {
	// The host to search: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The absolute path of the directory to search, without `.`, `..` or double slashes.
	Path string

	// Whether to search the directories below it, too. The default is false.
	Recursive *bool

	// Which files to find: a pattern for names, such as `*.conf`, or, with a `/` at its beginning or in it, for paths
	// from the directory on, such as `sites/**/*.conf`. `*` is any number of characters but `/`, `?` is one of
	// these, `[a-z]` is one of a range and `[!a-z]` one that is not in it, `\` takes the meaning from the
	// character that follows; `**` as an element is any number of directories, or none. When unset, all are found.
	Pattern *string
}

// DirectoryFilter finds the directories in a directory of a host, so that `terraform query` writes the
// import blocks and configurations of them. Links are not followed.
type DirectoryFilter struct {
	// The host to search: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The absolute path of the directory to search, without `.`, `..` or double slashes. It is not
	// among what is found.
	Path string

	// Whether to search the directories below it, too. The default is false.
	Recursive *bool

	// Which directories to find: a pattern for names, such as `*.d`, or, with a `/` at its beginning or in it, for
	// paths from the directory on, such as `sites/**/conf.d`. `*` is any number of characters but `/`, `?` is one of
	// these, `[a-z]` is one of a range and `[!a-z]` one that is not in it, `\` takes the meaning from the
	// character that follows; `**` as an element is any number of directories, or none. When unset, all are found.
	Pattern *string
}

var (
	_ runtime.TypedLister[*file.Output, *target.Hosts]      = (*FileFilter)(nil)
	_ runtime.Constrainer                                   = (*FileFilter)(nil)
	_ runtime.Defaulter                                     = (*FileFilter)(nil)
	_ runtime.TypedLister[*directory.Output, *target.Hosts] = (*DirectoryFilter)(nil)
	_ runtime.Constrainer                                   = (*DirectoryFilter)(nil)
	_ runtime.Defaulter                                     = (*DirectoryFilter)(nil)
)

// Files is the registration of the list resource of files.
func Files() runtime.ListRegistration {
	return runtime.MakeLister[FileFilter, *file.Output, *target.Hosts]()
}

// Directories is the registration of the list resource of directories.
func Directories() runtime.ListRegistration {
	return runtime.MakeLister[DirectoryFilter, *directory.Output, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (f *FileFilter) Defaults() { f.Recursive = new(false) }

// Defaults is part of [runtime.Defaulter].
func (f *DirectoryFilter) Defaults() { f.Recursive = new(false) }

// Constraints is part of [runtime.Constrainer].
func (*FileFilter) Constraints() []runtime.Constraint { return constraints() }

// Constraints is part of [runtime.Constrainer].
func (*DirectoryFilter) Constraints() []runtime.Constraint { return constraints() }

// List is part of [runtime.TypedLister]. The content of a file is read only where somebody wants the
// whole object.
func (f *FileFilter) List(ctx context.Context, hosts *target.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*file.Output], error] {
	q := query{path: f.Path, recursive: *f.Recursive, pattern: f.Pattern, kinds: []host.FileType{host.TypeRegular}}
	return list(ctx, hosts, f.Host, q, func(h host.Host, at target.Path, e host.TreeEntry) runtime.Listed[*file.Output] {
		return runtime.Listed[*file.Output]{DisplayName: h.Name() + ":" + string(at), Object: &file.Output{
			Host: new(h.Name()), Path: at, Mode: e.Mode, Owner: &e.Owner, Group: &e.Group,
		}}
	})
}

// List is part of [runtime.TypedLister].
func (f *DirectoryFilter) List(ctx context.Context, hosts *target.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*directory.Output], error] {
	q := query{path: f.Path, recursive: *f.Recursive, pattern: f.Pattern, kinds: []host.FileType{host.TypeDirectory}}
	return list(ctx, hosts, f.Host, q, func(h host.Host, at target.Path, e host.TreeEntry) runtime.Listed[*directory.Output] {
		return runtime.Listed[*directory.Output]{DisplayName: h.Name() + ":" + string(at), Complete: true, Object: &directory.Output{
			Host: new(h.Name()), Path: at, Mode: e.Mode, Owner: &e.Owner, Group: &e.Group,
		}}
	})
}

// list yields what was found. What cannot be imported, for its name, is left out with a warning.
func list[Out any](ctx context.Context, hosts *target.Hosts, name *string, q query,
	listed func(h host.Host, at target.Path, e host.TreeEntry) runtime.Listed[Out],
) iter.Seq2[runtime.Listed[Out], error] {
	return func(yield func(runtime.Listed[Out], error) bool) {
		h, err := hosts.Find(name)
		var found []host.TreeEntry
		var unnameable int
		if err == nil {
			found, unnameable, err = q.find(ctx, h)
		}
		if err != nil {
			yield(runtime.Listed[Out]{}, err)
			return
		}
		for _, e := range found {
			var at target.Path
			if err := at.UnmarshalText([]byte(path.Join(q.path, e.Path))); err != nil {
				unnameable++ // the name of a temporary file
				continue
			}
			if !yield(listed(h, at, e), nil) {
				return
			}
		}
		left(ctx, h, q.path, unnameable)
	}
}
