package packages

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Repository manages a repository that the package manager of a host installs from,
// with the key that its packages are signed with. It works with apt, dnf, apk and
// pacman.
//
// With apt it is the file /etc/apt/sources.list.d/NAME.sources, with a key in
// /etc/apt/keyrings; with dnf /etc/yum.repos.d/NAME.repo, with a key in
// /etc/pki/rpm-gpg, which dnf takes into its own database when it first installs from
// the repository; with apk /etc/apk/repositories.d/NAME.list, with a key in
// /etc/apk/keys; with pacman the section of that name in /etc/pacman.conf, the rest of
// which is left as it is.
//
// After each change the package manager gets its index anew: with apt and dnf that of
// this repository, with the others all of them. Where that fails, as for an address
// that is wrong, everything is as it was before.
//
// A repository that is configured already just so is taken over when the resource is
// created. Another one of the same name is an error, already in the plan: import it,
// so that a plan shows what would change.
//
// With apt, dnf and pacman this is tested against the real programs. With apk it is
// written after its documentation, and tested against answers that were written by
// hand.
type Repository struct {
	// The host that the repository is configured on: a name in the provider's `hosts`,
	// an alias in the SSH configuration, or a destination such as `root@192.0.2.7:22`.
	// When unset, it is the provider's `default_host`, which is `local` by default.
	// Changing it makes a new object.
	Host *string

	// The name of the repository: with dnf and pacman its id, with the others the name
	// of its file without the ending. Changing it makes a new object.
	Name string

	// The package manager: `apt`, `dnf`, `apk` or `pacman`. When unset, it is that of
	// the host's distribution. Changing it makes a new object.
	Manager *string

	// Where the repository is. With dnf and pacman several are the same one, at
	// several places, and there may be none where `options` say where it is; with apt
	// and apk each is one of its own.
	URIs []string `tf:"uris,optional"`

	// The suites, such as `bookworm` or `stable`; one that ends with a slash is a
	// directory below the address, and goes without `components`. With apt there is
	// one at least; the others have none.
	Suites []string `tf:",optional"`

	// The components, such as `main`. With apt only, where no suite goes without them.
	Components []string `tf:",optional"`

	// The architectures, such as `amd64`, if not those of the system. With apt only.
	Architectures []string `tf:",optional"`

	// The public key that signs the repository: armored, as OpenPGP and PEM write it,
	// or with apt also in base64. With pacman, keys are added with `pacman-key`. When
	// unset, a package manager uses the keys that it trusts anyway.
	Key *string

	// The name of the key's file in /etc/apk/keys, which is what packages there are
	// signed for. With apk only. The default is the name of the repository and
	// `.rsa.pub`.
	KeyName *string

	// Whether what the repository has is installed without any signature: whoever can
	// change it, or what is on its way, can then do anything on the host. Not with apk;
	// and apt refuses it for a repository that it has verified before, until
	// `apt-get update` has run without it. The default is false.
	Trusted *bool

	// Whether the repository is used. With apk and pacman it always is. The default is
	// true.
	Enabled *bool

	// What people call the repository. With dnf only.
	Description *string

	// Further fields as the package manager knows them, by their names: with apt those
	// of sources.list(5), as `Signed-By` for a key that is there already, with dnf
	// those of dnf.conf(5), as `priority`, with pacman those of pacman.conf(5), as
	// `SigLevel`.
	Options map[string]string `tf:",optional"`

	shops *shops `tf:"-"`
}

// RepositoryOutput is what is known of a repository that is configured.
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

	// The path of the file that has the repository.
	Path string

	// What is in the file, with pacman in its section. Whatever is changed in it by hand
	// is drift.
	Content string
}

var (
	_ runtime.TypedResource[Repository, *RepositoryOutput, *target.Hosts]        = (*Repository)(nil)
	_ runtime.Defaulter                                                          = (*Repository)(nil)
	_ runtime.Constrainer                                                        = (*Repository)(nil)
	_ runtime.InputValidator[*target.Hosts]                                      = (*Repository)(nil)
	_ runtime.InputEquivalencer[Repository]                                      = (*Repository)(nil)
	_ runtime.Replacer[Repository]                                               = (*Repository)(nil)
	_ runtime.ResourcePlanModifier[Repository, *RepositoryOutput, *target.Hosts] = (*Repository)(nil)
	_ runtime.Identifier[target.Named, *RepositoryOutput, *target.Hosts]         = (*Repository)(nil)
	_ runtime.ImportIDParser[target.Named]                                       = (*Repository)(nil)
)

// RepositoryResource is the registration of the type.
func RepositoryResource() runtime.ResourceRegistration {
	s := newShops()
	return runtime.MakeResourceWith[Repository, *RepositoryOutput, *target.Hosts](func() *Repository { return &Repository{shops: s} })
}

// Constraints is part of [runtime.Constrainer].
func (*Repository) Constraints() []runtime.Constraint {
	word := func(field string) runtime.Constraint {
		return runtime.Each(runtime.Check(field, "must be a single word", checkWord))
	}
	return []runtime.Constraint{
		target.HostRule(), runtime.Check("name", "", checkRepositoryName), managerRule(),
		word("uris"), word("suites"), word("components"), word("architectures"), runtime.Check("key_name", "", checkKeyName),
		runtime.Check("description", "", checkLine), runtime.Check("options", "", checkOptions), runtime.Check("key", "", checkKey),
	}
}

// Defaults is part of [runtime.Defaulter].
func (r *Repository) Defaults() { r.Trusted, r.Enabled = new(false), new(true) }

// SchemaVersion is part of [runtime.TypedResource].
func (*Repository) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Repository) ReplaceFields() []string { return []string{"name"} }

// ReplaceOn is part of [runtime.Replacer].
func (*Repository) ReplaceOn(field string, prior, _ Repository) bool {
	return target.ReplacesHost(field, prior.Host) || field == "manager" && prior.Manager != nil
}

// EquivalentInput is part of [runtime.InputEquivalencer]. A key is what it says, not
// how its text is broken into lines.
func (*Repository) EquivalentInput(_ context.Context, field string, prior, current Repository) bool {
	return field == "key" && prior.Key != nil && current.Key != nil && sameKey(*prior.Key, *current.Key)
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. The text of the file
// changes with what it is made of.
func (*Repository) ModifyResourcePlan(req runtime.ResourcePlanRequest[Repository, *RepositoryOutput, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, repositoryPlace(req.PriorInputs.Name))
	if was := req.PriorOutputs; was != nil && was.Manager != nil {
		f := formats[*was.Manager]
		if f.render(req.PriorInputs.source(f)) != f.render(req.CurrentInputs.source(f)) {
			resp.MarkOutputUnknown("content")
		}
	}
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Repository) Identity(_ *target.Hosts, out *RepositoryOutput) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Repository) ParseImportID(id string) (target.Named, error) {
	return target.ParseNamed(id, checkRepositoryName)
}

// repositoryPlace is what the repository is remembered by.
func repositoryPlace(name string) target.Path { return target.Name("package repository", name) }
