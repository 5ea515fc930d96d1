package tree

import (
	"context"
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Tree manages a directory as a copy of a local directory: its files, subdirectories
// and symbolic links. Their modes are configured, not copied.
//
// Over SSH, up to 20,000 files are transferred as one stream if the host has `tar`. Each file
// is replaced atomically, and files that are up to date are not touched. Every plan reads
// all managed files on the host, and detects each file that was changed or removed and,
// if `owner` or `group` is set, each file with a different owner or group. The next
// apply repairs these files.
//
// The plan shows how many objects will be added, changed and removed, and lists the
// first 100 of them in `changes`. The source must not change between plan and apply:
// only the planned content is transferred.
//
// Other files in the directory are kept unless `purge` is `true`. Files and links
// that the tree added or adopted are removed if they are no longer in the source, and so are
// directories that it created, if they are then empty. Objects that another resource has
// created or adopted in the same apply are kept.
//
// On create, existing objects are adopted if they match. A file matches if it has the
// same content; it gets the configured mode, owner and group. A link matches if it has the same
// target. A directory matches if it is empty, has the same mode, owner and group, or was created
// in the same apply as a parent of another object. If any object differs, nothing is
// changed and the error names it: import the directory to see in a plan what would
// change, or set `overwrite`.
//
// If a path is new in the source, an update treats an existing object there in the same
// way, but does not use `overwrite`: move or remove the objects that the error names, or
// exclude them. With `purge`, the plan of an update shows such objects as changes, and
// the apply replaces them, except for directories with excluded objects.
//
// An update fails before it changes anything if the content, the target or the type of a
// managed object was changed on the host after the plan was made. The same applies to
// the mode of an object that is in the source. An update does not fail for an object
// that already matches the source. An interrupted apply leaves each file in either its
// old or its new state, and the next apply continues, even if the source has changed
// since.
//
// On destroy, the files and links that the tree added or adopted are removed, even if they were
// changed. The directories that it created are removed if they are then empty. All other objects are
// kept, even with `purge`, and so are objects of another type in the place of a managed one, and
// those that another resource has created or adopted in the same apply. The objects of an imported
// tree, including its directories, count as created by it.
type Tree struct {
	// Host to manage the directory on: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Absolute path of the directory, without `.`, `..`, double slashes or a trailing
	// slash. Must be UTF-8 in Unicode normalisation form C (NFC), like every string in
	// Terraform. Changing this forces a new resource; the content is not moved.
	Path address.Path

	// Local directory to copy, on the host that runs the provider. A relative path
	// starts at the working directory of the run: begin the path of a directory in the
	// module with `${path.module}/`. Regular files, directories and symbolic links are
	// copied; links keep their targets. A socket, a pipe, a device, or a name that is
	// not UTF-8 in normalisation form C (NFC) is an error at plan time, unless it is
	// excluded. More than 100,000 objects are also an error.
	//
	// Only the planned content is copied: if the source changes between plan and apply,
	// the apply fails and nothing is written. Terraform may detect this first and report
	// that the provider produced an inconsistent final plan for `digest`; create a new
	// plan in that case. If another resource writes to the source in the same apply, take
	// the path from an attribute that is unknown until that resource is applied.
	//
	// The source of an imported tree is an empty string in the state until the first
	// apply that changes something. Until then, the tree consists of everything that
	// was in the directory when it was imported. If the configuration describes exactly
	// these objects, and does not set `executable_mode`, the plan shows no changes. If the
	// configured source has fewer objects, the others are no longer managed from the next
	// apply on, unless `purge` is `true`. Generated configuration of an imported tree also
	// has the empty string: until it is replaced by a directory, plans show a warning and
	// change nothing. Everywhere else, an empty source is an error.
	Source string

	// Patterns of objects in the source to leave out, as if they did not exist. On the
	// host, `purge` keeps objects that match. An object is excluded if one of the
	// patterns matches its name or path:
	//   - `*` matches any number of characters except `/`.
	//   - `?` matches one character except `/`.
	//   - `[a-z]` matches one character of a range, `[!a-z]` one outside of it.
	//   - `\` removes the special meaning of the next character.
	//   - `**` as an element of a path matches any number of directories, including none:
	//     `docs/**/*.md`. A pattern that ends with `/**`, such as `docs/**`, matches the
	//     directory before `/**` and everything below it.
	//   - A pattern without `/` matches names at any depth: `*.bak`.
	//   - A pattern with `/` at the beginning or in the middle matches paths relative
	//     to the source: `/build`, `docs/*.md`.
	//   - A pattern that ends with `/` matches directories only.
	//
	// Everything in an excluded directory is excluded.
	Exclude []string

	// Whether to remove everything in the directory that is not in the source, regardless
	// of who created it. Excluded objects are kept, except for files and links that the tree
	// added or adopted earlier, and directories that it created. On create, `purge` removes nothing:
	// existing objects that are not in the source are an error, even with `overwrite`. If a
	// file system is mounted below the directory and would lose objects, the apply fails
	// before it changes anything: exclude the mount point. A host with SFTP only does not
	// report mount points. Destroy does not use `purge`: it keeps what the tree does not
	// manage. Defaults to `false`.
	Purge *bool

	// Permissions of files that are not executable in the source, as three or four octal
	// digits. Of the modes in the source, only the execute permission of the owner is
	// used, since the rest depends on the umask with which the files were created.
	// Defaults to `0644`.
	FileMode host.Mode

	// Permissions of files that are executable in the source. Defaults to `file_mode`
	// with execute permission added wherever there is read permission: `0755` for `0644`,
	// `0750` for `0640`. To use one mode for all files, set this to the value of
	// `file_mode`.
	ExecutableMode *host.Mode

	// Permissions of the directory and of the directories below it that are in the
	// source. Defaults to `0755`.
	DirectoryMode host.Mode

	// Owner of all managed objects, including links, as a user name or UID. If unset, new
	// objects are owned by the user the provider runs as on the host, and the owner of
	// existing objects is not changed.
	Owner *string

	// Group of all managed objects, as a group name or GID. If unset, new objects get the
	// group that the host assigns, and the group of existing objects is not changed.
	Group *string

	// Whether to create missing parent directories, with mode `0755` and the owner that
	// the host assigns. They are kept on destroy. Defaults to `true`.
	Parents bool

	// Whether a create may replace existing files and links that differ, change the mode,
	// owner and group of existing directories, and replace an object of another type at `path`,
	// such as a file or a link, with the directory. If `false` (the default), such objects are an
	// error that names up to five of them. Below `path`, an object whose type differs from the
	// source is an error in either case. Has no effect on updates.
	Overwrite *bool

	lifecycle.Links

	cache    *cache
	planning *planning
}

// Output is the state of a managed tree.
type Output struct {
	Host   *string `tf:",computed"`
	Path   address.Path
	Source string
	Owner  *string `tf:",computed"`
	Group  *string `tf:",computed"`

	// SHA-256 digest of the names, types, modes, contents and link targets of all managed
	// objects, in hexadecimal.
	Digest string

	// Number of managed regular files.
	Files int64

	// Number of managed directories, including the one at `path`.
	Directories int64

	// Number of managed symbolic links.
	Links int64

	// Total size of the regular files in bytes.
	Size int64

	// Number of files, directories and links that the planned apply adds. On create,
	// those that already exist are included. Null if nothing is planned: values of an
	// earlier plan are not kept.
	Added *int64 `tf:",transient"`

	// Number of files, directories and links that the planned apply changes or replaces.
	// Null if nothing is planned.
	Changed *int64 `tf:",transient"`

	// Number of files, directories and links that the planned apply removes. Null if
	// nothing is planned.
	Removed *int64 `tf:",transient"`

	// Changes that the planned apply makes, sorted by path: `+ path`, `~ path
	// (differences)` or `- path`. Directories end with `/`. Only the first 100 are
	// listed, followed by the number of the remaining ones. Null if nothing is planned. The list
	// is not kept for the next plan: to restart something after a change, use `digest`.
	Changes []string `tf:",optional,transient"`

	// Directories that a create made before it failed; the next create continues with
	// them. Null otherwise.
	Unfinished []string `tf:",optional"`

	// Path, type, mode, owner, group and half of the digest of each object, compressed. For
	// use by the provider only. Marked as sensitive so that plans do not print it.
	Record string `tf:",sensitive,volatile"`
}

// planning has values that the methods of one receiver share.
type planning struct {
	// adopts is whether an imported tree is as configured; nil before the first check. The result is kept, because
	// the prior source then replaces the configured one.
	adopts  *bool
	planned *plan // result of ModifyResourcePlan
}

var (
	_ runtime.Defaulter                                               = (*Tree)(nil)
	_ runtime.Constrainer                                             = (*Tree)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                        = (*Tree)(nil)
	_ runtime.ContextInputEquivalencer[Tree]                          = (*Tree)(nil)
	_ runtime.Replacer[Tree]                                          = (*Tree)(nil)
	_ lifecycle.Composite                                             = (*Tree)(nil)
	_ runtime.ResourcePlanModifier[Tree, *Output, *lifecycle.Scope]   = (*Tree)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                         = (*Tree)(nil)
	_ runtime.Identifier[address.Identity, *Output, *lifecycle.Scope] = (*Tree)(nil)
	_ runtime.ImportIDParser[address.Identity]                        = (*Tree)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	m := newCache()
	return lifecycle.ResourceWith[Tree, *Output](func() *Tree { return &Tree{cache: m, planning: &planning{}} })
}

// Constraints implements [runtime.Constrainer].
func (*Tree) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("exclude", "", func(patterns []string) error {
			_, err := glob.ParseAll(patterns)
			return err
		}),
		runtime.Check("source", "", func(source string) error {
			if strings.Contains(source, "\x00") {
				return errors.New("source must not contain NUL bytes")
			}
			return nil
		}),
	}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Tree) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn implements [runtime.Replacer].
