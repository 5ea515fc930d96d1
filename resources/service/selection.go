package service

import (
	"context"
	"iter"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Selection has the criteria that the data source and the list of services share.
type Selection struct {
	// Host to search: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Regular expression (RE2 syntax) that must match the whole name, with or without the
	// suffix `.service`, such as `postgresql.*`. If unset, all names match.
	NamePattern *string

	// Whether to include only services that are enabled (`true`) or only those that are
	// not (`false`).
	Enabled *bool

	// Whether to include only services that run (`true`) or only those that do not
	// (`false`).
	Running *bool
}

var _ runtime.Constrainer = (*Selection)(nil)

// Constraints implements [runtime.Constrainer].
func (*Selection) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		address.NamePatternRule(),
	}
}

// filter returns a function that reports whether a service meets the criteria.
func (s *Selection) filter() func(Info) bool {
	matches := address.NamePattern(s.NamePattern)
	return func(i Info) bool {
		return !differs(s.Enabled, i.Enabled) && (s.Running == nil || is(i.Running, *s.Running)) && (matches(i.Name) || matches(Name(i.Name).unit()))
	}
}

// list returns the host, its service manager, and its services of one type that meet the
// criteria.
func (s *Selection) list(ctx context.Context, hosts *lifecycle.Hosts, kind string) (h host.Host, manager string, found []Info, err error) {
	if h, err = hosts.Find(s.Host); err != nil {
		return nil, "", nil, err
	}
	wanted := s.filter()
	manager, found, err = list(ctx, h, kind)
	return h, manager, slices.DeleteFunc(found, func(i Info) bool { return !wanted(i) }), err
}

// Lookup lists the services of a host, or its systemd units of another type, with
// their states. The data source supports the same service managers as `posix_service`.
//
// Templates and aliases of units, and units whose names `posix_service` does not support,
// such as names with a colon, are not listed.
type Lookup struct {
	Selection

	// Type of the units, such as `timer`. Must be `service` without systemd. Defaults to
	// `service`.
	Type string
}

// LookupOutput is the list of services.
type LookupOutput struct {
	Host *string `tf:",computed"`

	// Service manager of the host: `systemd`, `openrc` or `sysv`.
	Manager string

	// Services, sorted by name.
	Services []Info
}

var (
	_ runtime.Defaulter   = (*Lookup)(nil)
	_ runtime.Constrainer = (*Lookup)(nil)
)

// DataSource returns the registration of posix_services.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (l *Lookup) Defaults() { l.Type = "service" }

// Constraints implements [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	types := make([]any, len(unitTypes))
	for i, kind := range unitTypes {
		types[i] = kind
	}
	return append((*Selection)(nil).Constraints(), runtime.OneOf("type", types...))
}

// Read implements [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*LookupOutput, error) {
	h, manager, found, err := l.list(ctx, hosts, l.Type)
	if err != nil {
		return nil, err
	}
	if manager != nameSystemd && l.Type != "service" {
		return nil, diag.AttributeErrorf("type", "host %s has the service manager %s, which only has services: leave type unset", h.Name(), manager)
	}
	return &LookupOutput{Host: new(h.Name()), Manager: manager, Services: found}, nil
}

// Filter lists the services of a host. Unless `enabled` or `running` is set, only
// services that are enabled or running are listed.
type Filter struct{ Selection }

// Lister returns the registration of the list resource of services.
func Lister() runtime.ListRegistration {
	return runtime.MakeLister[Filter, *Output, *lifecycle.Hosts]()
}

// List implements [runtime.TypedLister].
func (f *Filter) List(ctx context.Context, hosts *lifecycle.Hosts, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*Output], error] {
	return func(yield func(runtime.Listed[*Output], error) bool) {
		h, manager, found, err := f.list(ctx, hosts, "service")
		if err != nil {
			yield(runtime.Listed[*Output]{}, err)
			return
		}
		for _, i := range found {
			if f.Enabled == nil && f.Running == nil && !i.Enabled && !is(i.Running, true) {
				continue
			}
			out := &Output{Host: new(h.Name()), Name: Name(i.Name), Enabled: &i.Enabled, Running: i.Running, Status: i.Status}
			if i.Masked {
				out.Masked = &i.Masked
			}
			// A unit that is not loaded is read when the complete object is requested, as
			// by an import.
			complete := manager != nameSystemd || i.Status != nil
			if complete {
				out.Manager = manager
			}
			if !yield(runtime.Listed[*Output]{DisplayName: i.Name + " on " + h.Name(), Object: out, Complete: complete}, nil) {
				return
			}
		}
	}
}
