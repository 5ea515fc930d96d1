package tree

import (
	"context"
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/glob"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Tree keeps a directory like a folder of the machine that runs Terraform or OpenTofu: the
// files in it, the directories below it and the symbolic links, with the content that these
// have in the folder and with modes by rule. Files are sent together, as one stream where the
// host has `tar`; each is replaced in one step, and those that are as they should be are not
// touched. Any file that was changed, removed or given to somebody else on the host is
// found by every plan, which reads all of them there at once, and repaired.
//
// The plan has the numbers of what is to be added, changed and removed, and names the first 100 of
// it in `changes`. The folder must not change between plan and apply: what was not planned is
// not sent.
//
// Files of others in the directory are left alone, unless `purge` is set. What the tree has
// brought and the folder does not have any more is removed in any case.
//
// What exists already when the resource is created is kept where it is the same: files with
// the same content (which get the mode and the owner), links with the same target, directories with the
// same mode and owner. Where anything differs, nothing is done, and the error names it: import the
// directory, so that a plan shows what would change, or set `overwrite`. An interrupted
// apply leaves each file as it was or as it is to be, and the next one goes on.
//
// Destroying the resource removes the files and links that it has brought, and those directories that it
// has made and that are empty then.
type Tree struct {
	// The host that the directory is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new tree.
	Host *string

	// The absolute path of the directory, without `.`, `..` or double slashes.
	// Names are text in UTF-8 and in normalisation form C, as all text in Terraform.
	// Changing it makes a new tree; nothing is moved.
	Path target.Path

	// The folder on the machine that runs Terraform or OpenTofu; begin it with
	// `${path.module}/`. Regular files, directories and symbolic links are brought to the
	// host, links as links with the same target. A socket, a pipe, a device, or a name that
	// is not UTF-8 in normalisation form C is an error of the plan, unless it is excluded.
	// A relative path starts at the working directory of the run. What is sent is what was planned:
	// when the folder has changed by the time of the apply, that is an error, and nothing is written.
	// Terraform may be the first to notice, and says then that the provider produced an inconsistent final
	// plan for `digest`: make a new plan. Where another resource writes to the folder in the same apply, take
	// its path from an attribute that is not known before.
	//
	// An import cannot know the folder: the state has the empty text until the first apply that has something
	// to do, and the tree is all that was in the directory when it was imported. A folder with just that plans
	// nothing; one with less leaves the rest to others from then on, unless `purge` is set.
	Source string

	// What of the folder is left out, as if it had none of it; of others, `purge` leaves it on the host. Patterns,
	// one of which has to match. In a pattern, `*` is any number of characters but `/`, `?` is one of
	// these, `[a-z]` is one of a range and `[!a-z]` one that is not in it, `\` takes the meaning from
	// the character that follows, and all else is itself. A pattern without `/` is for names anywhere
	// in the folder: `*.bak`. One with `/`, at its beginning or in it, is for the path from the folder on:
	// `/build`, `docs/*.md`. As one of its elements, `**` is any number of directories, or none:
	// `docs/**/*.md`. One that ends with `/` is for directories alone. What is in an excluded
	// directory is excluded.
	Exclude []string

	// Whether everything that is in the directory and not in the folder is removed, whoever
	// has put it there, except for what is excluded. The default is false.
	Purge *bool

	// The permissions of files that are not executable in the folder, as three or four octal digits.
	// The default is `0644`. Of the modes in the folder, nothing is taken but whether the
	// owner may execute a file, as these depend on who has checked it out.
	FileMode host.Mode

	// The permissions of files that are executable in the folder. When unset, they are those of
	// `file_mode`, with the right to execute for whoever has the right to read: `0755` of `0644`,
	// `0750` of `0640`. To have the same mode for all files, set it to that of `file_mode`.
	ExecutableMode *host.Mode

	// The permissions of the directory and those below it that are in the folder. The default is `0755`.
	DirectoryMode host.Mode

	// The user that owns all of it, links too, by name or number. When unset, that is the user whom
	// the provider works as for what is new, and is left alone for what exists.
	Owner *string

	// The group of all of it, by name or number. When unset, it is the one that the host gives to
	// what is new, and is left alone for what exists.
	Group *string

	// Whether to create missing directories above this one, with mode 0755 and
	// the owner that the host gives to new directories. They are left when the
	// tree is destroyed. The default is true.
	Parents bool

	// Whether files and links that exist already when the resource is created may be replaced, and
	// directories given another mode. The default is false: they are then errors that name the first of them.
	Overwrite *bool

	memory *memory
	work   *work
}

// Output is what is known of a tree that exists.
type Output struct {
	Host   *string `tf:",computed"`
	Path   target.Path
	Source string
	Owner  *string `tf:",computed"`
	Group  *string `tf:",computed"`

	// A SHA-256 of the names, kinds, modes, contents and link targets of all that is managed, in hexadecimal.
	Digest string

	// How many regular files are managed.
	Files int64

	// How many directories are managed, this one among them.
	Directories int64

	// How many symbolic links are managed.
	Links int64

	// How many bytes the regular files have together.
	Size int64

	// How many files, directories and links are brought by the apply that is planned, or were by the
	// last one. When the tree is created, those count that are there already.
	Added int64

	// How many get another content, mode, owner or target by it.
	Changed int64

	// How many are removed by it.
	Removed int64

	// What is done by it, in the order of the paths: `+ path`, `~ path (what)` or `- path`, of
	// which directories end with `/`. The first 100 are named.
	Changes []string

	// The directories that a creation has made before it failed; the next one goes on with them. It is null else.
	Unfinished []string `tf:",optional"`

	// What the provider knows of each file: its path, kind, mode, owner and half of its digest, packed. It is
	// for the provider alone, and marked sensitive so that plans do not print it.
	Record string `tf:",sensitive,volatile"`
}

// work is what the methods of one receiver tell each other: what was found out of the inputs
// before some of them were put back to what state has.
type work struct {
	adopted *bool // whether an imported tree is as configured; nil before it was asked
	planned *plan // what ModifyResourcePlan found
}

var (
	_ runtime.TypedResource[Tree, *Output, *target.Hosts]         = (*Tree)(nil)
	_ runtime.Defaulter                                           = (*Tree)(nil)
	_ runtime.Constrainer                                         = (*Tree)(nil)
	_ runtime.InputValidator[*target.Hosts]                       = (*Tree)(nil)
	_ runtime.InputEquivalencer[Tree]                             = (*Tree)(nil)
	_ runtime.Replacer[Tree]                                      = (*Tree)(nil)
	_ runtime.ResourcePlanModifier[Tree, *Output, *target.Hosts]  = (*Tree)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                        = (*Tree)(nil)
	_ runtime.Identifier[target.Identity, *Output, *target.Hosts] = (*Tree)(nil)
	_ runtime.ImportIDParser[target.Identity]                     = (*Tree)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	m := newMemory()
	return runtime.MakeResourceWith[Tree, *Output, *target.Hosts](func() *Tree { return &Tree{memory: m, work: &work{}} })
}

// Constraints is part of [runtime.Constrainer].
func (*Tree) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("exclude", "must be patterns", func(patterns []string) error {
			_, err := glob.ParseAll(patterns)
			return err
		}),
		runtime.Check("source", "must be a folder of this machine", func(source string) error {
			switch {
			case source == "":
				return errors.New("it is empty. Begin it with ${path.module}/")
			case strings.Contains(source, "\x00"):
				return errors.New("it contains a NUL byte")
			}
			return nil
		}),
	}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Tree) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Tree) ReplaceFields() []string { return []string{"path"} }

// ReplaceOn is part of [runtime.Replacer].
func (*Tree) ReplaceOn(field string, prior, _ Tree) bool {
	return target.ReplacesHost(field, prior.Host)
}

// Defaults is part of [runtime.Defaulter].
func (t *Tree) Defaults() {
	t.Exclude = []string{}
	t.FileMode = 0o644
	t.DirectoryMode = 0o755
	t.Parents = true
	t.Purge, t.Overwrite = new(false), new(false)
}

func (t *Tree) purges() bool { return t.Purge != nil && *t.Purge }

func (t *Tree) overwrites() bool { return t.Overwrite != nil && *t.Overwrite }

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when a tree is
// created never changes one that exists. An imported tree, of which state knows no source, has what is
// configured where that is all that is there.
func (t *Tree) EquivalentInput(ctx context.Context, field string, prior, current Tree) bool {
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
	return t.adopted(ctx, &prior, &current)
}

// Identity is part of [runtime.Identifier].
func (*Tree) Identity(_ *target.Hosts, out *Output) target.Identity {
	return target.Identity{Host: out.Host, Path: out.Path}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Tree) ParseImportID(id string) (target.Identity, error) { return target.ParseImportID(id) }
