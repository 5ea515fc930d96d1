package packages

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Search lists the packages of a host that were installed explicitly. Dependencies are
// only listed if `include_dependencies` is `true`.
type Search struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Regular expression (RE2 syntax) that must match the whole name, such as
	// `php.*-fpm`. If unset, all names match.
	NamePattern *string

	// Whether to include packages that were installed as dependencies of other packages.
	// Defaults to `false`.
	IncludeDependencies bool `tf:",optional"`

	managers *managers `tf:"-"`
}

// Inventory lists the packages that are installed on a host, with their versions.
type Inventory struct {
	// Host to read packages from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Package manager of the host. Defaults to that of its distribution.
	Manager *string

	// Regular expression (RE2 syntax) that must match the whole name, such as
	// `php.*-fpm`. If unset, all names match.
	NamePattern *string

	managers *managers `tf:"-"`
}

// InventoryOutput is the list of packages.
type InventoryOutput struct {
	Host    *string `tf:",computed"`
	Manager *string `tf:",computed"`

	// Installed packages, sorted by name. Packages that were removed except for their
	// configuration, and packages whose installation was not completed, are left out.
	Packages []Item

	// Versions by package name.
	Versions map[string]string
}

// Item is an installed package.
type Item struct {
	// Name of the package.
	Name string

	// Installed version, as written by the package manager.
	Version string

	// Whether the package is held at its version when other packages are upgraded.
	Hold bool
}

var (
	_ runtime.Constrainer = (*Search)(nil)
	_ runtime.Constrainer = (*Inventory)(nil)
)

// Lister returns the registration of the list resource of packages.
func Lister() runtime.ListRegistration {
	s := newManagers()
	return runtime.MakeListerWith[Search, *Output, *lifecycle.Hosts](func() *Search { return &Search{managers: s} })
}

// DataSource returns the registration of posix_packages.
func DataSource() runtime.DataSourceRegistration {
	s := newManagers()
	return runtime.MakeDataSourceWith[Inventory, *InventoryOutput, *lifecycle.Hosts](func() *Inventory { return &Inventory{managers: s} })
}

// Constraints implements [runtime.Constrainer].
func (*Search) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), address.NamePatternRule()}
}

// Constraints implements [runtime.Constrainer].
func (*Inventory) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), managerRule(), address.NamePatternRule()}
}

// matching returns the completely installed packages whose names match, sorted by name.
func matching(all inventory, pattern *string) []packageState {
	matches := address.NamePattern(pattern)
	found := slices.SortedFunc(maps.Values(all), func(a, b packageState) int { return cmp.Compare(a.name, b.name) })
	return slices.DeleteFunc(found, func(p packageState) bool { return p.status != complete || !matches(p.name) })
}

// List implements [runtime.TypedLister].
func (s *Search) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*Output], error] {
	return func(yield func(runtime.Listed[*Output], error) bool) {
		found, err := s.find(ctx, hosts)
		if err != nil {
			yield(runtime.Listed[*Output]{}, err)
			return
		}
		for _, out := range found {
			if !yield(runtime.Listed[*Output]{DisplayName: out.Name + " " + out.InstalledVersion + " on " + *out.Host, Object: out, Complete: true}, nil) {
				return
			}
		}
	}
}

// find returns the packages to list, except those whose names posix_package does not
// accept.
func (s *Search) find(ctx context.Context, hosts *lifecycle.Hosts) ([]*Output, error) {
	scope, err := hosts.Scope(s.Host)
	if err != nil {
		return nil, err
	}
	h := scope.Host
	m, err := s.managers.find(ctx, scope, nil)
	if err != nil {
		return nil, err
	}
	all, err := m.inventory(ctx, h)
	if err != nil {
		return nil, err
	}
	found := matching(all, s.NamePattern)
	listed := map[string]bool{}
	if !s.IncludeDependencies {
		explicit, err := m.explicit(ctx, h)
		if err != nil {
			return nil, err
		}
		for _, name := range explicit {
			listed[name] = true
		}
	}
	var outs []*Output
	for _, p := range found {
		if (s.IncludeDependencies || listed[p.name]) && checkName(p.name) == nil {
			outs = append(outs, (&Package{Name: p.name}).output(h, m, p))
		}
	}
	return outs, nil
}

// Read implements [runtime.TypedDataSource].
func (i *Inventory) Read(ctx context.Context, hosts *lifecycle.Hosts) (*InventoryOutput, error) {
	scope, err := hosts.Scope(i.Host)
	if err != nil {
		return nil, err
	}
	h := scope.Host
	m, err := i.managers.find(ctx, scope, i.Manager)
	if err != nil {
		return nil, err
	}
	all, err := m.inventories.do(ctx, struct{}{})
	if err != nil {
		return nil, err
	}
	found := matching(all, i.NamePattern)
	out := &InventoryOutput{Host: new(h.Name()), Manager: new(m.name), Packages: []Item{}, Versions: map[string]string{}}
	for _, p := range found {
		out.Packages = append(out.Packages, Item{p.name, p.version, p.held})
		out.Versions[p.name] = p.version
	}
	return out, err
}
