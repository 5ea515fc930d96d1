package access

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// plannedID is the UID or GID of an account that does not exist yet. No file has it: for
// chown it means no change.
const plannedID = ^uint32(0)

// ResolveForPlan is [Resolve] for a plan: an account that the same run creates before may
// be missing, and then has an ID that no file has.
func ResolveForPlan(ctx context.Context, scope *lifecycle.Scope, mode host.Mode, owner, group *string) (host.Attributes, error) {
	h := scope.Host
	comes := func(kind string, name *string, lookup func() error) bool {
		return name != nil && *name != "" && scope.PlannedAccount(kind, *name) && unknown(lookup())
	}
	userComes := comes(lifecycle.AccountUser, owner, func() error { _, err := h.LookupUser(ctx, *owner); return err })
	groupComes := comes(lifecycle.AccountGroup, group, func() error { _, err := h.LookupGroup(ctx, *group); return err })
	if userComes {
		owner = nil
	}
	if groupComes {
		group = nil
	}
	attrs, err := Resolve(ctx, h, mode, owner, group)
	if userComes {
		attrs.UID = new(plannedID)
	}
	if groupComes {
		attrs.GID = new(plannedID)
	}
	return attrs, err
}
