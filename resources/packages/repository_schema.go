package packages

import (
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Repository manages a package repository of a host and the public key that verifies
// its signatures. The resource supports apt, dnf, apk and pacman.
//
// With apt, the repository is the file `/etc/apt/sources.list.d/NAME.sources`, with a
// key in `/etc/apt/keyrings`. With dnf, it is `/etc/yum.repos.d/NAME.repo`, with a key
// in `/etc/pki/rpm-gpg` that dnf imports when it first installs from the repository.
// With apk, it is `/etc/apk/repositories.d/NAME.list`, with a key in `/etc/apk/keys`.
// With pacman, it is the section `[NAME]` in `/etc/pacman.conf`; the rest of the file
// is not changed.
//
// When a repository is added or changed, the package index is updated, unless the
// repository is disabled. With apt and dnf, only the index of this repository is
// updated; with apk and pacman, the indexes of all repositories are updated. If the
// index cannot be updated, for example because of a wrong address, the change is
// reverted. Every plan detects drift of the repository and its key, and the next apply
// repairs it. An update of the resource fails if it would replace a repository or a key that was
// changed on the host after the plan was made: a new plan shows that change.
//
// On create, a repository that is already configured in the same way is adopted. A
// different repository of the same name is an error at plan time: import it to see the
// differences in a plan. On destroy, the repository and its key file are removed; a key
// that dnf has imported stays in the database of rpm.
//
// With apt and dnf, the file is managed as a whole. If it contains other repositories
// as well, a create and an import fail: move the others to files of their own first, or
// manage the file with `posix_file`. Repositories that are added to a managed file
// later are drift of `content`: the next apply or destroy removes them.
//
// The provider must run as root on the host. The resource is tested with apt, dnf 4 and
// pacman. dnf 5 and apk are implemented from their documentation, and are tested only
// with output that was written by hand.
type Repository struct {
	// Host to configure the repository on: a key of the provider's `hosts`, an alias from
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to
	// the provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the repository. With dnf and pacman, it is the ID of the repository; with
	// apt and apk, the name of its file without the extension. Changing this forces a new
	// resource.
	Name string

	// Package manager of the host. Defaults to that of its distribution. Changing this
	// forces a new resource.
	Manager *string

	// Addresses of the repository. With dnf and pacman, they are mirrors of one
	// repository, and can be left out if `options` has the address. With apt and apk, each
	// is a repository of its own.
	URIs []string `tf:"uris,optional"`

	// Suites, such as `bookworm` or `stable`. A suite that ends with a slash is a
	// directory relative to the address, and has no `components`. Required with apt, not
	// supported by the other package managers.
	Suites []string `tf:",optional"`

	// Components, such as `main`. Only supported by apt, where every suite that does not
	// end with a slash needs them.
	Components []string `tf:",optional"`

	// Architectures, such as `amd64`. Only supported by apt. Defaults to those of the
	// host.
	Architectures []string `tf:",optional"`

	// Public key that verifies the signatures of the repository, in ASCII-armored
	// OpenPGP or PEM format; with apt, also a binary OpenPGP key in base64. Cannot be
	// set if `trusted` is `true`. With pacman, add keys with `pacman-key` instead. If
	// unset, the keys that the package manager already trusts are used.
	Key *string

	// Name of the key file in `/etc/apk/keys`, which the signatures of the packages refer
	// to. The file is removed with the repository, so no other repository should need it:
	// use one resource for all `uris` with the same key. Only supported by apk. Defaults to
	// the name of the repository followed by `.rsa.pub`.
	KeyName *string

	// Whether to install packages without verifying signatures. Anyone who can change the
	// repository, or intercept the connection, can then control the host. Not supported
	// by apk. apt rejects `true` for a repository that it has verified before, until
	// `apt-get update` has run without the repository. Defaults to `false`.
	Trusted *bool

	// Whether the repository is enabled. Must be `true` with apk and pacman. Defaults
	// to `true`.
	Enabled *bool

	// Human-readable name of the repository. Only supported by dnf.
	Description *string

	// Additional fields by name: with apt, those of sources.list(5), such as `Signed-By`
	// for an existing key; with dnf, those of dnf.conf(5), such as `priority`; with
	// pacman, those of pacman.conf(5), such as `SigLevel`. Not supported by apk.
	Options map[string]string `tf:",optional"`

	managers *managers `tf:"-"`
}

// RepositoryOutput is the state of a managed repository.
type RepositoryOutput struct {
	Host          *string `tf:",computed"`
	Name          string
	Manager       *string  `tf:",computed"`
	URIs          []string `tf:"uris"`
	Suites        []string
	Components    []string
	Architectures []string
	Key           *string
	KeyName       *string
	Trusted       *bool
	Enabled       *bool
	Description   *string
	Options       map[string]string

	// Path of the file that contains the repository.
	Path string

	// Content of the file; with pacman, of its section. Any change by hand is drift.
	// The content is shown in plans even if `uris` or `options` are sensitive: put
	// passwords into another file, such as one in `/etc/apt/auth.conf.d`.
	Content string
}

var (
	_ runtime.Defaulter                                                             = (*Repository)(nil)
	_ runtime.Constrainer                                                           = (*Repository)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                                      = (*Repository)(nil)
	_ runtime.InputEquivalencer[Repository]                                         = (*Repository)(nil)
	_ runtime.Replacer[Repository]                                                  = (*Repository)(nil)
	_ runtime.ResourcePlanModifier[Repository, *RepositoryOutput, *lifecycle.Scope] = (*Repository)(nil)
	_ runtime.Identifier[address.Named, *RepositoryOutput, *lifecycle.Scope]        = (*Repository)(nil)
	_ runtime.ImportIDParser[address.Named]                                         = (*Repository)(nil)
)

// RepositoryResource returns the registration of posix_package_repository.
func RepositoryResource() runtime.ResourceRegistration {
	s := newManagers()
	return lifecycle.ResourceWith[Repository, *RepositoryOutput](func() *Repository { return &Repository{managers: s} })
}

// Constraints implements [runtime.Constrainer].
func (*Repository) Constraints() []runtime.Constraint {
	word := func(field string) runtime.Constraint {
		return runtime.Each(runtime.Check(field, "must be a single word", checkWord))
	}
	return []runtime.Constraint{
		address.HostRule(), runtime.Check("name", "", checkRepositoryName), managerRule(),
		word("uris"), word("suites"), word("components"), word("architectures"), runtime.Check("key_name", "", checkKeyName),
		runtime.Check("description", "", checkLine), runtime.Check("options", "", checkOptions), runtime.Check("key", "", checkKey),
	}
}

// Defaults implements [runtime.Defaulter].
func (r *Repository) Defaults() { r.Trusted, r.Enabled = new(false), new(true) }

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Repository) ReplaceFields() []string { return []string{"name"} }

