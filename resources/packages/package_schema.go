package packages

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Package manages a software package: its installation, its version and its hold. The
// resource supports apt, dnf, apk and pacman.
//
// Every plan detects a package that was removed, a version that does not match
// `version`, and a hold that differs from `hold`; the next apply repairs them.
//
// On create, a package that is installed as configured is adopted: it is marked as
// explicitly installed, and held if `hold` is `true`. A package with a different version,
// or with a hold that is not configured, is an error at plan time: import it to see the
// differences in a plan. On destroy, the package is removed.
//
// A package that conflicts with installed packages is not installed: the error names
// them. On destroy, packages that require this one are removed with it if they were
// installed only as dependencies or recommendations. If one of them was installed
// explicitly, or is managed by another resource, the destroy fails, and the error names
// it. Dependencies that were installed with a package stay on the host when it is
// removed, but apk removes those that nothing else needs. Modified configuration files
// are kept if a package contains new versions of them. However, dnf replaces those that
// the package does not mark as `noreplace`, and keeps copies with the suffix
// `.rpmsave`.
//
// Packages that are installed on a host at the same time are installed in one run of the
// package manager. It runs without prompts. With apt, apk and pacman, it waits up to ten
// minutes for other processes that use the package manager, and with dnf until they end.
// It continues on the host if the connection is lost or the provider is killed, and the
// next apply waits up to ten minutes for it to end: for this, the host must have the
// programs flock and setsid, from util-linux or busybox. An interrupted dpkg, for
// example after a power failure, is repaired with `dpkg --configure -a` before the next
// change, with a warning. A lock that a killed pacman left behind is removed. The output
// is kept in `/run/terraform-provider-posix` until a later run or a boot removes it.
//
// The provider must run as root on the host. The resource is tested with apt, dnf 4 and
// pacman. dnf 5 and apk are implemented from their documentation, and are tested only
// with output that was written by hand.
type Package struct {
	// Host to install the package on: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource: the package is
	// installed on the new host and removed from the old one.
	Host *string

	// Name of the package in the package manager, without a version or an architecture.
	// Groups and virtual packages, which other packages provide, are not supported. Changing
	// this forces a new resource.
	Name string

	// Version to install, as written by the package manager, such as `1.24.0-2`, or
	// `1:2.3-1.el9` with an epoch. A prefix followed by `*`, such as `1.24.*`, installs
	// the newest version that matches. If the version is older than the installed one,
	// the package is downgraded. If unset, any version is accepted and kept, and the
	// attribute has the installed version.
	Version *Version

	// Whether to hold the package at its version when packages are upgraded by hand, as
	// with `apt-mark hold`. A change of `version` still takes effect. dnf 4 requires
	// its plugin versionlock; pacman uses `IgnorePkg` in `/etc/pacman.conf`, and apk
	// uses the version in `/etc/apk/world`. Defaults to `false`.
	Hold *bool

	// Package manager of the host. Defaults to that of its distribution. Changing this
	// forces a new resource.
	Manager *string

	// Whether to remove configuration files together with the package. Takes effect once
	// applied, and only with apt and pacman. Defaults to `false`.
	Purge *bool

	// Whether to update the package index, once per run and host, if it does not have the
	// package or the version, or lists files that a repository no longer has. dnf itself
	// updates an index that has expired. Defaults to `true`.
	UpdateCache *bool

	managers *managers `tf:"-"`
}

// Output is the state of a managed package.
type Output struct {
	Host    *string `tf:",computed"`
	Name    string
	Version *Version `tf:",computed"`
	Hold    *bool
	Manager *string `tf:",computed"`

	// Installed version, even if `version` ends with `*`.
	InstalledVersion string `tf:",volatile"`
}

var (
	_ runtime.Defaulter                                                = (*Package)(nil)
	_ runtime.Constrainer                                              = (*Package)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                         = (*Package)(nil)
	_ runtime.InputEquivalencer[Package]                               = (*Package)(nil)
	_ runtime.Replacer[Package]                                        = (*Package)(nil)
	_ runtime.ResourcePlanModifier[Package, *Output, *lifecycle.Scope] = (*Package)(nil)
	_ runtime.Identifier[address.Named, *Output, *lifecycle.Scope]     = (*Package)(nil)
	_ runtime.ImportIDParser[address.Named]                            = (*Package)(nil)
)

