// Package access resolves, compares and sets the mode, owner and group of files.
//
// It resolves configured owners and groups to UIDs and GIDs of a host, and returns the owner
// and group of a file in the form of the configuration. The packages of files and
// directories call it.
//
// Invariants: an owner or group is a name, or an ID if no account has that name, as in
// chown(1). If it is unset, it is not changed.
//
// Elsewhere: [host.Mode] defines the text of a mode.
package access

import (
	"context"
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Resolve returns the configured mode, owner and group as attributes for the host. The error
// for an unknown or empty name is about the attribute owner or group. If a lookup on the
// host fails, Resolve returns only that error, which is not about an attribute.
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

// answered reports whether the result of a lookup is about the name, and not a failure of the host.
func answered(name string, err error) bool { return name == "" || err == nil || unknown(err) }

func unknown(err error) bool {
	return errors.Is(err, host.ErrUnknownUser) || errors.Is(err, host.ErrUnknownGroup)
}

func explain(h host.Host, attribute, kind, name string, err error) error {
	switch {
	case name == "":
		return diag.AttributeErrorf(attribute, "the name of the %s is empty. Leave %s out if it need not be set", kind, attribute)
	case err != nil && attribute == "owner" && strings.Contains(name, ":"):
		user, group, _ := strings.Cut(name, ":")
		return diag.AttributeErrorf(attribute, "%q is not the name of a user. The group has an attribute of its own: set owner = %q and group = %q", name, user, group)
	case err != nil:
		return diag.AttributeErrorf(attribute, "host %s has no %s %q. Create it first, for example with posix_%s, or use its numeric ID", h.Name(), kind, name, kind)
	}
	return nil
}

// Configured returns the owner and the group, or nil for each that is not configured. The plan of an
// update has the value of the state for an attribute that is not configured, which the update must not set.
func Configured(ctx context.Context, owner, group *string) (configuredOwner, configuredGroup *string) {
	if runtime.Configured(ctx, "owner") {
		configuredOwner = owner
	}
	if runtime.Configured(ctx, "group") {
		configuredGroup = group
	}
	return configuredOwner, configuredGroup
}

// Differs reports whether info differs from want in an attribute that want sets.
func Differs(info host.FileInfo, want host.Attributes) bool {
	return want.Mode != nil && *want.Mode != info.Mode || want.OtherOwner(info.UID, info.GID)
}

// Set sets the attributes of the file that info describes, unless the file has them. Set returns
// the info of the file afterwards, or the error of the host.
func Set(ctx context.Context, h host.Host, info host.FileInfo, want host.Attributes) (host.FileInfo, error) {
	if !Differs(info, want) {
		return info, nil
	}
	return h.SetAttributes(ctx, info.Path, info.Type, want)
}

// Owner returns the owner of a file: prior if that is the UID or a name of the owner, and
// otherwise info.Owner. It returns an error if the host cannot look up prior.
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

// keepSpelling returns prior if it is a name or the ID of the account whose ID is id, and otherwise
// name. It looks up prior on the host only if prior differs from name.
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

// plannedID is the UID or GID for an account that does not exist yet. No file has it: in
// chown(2), it stands for no change.
const plannedID = ^uint32(0)

// ResolveForPlan returns the same as [Resolve], for a plan. Accounts that the same apply
// creates may be missing on the host: their ID is then one that no file has.
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