// ReplaceOn implements [runtime.Replacer].
func (*Repository) ReplaceOn(field string, prior, _ Repository) bool {
	return lifecycle.ReplacesHost(field, prior.Host) || field == "manager" && prior.Manager != nil
}

// EquivalentInput implements [runtime.InputEquivalencer]. Keys in the same form are equivalent if
// their key files are equal.
func (*Repository) EquivalentInput(field string, prior, current Repository) bool {
	return field == "key" && prior.Key != nil && current.Key != nil && sameKey(*prior.Key, *current.Key)
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. The content changes with
// the attributes that it is rendered from. Any update also renders content that was adopted or
// imported in another form, such as with comments.
func (*Repository) ModifyResourcePlan(req runtime.ResourcePlanRequest[Repository, *RepositoryOutput, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if was := req.PriorOutputs; was != nil && was.Manager != nil {
		f := formats[*was.Manager]
		prior, current := req.PriorInputs, req.CurrentInputs
		prior.managers, current.managers = nil, nil
		text := f.render(current.source(f))
		if f.render(prior.source(f)) != text || runtime.Changed(prior, current) && was.Content != address.Shown(text) {
			resp.MarkOutputUnknown("content")
		}
	}
	return nil
}

// Identity implements [runtime.Identifier].
func (*Repository) Identity(_ *lifecycle.Scope, out *RepositoryOutput) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Repository) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, checkRepositoryName)
}

// repositoryKey returns the key that identifies a repository on its host, not its signing key.
func repositoryKey(name string) lifecycle.Key { return lifecycle.NameKey("package repository", name) }