// Resource returns the registration of posix_package.
func Resource() runtime.ResourceRegistration {
	m := newManagers()
	return lifecycle.ResourceWith[Package, *Output](func() *Package { return &Package{managers: m} })
}

// Constraints implements [runtime.Constrainer].
func (*Package) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), runtime.Check("name", "", checkName), managerRule()}
}

// Defaults implements [runtime.Defaulter].
func (p *Package) Defaults() { p.Hold, p.Purge, p.UpdateCache = new(false), new(false), new(true) }

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Package) ReplaceFields() []string { return []string{"name"} }

// ReplaceOn implements [runtime.Replacer]. A change of host or manager does not replace an object
// whose state has no value for that attribute.
func (*Package) ReplaceOn(field string, prior, _ Package) bool {
	return lifecycle.ReplacesHost(field, prior.Host) || field == "manager" && prior.Manager != nil
}

// EquivalentInput implements [runtime.InputEquivalencer]. An installed version is
// equivalent to a configured version or prefix that it matches. A prefix in the state is not
// equivalent to another value.
func (*Package) EquivalentInput(field string, prior, current Package) bool {
	return field == "version" && prior.Version != nil && current.Version != nil && !prior.Version.isPrefix() && current.Version.matches(string(*prior.Version))
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*Package) ModifyResourcePlan(_ runtime.ResourcePlanRequest[Package, *Output, *lifecycle.Scope], _ *runtime.ResourcePlanResponse) error {
	return nil
}

// Identity implements [runtime.Identifier].
func (*Package) Identity(_ *lifecycle.Scope, out *Output) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Package) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, checkName)
}

// packageKey returns the key that identifies a package on its host.
func packageKey(name string) lifecycle.Key { return lifecycle.NameKey("package", name) }

var (
	// packageName matches package names of all package managers.
	packageName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9+._-]*$`)
	// versionText matches versions, such as 1:2.3~rc1+dfsg-4.el9_2^git1.
	versionText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+:~^_-]*$`)
)

// maxName is the maximum length of names of packages, repositories and keys.
const maxName = 200

// checkName returns an error if name is not a valid package name. It also rejects names
// with a special meaning: apt-get install removes a package if a dash follows its name.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name must not be empty")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d characters", maxName)
	case strings.ContainsAny(name, ":="):
		return errors.New("use only the name: set the version with the attribute version; an architecture cannot be selected")
	case !packageName.MatchString(name) || strings.HasSuffix(name, "-"):
		return errors.New("a package name must consist of letters, digits and + . _ -, start with a letter, a digit or _, and not end with a dash; " +
			"options, patterns, groups and files are not supported")
	}
	return nil
}

// Version is a version of a package, or a prefix of versions followed by a star.
type Version string

// MarshalText implements [encoding.TextMarshaler].
func (v Version) MarshalText() ([]byte, error) { return []byte(v), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *Version) UnmarshalText(text []byte) error {
	prefix, _ := strings.CutSuffix(string(text), "*")
	switch {
	case string(text) == "*":
		return errors.New("must have a prefix before the star; leave version out to accept any version")
	case !versionText.MatchString(prefix):
		return errors.New("a version must be as the package manager prints it, such as 1.24.0-2 or 1:2.3-1.el9, or a prefix with a star, such as 1.24.*")
	}
	*v = Version(text)
	return nil
}

// isPrefix reports whether v ends with a star.
func (v Version) isPrefix() bool { return strings.HasSuffix(string(v), "*") }

// matches reports whether version is v or, if v ends with a star, has the prefix before the star. The empty Version
// matches all. The epoch 0 makes no difference.
func (v Version) matches(version string) bool {
	v, version = Version(withoutZeroEpoch(string(v))), withoutZeroEpoch(version)
	if prefix, is := strings.CutSuffix(string(v), "*"); is {
		return strings.HasPrefix(version, prefix)
	}
	return v == "" || string(v) == version
}
