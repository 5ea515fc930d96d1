package packages

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Package manages a package of the system: whether it is installed, in which
// version, and whether it is held. It works with apt, dnf, apk and pacman.
//
// A package that is installed already as configured is taken over when the resource
// is created. One in another version, or with another hold, is an error, already in
// the plan: import it, so that a plan shows what would change.
//
// Nothing else is removed, neither to install a package that conflicts with another
// one nor when a package that others need is destroyed: both are errors that name
// the others. What was installed only because a package needs it stays when that is
// destroyed. Configuration files that were changed are kept when a package brings
// new ones.
//
// What is to be installed on a host at the same time is installed in one run of the
// package manager. No step asks anybody anything, and each waits up to ten minutes
// for others who use the package manager.
//
// With apt, dnf and pacman this is tested against the real programs. With apk it is
// written after its documentation, and tested against answers that were written by
// hand.
type Package struct {
	// The host that the package is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// installs the package on the other host, and removes it from this one.
	Host *string

	// The name of the package, as the package manager knows it, without a version and
	// an architecture. What only other packages provide, and groups, are no names.
	// Changing it makes a new object.
	Name string

	// The version that is to be installed, as the package manager writes it, such as
	// `1.24.0-2` or, with an epoch, `1:2.3-1.el9`; or the beginning of one and a star, as
	// `1.24.*`, of which the newest is installed. A version that is older than what is
	// installed is installed as well. When unset, any version is right and none is
	// changed: it is then that which is installed.
	Version *Version

	// Whether the package keeps its version when others are upgraded by hand, as by
	// `apt-mark hold`. With dnf this takes its plugin versionlock; with pacman it is
	// the list `IgnorePkg` of /etc/pacman.conf; with apk it is the version in
	// /etc/apk/world. A change of `version` here is made all the same. The default is
	// false.
	Hold *bool

	// The package manager: `apt`, `dnf`, `apk` or `pacman`. When unset, it is that of
	// the host's distribution. Changing it makes a new object.
	Manager *string

	// Whether configuration files are removed, too, when the package is. It must be
	// applied before it has an effect, and only with apt and pacman it has one. The
	// default is false.
	Purge *bool

	// Whether the package manager gets its index of packages anew where that does not
	// have the package, or the version: once in a run for each host. The default is
	// true.
	UpdateCache *bool

	shops *shops `tf:"-"`
}

// Output is what is known of a package that is installed.
type Output struct {
	Host    *string `tf:",computed"`
	Name    string
	Version *Version `tf:",computed"`
	Hold    *bool
	Manager *string `tf:",computed"`

	// The version that is installed, also where `version` has a star.
	InstalledVersion string `tf:",volatile"`
}

var (
	_ runtime.TypedResource[Package, *Output, *target.Hosts]        = (*Package)(nil)
	_ runtime.Defaulter                                             = (*Package)(nil)
	_ runtime.Constrainer                                           = (*Package)(nil)
	_ runtime.InputValidator[*target.Hosts]                         = (*Package)(nil)
	_ runtime.InputEquivalencer[Package]                            = (*Package)(nil)
	_ runtime.Replacer[Package]                                     = (*Package)(nil)
	_ runtime.ResourcePlanModifier[Package, *Output, *target.Hosts] = (*Package)(nil)
	_ runtime.Identifier[target.Named, *Output, *target.Hosts]      = (*Package)(nil)
	_ runtime.ImportIDParser[target.Named]                          = (*Package)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	s := newShops()
	return runtime.MakeResourceWith[Package, *Output, *target.Hosts](func() *Package { return &Package{shops: s} })
}

// Constraints is part of [runtime.Constrainer].
func (*Package) Constraints() []runtime.Constraint {
	return []runtime.Constraint{target.HostRule(), runtime.Check("name", "", checkName), managerRule()}
}

// Defaults is part of [runtime.Defaulter].
func (p *Package) Defaults() { p.Hold, p.Purge, p.UpdateCache = new(false), new(false), new(true) }

// SchemaVersion is part of [runtime.TypedResource].
func (*Package) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Package) ReplaceFields() []string { return []string{"name"} }

// ReplaceOn is part of [runtime.Replacer]. To say which host or manager it is when
// nothing said so before is no change of it.
func (*Package) ReplaceOn(field string, prior, _ Package) bool {
	return target.ReplacesHost(field, prior.Host) || field == "manager" && prior.Manager != nil
}

// EquivalentInput is part of [runtime.InputEquivalencer]. A version that is
// installed is as good as the beginning of it that is configured. It is not so the
// other way round: state may have a beginning where another version is wanted of it.
func (*Package) EquivalentInput(_ context.Context, field string, prior, current Package) bool {
	return field == "version" && prior.Version != nil && current.Version != nil && !prior.Version.pattern() && current.Version.matches(string(*prior.Version))
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*Package) ModifyResourcePlan(req runtime.ResourcePlanRequest[Package, *Output, *target.Hosts], _ *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, place(req.PriorInputs.Name))
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Package) Identity(_ *target.Hosts, out *Output) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Package) ParseImportID(id string) (target.Named, error) {
	return target.ParseNamed(id, checkName)
}

// place is what the package is remembered by.
func place(name string) target.Path { return target.Name("package", name) }
