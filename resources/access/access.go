package access

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// Resolve makes attributes for the host of what is configured. What is wrong with
// a name belongs to the attribute owner or group. That the host could not be asked
// is nobody's fault there, and said once.
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

// answered says whether what is known of a name is about the name.
func answered(name string, err error) bool { return name == "" || err == nil || unknown(err) }

func unknown(err error) bool {
	return errors.Is(err, host.ErrUnknownUser) || errors.Is(err, host.ErrUnknownGroup)
}

func explain(h host.Host, attribute, kind, name string, err error) error {
	switch {
	case name == "":
		return diag.AttributeErrorf(attribute, "the name of the %s is empty. Leave %s out to let the host decide", kind, attribute)
	case err != nil:
		return diag.AttributeErrorf(attribute, "host %s has no %s %q. Create it first, for example with posix_%s, or use its numeric ID", h.Name(), kind, name, kind)
	}
	return nil
}

// Differs reports whether a file has other attributes than these.
func Differs(info host.FileInfo, want host.Attributes) bool {
	return want.Mode != nil && *want.Mode != info.Mode ||
		want.UID != nil && *want.UID != info.UID ||
		want.GID != nil && *want.GID != info.GID
}

// Owner is the owner of a file, spelled as it was if that still names them: a
// number stays a number.
func Owner(ctx context.Context, h host.Host, was *string, info host.FileInfo) (*string, error) {
	return spell(was, info.Owner, info.UID, func(name string) (uint32, error) {
		user, err := h.LookupUser(ctx, name)
		return user.UID, err
	})
}

// Group is the same for the group.
func Group(ctx context.Context, h host.Host, was *string, info host.FileInfo) (*string, error) {
	return spell(was, info.Group, info.GID, func(name string) (uint32, error) {
		group, err := h.LookupGroup(ctx, name)
		return group.GID, err
	})
}

// spell asks the host only where the spelling is not the one that it gave: a
// number, or another name of an account that has several.
func spell(was *string, name string, id uint32, lookup func(string) (uint32, error)) (*string, error) {
	if was == nil || *was == name {
		return &name, nil
	}
	found, err := lookup(*was)
	switch {
	case unknown(err):
		return &name, nil
	case err != nil:
		return nil, err
	case found == id:
		return was, nil
	default:
		return &name, nil
	}
}
