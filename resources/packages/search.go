package packages

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Search lists the packages of a host that were installed explicitly, with two
// commands for all of them. Dependencies are only listed if `include_dependencies` is
// set.
type Search struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Regular expression (RE2 syntax) that must match the whole name, such as
	// `php.*-fpm`. If unset, all names match.
	NamePattern *string

	// Whether to include packages that were installed as dependencies of others. Defaults
	// to `false`.
	IncludeDependencies bool `tf:",optional"`

	shops *shops `tf:"-"`
}

// Inventory lists the packages that are installed on a host, with their versions.
type Inventory struct {
	// Host to read packages from: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Package manager: `apt`, `dnf`, `apk` or `pacman`. Defaults to that of the host's
	// distribution.
	Manager *string

	// Regular expression (RE2 syntax) that must match the whole name, such as
	// `php.*-fpm`. If unset, all names match.
	NamePattern *string

	shops *shops `tf:"-"`
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

	// Whether the package is held at its version when others are upgraded.
	Hold bool
}

var (
	_ runtime.TypedLister[*Output, *lifecycle.Hosts]              = (*Search)(nil)
	_ runtime.Constrainer                                         = (*Search)(nil)
	_ runtime.TypedDataSource[*InventoryOutput, *lifecycle.Hosts] = (*Inventory)(nil)
	_ runtime.Constrainer                                         = (*Inventory)(nil)
)

// Lister is the registration of the search for packages.
func Lister() runtime.ListRegistration {
	s := newShops()
	return runtime.MakeListerWith[Search, *Output, *lifecycle.Hosts](func() *Search { return &Search{shops: s} })
}

// DataSource is the registration of the data source of all packages.
func DataSource() runtime.DataSourceRegistration {
	s := newShops()
	return runtime.MakeDataSourceWith[Inventory, *InventoryOutput, *lifecycle.Hosts](func() *Inventory { return &Inventory{shops: s} })
}

// Constraints is part of [runtime.Constrainer].
func (*Search) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), address.NamePatternRule()}
}

// Constraints is part of [runtime.Constrainer].
func (*Inventory) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), managerRule(), address.NamePatternRule()}
}

// matching are the packages whose names match, sorted.
func matching(all stock, pattern *string) []installed {
	matches := address.NamePattern(pattern)
	var found []installed
	for _, it := range all {
		if it.part == 0 && matches(it.name) {
			found = append(found, it)
		}
	}
	slices.SortFunc(found, func(a, b installed) int { return cmp.Compare(a.name, b.name) })
	return found
}

// List is part of [runtime.TypedLister].
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

// find is all that is to be listed. What no configuration can name is not.
func (s *Search) find(ctx context.Context, hosts *lifecycle.Hosts) ([]*Output, error) {
	scope, err := hosts.Scope(s.Host)
	if err != nil {
		return nil, err
	}
	h := scope.Host
	shop, err := s.shops.find(ctx, scope, nil)
	if err != nil {
		return nil, err
	}
	all, err := shop.stock(ctx, h)
	if err != nil {
		return nil, err
	}
	found := matching(all, s.NamePattern)
	wanted := map[string]bool{}
	if !s.IncludeDependencies {
		asked, err := shop.asked(ctx, h)
		if err != nil {
			return nil, err
		}
		for _, name := range asked {
			wanted[name] = true
		}
	}
	var outs []*Output
	for _, it := range found {
		if (s.IncludeDependencies || wanted[it.name]) && checkName(it.name) == nil {
			outs = append(outs, (&Package{Name: it.name}).output(h, shop, it))
		}
	}
	return outs, nil
}

// Read is part of [runtime.TypedDataSource].
func (i *Inventory) Read(ctx context.Context, hosts *lifecycle.Hosts) (*InventoryOutput, error) {
	scope, err := hosts.Scope(i.Host)
	if err != nil {
		return nil, err
	}
	h := scope.Host
	shop, err := i.shops.find(ctx, scope, i.Manager)
	if err != nil {
		return nil, err
	}
	all, err := shop.stocks.ask(ctx, struct{}{})
	if err != nil {
		return nil, err
	}
	found := matching(all, i.NamePattern)
	out := &InventoryOutput{Host: new(h.Name()), Manager: new(shop.name), Packages: []Item{}, Versions: map[string]string{}}
	for _, it := range found {
		out.Packages = append(out.Packages, Item{it.name, it.version, it.held})
		out.Versions[it.name] = it.version
	}
	return out, err
}
