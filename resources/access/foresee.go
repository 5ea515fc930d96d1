package access

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
)

// nobodyYet is the number of an account that is not there yet. No file has it: to
// chown it is the number that changes nothing.
const nobodyYet = ^uint32(0)

// Expecter knows the accounts that a run is to make, as [target.Hosts] does.
type Expecter interface {
	Expects(h host.Host, kind, name string) bool
}

// Foresee is [Resolve] for a plan: an account that the same run makes before may be
// missing, and has then a number that no file has.
func Foresee(ctx context.Context, run Expecter, h host.Host, mode host.Mode, owner, group *string) (host.Attributes, error) {
	comes := func(kind string, name *string, lookup func() error) bool {
		return name != nil && *name != "" && run.Expects(h, kind, *name) && unknown(lookup())
	}
	userComes := comes("user", owner, func() error { _, err := h.LookupUser(ctx, *owner); return err })
	groupComes := comes("group", group, func() error { _, err := h.LookupGroup(ctx, *group); return err })
	if userComes {
		owner = nil
	}
	if groupComes {
		group = nil
	}
	attrs, err := Resolve(ctx, h, mode, owner, group)
	if userComes {
		attrs.UID = new(nobodyYet)
	}
	if groupComes {
		attrs.GID = new(nobodyYet)
	}
	return attrs, err
}