func (*Tree) ReplaceOn(field string, prior, _ Tree) bool {
	return lifecycle.ReplacesHost(field, prior.Host)
}

// Defaults implements [runtime.Defaulter].
func (t *Tree) Defaults() {
	t.Exclude = []string{}
	t.FileMode = 0o644
	t.DirectoryMode = 0o755
	t.Parents = true
	t.Purge, t.Overwrite = new(false), new(false)
}

func (t *Tree) purges() bool { return t.Purge != nil && *t.Purge }

func (t *Tree) overwrites() bool { return t.Overwrite != nil && *t.Overwrite }

// EquivalentInputContext implements [runtime.ContextInputEquivalencer]. Inputs that are only used on
// create never change an existing tree. An imported tree is compared as a whole, see
// adopts.
func (t *Tree) EquivalentInputContext(ctx context.Context, field string, prior, current Tree) bool {
	switch field {
	case "parents", "overwrite":
		return true
	case "file_mode":
		if prior.FileMode == current.FileMode {
			return true
		}
	case "directory_mode":
		if prior.DirectoryMode == current.DirectoryMode {
			return true
		}
	case "executable_mode":
		if prior.ExecutableMode != nil && current.ExecutableMode != nil && *prior.ExecutableMode == *current.ExecutableMode {
			return true
		}
	case "source", "exclude", "purge":
	default:
		return false
	}
	return t.adopts(ctx, &prior, &current)
}

// Identity implements [runtime.Identifier].
func (*Tree) Identity(_ *lifecycle.Scope, out *Output) address.Identity {
	return address.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Tree) ParseImportID(id string) (address.Identity, error) { return address.ParseImportID(id) }
