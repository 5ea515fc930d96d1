package service

import (
	"context"
	"slices"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Selection says which of the services of a host are wanted.
type Selection struct {
	// The host: a name in the provider's `hosts`, an alias in the SSH configuration,
	// or a destination such as `root@192.0.2.7:22`. When unset, it is the provider's
	// `default_host`, which is `local` by default.
	Host *string

	// A regular expression that the whole name matches, as `postgresql.*`, with or without
	// the ending of the unit. When unset, all names do.
	NamePattern *string

	// Only what is enabled, or only what is not.
	Enabled *bool

	// Only what runs, or only what does not.
	Running *bool
}

var _ runtime.Constrainer = (*Selection)(nil)

// Constraints is part of [runtime.Constrainer].
func (*Selection) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		target.NamePatternRule(),
	}
}

// chosen says what is wanted.
func (s *Selection) chosen() func(Info) bool {
	matches := target.NamePattern(s.NamePattern)
	return func(i Info) bool {
		return !differs(s.Enabled, i.Enabled) && !differs(s.Running, i.Running) && (matches(i.Name) || matches(Name(i.Name).unit()))
	}
}

// list finds what is wanted of one type, and what it belongs to.
func (s *Selection) list(ctx context.Context, hosts *target.Hosts, kind string) (h host.Host, manager string, found []Info, err error) {
	if h, err = hosts.Find(s.Host); err != nil {
		return nil, "", nil, err
	}
	wanted := s.chosen()
	manager, found, err = list(ctx, h, kind)
	return h, manager, slices.DeleteFunc(found, func(i Info) bool { return !wanted(i) }), err
}
