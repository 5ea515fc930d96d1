package lifecycle

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// hostOpen is the key of private data which records that an object was moved here from
// a provider whose state has no host, and that nothing was applied since. Only then has
// state no host. No host is asked for such an object before a plan says which one it is
// on: the default host may have another object with the same path.
const hostOpen = "host_open"

// LeaveHostOpen records it for the object that is being moved.
func LeaveHostOpen(ctx context.Context) { runtime.Private(ctx).Set(hostOpen, []byte{'1'}) }

func hostIsOpen(ctx context.Context) bool { return runtime.Private(ctx).Get(hostOpen) != nil }

// settleHost records that the object is on the host that was planned.
func settleHost(ctx context.Context) { runtime.Private(ctx).Set(hostOpen, nil) }

// ReplacesHost is for Replacer: an object that gets its first host is not replaced.
func ReplacesHost(field string, prior *string) bool { return field == "host" && prior != nil }

// PlanMove plans that an object that was moved here gets its host, and runs check,
// which compares the object on that host, if possible. Scope is nil if the provider is
// not configured yet.
func (s *Scope) PlanMove(ctx context.Context, resp *runtime.ResourcePlanResponse, was, is address.Path, check func() error) error {
	resp.MarkOutputUnknown("host")
	switch {
	case was != is:
		return diag.AttributeErrorf("path", "the object was moved from another provider as %s, and its host is only recorded by the first apply. "+
			"Apply with that path first, then change it", was)
	case s == nil:
		return nil
	}
	return s.Preflight(ctx, check)
}

// ErrMovedObjectMissing returns the error about an object that was moved here and does
// not exist on the host that is configured.
func ErrMovedObjectMissing(h host.Host, path address.Path) error {
	return diag.AttributeErrorf("host", "%s does not exist on host %s. It was moved from another provider, so host must name the host that it is on: "+
		"set host to that name. If the object has been deleted, remove it from the state with the command state rm", path, h.Name())
}

// notDeleted returns the error about an object that is to be deleted before it is known
// which host it is on.
func notDeleted(key Key) error {
	return fmt.Errorf("%s was moved from another provider, and its host is only recorded by the first apply, which has not run. "+
		"Apply its configuration first, or remove it from the state with the command state rm", key)
}
