package access

import (
	"context"
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Resolve returns the configured mode, owner and group as attributes for the host. An
// unknown or empty name is an error of the attribute owner or group. If the host cannot
// be asked, the error is returned once and names no attribute.
func Resolve(ctx context.Context, h host.Host, mode host.Mode, owner, group *string) (host.Attributes, error) {
	attrs := host.Attributes{Mode: &mode}
	var ownerErr, groupErr error
	if owner != nil {
		user, err := h.LookupUser(ctx, *owner)
		if !answered(*owner, err) {
			return attrs, err
		}
		attrs.UID, ownerErr = &user.UID, explain(h, "owner", "user", *owner, err)
	}
	if group != nil {
		found, err := h.LookupGroup(ctx, *group)
		if !answered(*group, err) {
			return attrs, err
		}
		attrs.GID, groupErr = &found.GID, explain(h, "group", "group", *group, err)
	}
	return attrs, errors.Join(ownerErr, groupErr)
}

// answered reports whether the error of a lookup is about the name and not about the host.
func answered(name string, err error) bool { return name == "" || err == nil || unknown(err) }

func unknown(err error) bool {
	return errors.Is(err, host.ErrUnknownUser) || errors.Is(err, host.ErrUnknownGroup)
}

func explain(h host.Host, attribute, kind, name string, err error) error {
	switch {
	case name == "":
		return diag.AttributeErrorf(attribute, "the name of the %s is empty. Leave %s out to let the host decide", kind, attribute)
	case err != nil && attribute == "owner" && strings.Contains(name, ":"):
		user, group, _ := strings.Cut(name, ":")
		return diag.AttributeErrorf(attribute, "%q is not the name of a user. The group has an attribute of its own: set owner = %q and group = %q", name, user, group)
	case err != nil:
		return diag.AttributeErrorf(attribute, "host %s has no %s %q. Create it first, for example with posix_%s, or use its numeric ID", h.Name(), kind, name, kind)
	}
	return nil
}

// Differs reports whether info differs from want in an attribute that want sets.
func Differs(info host.FileInfo, want host.Attributes) bool {
	return want.Mode != nil && *want.Mode != info.Mode ||
		want.UID != nil && *want.UID != info.UID ||
		want.GID != nil && *want.GID != info.GID
}

// Owner returns the owner of a file: as prior if that names the same user, such as by
// UID, and else as the host names it.
func Owner(ctx context.Context, h host.Host, prior *string, info host.FileInfo) (*string, error) {
	return keepSpelling(prior, info.Owner, info.UID, func(name string) (uint32, error) {
		user, err := h.LookupUser(ctx, name)
		return user.UID, err
	})
}

// Group returns the group of a file, in the same way as [Owner].
func Group(ctx context.Context, h host.Host, prior *string, info host.FileInfo) (*string, error) {
	return keepSpelling(prior, info.Group, info.GID, func(name string) (uint32, error) {
		group, err := h.LookupGroup(ctx, name)
		return group.GID, err
	})
}

// keepSpelling returns prior if it names the account with this ID, and else name. The
// host is asked only if they differ.
func keepSpelling(prior *string, name string, id uint32, lookup func(string) (uint32, error)) (*string, error) {
	if prior == nil || *prior == name {
		return &name, nil
	}
	found, err := lookup(*prior)
	switch {
	case unknown(err):
		return &name, nil
	case err != nil:
		return nil, err
	case found == id:
		return prior, nil
	default:
		return &name, nil
	}
}

// plannedID is the UID or GID of an account that does not exist yet. No file has it: for
// chown it means no change.
const plannedID = ^uint32(0)

// ResolveForPlan is [Resolve] for a plan: accounts that the same apply creates may be
// missing, and get an ID that no file has.
func ResolveForPlan(ctx context.Context, scope *lifecycle.Scope, mode host.Mode, owner, group *string) (host.Attributes, error) {
	h := scope.Host
	planned := func(kind string, name *string, lookup func() error) bool {
		return name != nil && *name != "" && scope.PlannedAccount(kind, *name) && unknown(lookup())
	}
	userPlanned := planned(lifecycle.AccountUser, owner, func() error { _, err := h.LookupUser(ctx, *owner); return err })
	groupPlanned := planned(lifecycle.AccountGroup, group, func() error { _, err := h.LookupGroup(ctx, *group); return err })
	if userPlanned {
		owner = nil
	}
	if groupPlanned {
		group = nil
	}
	attrs, err := Resolve(ctx, h, mode, owner, group)
	if userPlanned {
		attrs.UID = new(plannedID)
	}
	if groupPlanned {
		attrs.GID = new(plannedID)
	}
	return attrs, err
}
