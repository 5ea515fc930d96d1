package directorylist

import (
	"context"
	"iter"
	"path"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// FileFilter lists the regular files in a directory of a host. `terraform query
// -generate-config-out=FILE` writes import blocks and configurations for them. Symbolic
// links are not followed.
type FileFilter struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Absolute path of the directory to search, without `.`, `..`, double slashes or a
	// trailing slash.
	Path string

	// Whether to search subdirectories as well. Defaults to `false`.
	Recursive *bool

	// Pattern of the files to list. A pattern without `/`, such as `*.conf`, matches
	// names. A pattern with `/` at the beginning or in the middle, such as
	// `sites/**/*.conf`, matches paths relative to the directory. `*` matches any number
	// of characters except `/`, `?` one character except `/`, `[a-z]` one character of a
	// range, `[!a-z]` one outside of it, and `**` as an element of a path any number of
	// directories, including none. A pattern that ends with `/**`, such as `sites/**`,
	// matches all files below the directory before `/**`. `\` removes the special meaning
	// of the next character. If unset, all files are listed.
	Pattern *string
}

// DirectoryFilter lists the directories in a directory of a host. `terraform query
// -generate-config-out=FILE` writes import blocks and configurations for them. Symbolic
// links are not followed.
type DirectoryFilter struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Absolute path of the directory to search, without `.`, `..`, double slashes or a
	// trailing slash. It is not part of the results.
	Path string

	// Whether to search subdirectories as well. Defaults to `false`.
	Recursive *bool

	// Pattern of the directories to list. A pattern without `/`, such as `*.d`, matches
	// names. A pattern with `/` at the beginning or in the middle, such as
	// `sites/**/conf.d`, matches paths relative to the directory. `*` matches any number
	// of characters except `/`, `?` one character except `/`, `[a-z]` one character of a
	// range, `[!a-z]` one outside of it, and `**` as an element of a path any number of
	// directories, including none. A pattern that ends with `/**`, such as `sites/**`,
	// matches the directory before `/**` and all directories below it. `\` removes the special
	// meaning of the next character. If unset, all directories are listed.
	Pattern *string
}

var (
	_ runtime.Constrainer = (*FileFilter)(nil)
	_ runtime.Defaulter   = (*FileFilter)(nil)
	_ runtime.Constrainer = (*DirectoryFilter)(nil)
	_ runtime.Defaulter   = (*DirectoryFilter)(nil)
)

// Files returns the registration of the list resource of files.
func Files() runtime.ListRegistration {
	return runtime.MakeLister[FileFilter, *file.Output, *lifecycle.Hosts]()
}

// Directories returns the registration of the list resource of directories.
func Directories() runtime.ListRegistration {
	return runtime.MakeLister[DirectoryFilter, *directory.Output, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (f *FileFilter) Defaults() { f.Recursive = new(false) }

// Defaults implements [runtime.Defaulter].
func (f *DirectoryFilter) Defaults() { f.Recursive = new(false) }

// Constraints implements [runtime.Constrainer].
func (*FileFilter) Constraints() []runtime.Constraint { return constraints() }

// Constraints implements [runtime.Constrainer].
func (*DirectoryFilter) Constraints() []runtime.Constraint { return constraints() }

// List implements [runtime.TypedLister]. The content of a file is read only if the whole
// object is requested.
func (f *FileFilter) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*file.Output], error] {
	q := query{path: f.Path, recursive: *f.Recursive, pattern: f.Pattern, types: []host.FileType{host.TypeRegular}}
	return list(ctx, hosts, f.Host, q, func(h host.Host, at address.Path, e host.TreeEntry) runtime.Listed[*file.Output] {
		return runtime.Listed[*file.Output]{DisplayName: h.Name() + ":" + string(at), Object: &file.Output{
			Host: new(h.Name()), Path: at, Mode: e.Mode, Owner: &e.Owner, Group: &e.Group,
		}}
	})
}

// List implements [runtime.TypedLister].
func (f *DirectoryFilter) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*directory.Output], error] {
	q := query{path: f.Path, recursive: *f.Recursive, pattern: f.Pattern, types: []host.FileType{host.TypeDirectory}}
	return list(ctx, hosts, f.Host, q, func(h host.Host, at address.Path, e host.TreeEntry) runtime.Listed[*directory.Output] {
		return runtime.Listed[*directory.Output]{DisplayName: h.Name() + ":" + string(at), Complete: true, Object: &directory.Output{
			Host: new(h.Name()), Path: at, Mode: e.Mode, Owner: &e.Owner, Group: &e.Group,
		}}
	})
}

// list yields the objects that a query finds. Objects with paths that Terraform's strings cannot
// contain or that cannot be imported are left out with a warning.
func list[Out any](ctx context.Context, hosts *lifecycle.Hosts, name *string, q query,
	listed func(h host.Host, at address.Path, e host.TreeEntry) runtime.Listed[Out],
) iter.Seq2[runtime.Listed[Out], error] {
	return func(yield func(runtime.Listed[Out], error) bool) {
		h, err := hosts.Find(name)
		var found []host.TreeEntry
		var unnameable, unmanageable int
		if err == nil {
			found, unnameable, err = q.find(ctx, h)
		}
		if err != nil {
			yield(runtime.Listed[Out]{}, err)
			return
		}
		for _, e := range found {
			var at address.Path
			if err := at.UnmarshalText([]byte(path.Join(q.path, e.Path))); err != nil {
				unmanageable++ // not a valid path for a resource
				continue
			}
			if !yield(listed(h, at, e), nil) {
				return
			}
		}
		warnOmitted(ctx, h, q.path, unnameable, notText)
		warnOmitted(ctx, h, q.path, unmanageable, notManageable)
	}
}
