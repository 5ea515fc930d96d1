package service

import (
	"context"
	"slices"

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
	// suffix of the unit, such as `postgresql.*`. If unset, all names match.
	NamePattern *string

	// Whether to include only services that are enabled (`true`) or only those that are
	// not (`false`).
	Enabled *bool

	// Whether to include only services that run (`true`) or only those that do not
	// (`false`).
	Running *bool
}

var _ runtime.Constrainer = (*Selection)(nil)

// Constraints is part of [runtime.Constrainer].
func (*Selection) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		address.NamePatternRule(),
	}
}

// chosen says what is wanted.
func (s *Selection) chosen() func(Info) bool {
	matches := address.NamePattern(s.NamePattern)
	return func(i Info) bool {
		return !differs(s.Enabled, i.Enabled) && !differs(s.Running, i.Running) && (matches(i.Name) || matches(Name(i.Name).unit()))
	}
}

// list finds what is wanted of one type, and what it belongs to.
func (s *Selection) list(ctx context.Context, hosts *lifecycle.Hosts, kind string) (h host.Host, manager string, found []Info, err error) {
	if h, err = hosts.Find(s.Host); err != nil {
		return nil, "", nil, err
	}
	wanted := s.chosen()
	manager, found, err = list(ctx, h, kind)
	return h, manager, slices.DeleteFunc(found, func(i Info) bool { return !wanted(i) }), err
}
