package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// hostOpen is the key of private data which records that an object was moved here from a
// provider whose state has no host, and that nothing was applied since. Only then has
// state no host. No host is asked for such an object before a plan sets its host: the
// default host may have another object with the same path.
const hostOpen = "host_open"

// LeaveHostOpen records that the host of the object that is being moved is not known.
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

// AdoptMoved returns the object at a path for a state that was moved here from a provider
// whose state has no host. The object must exist, have this type, and pass check, which
// returns an error unless the object is as in the state or as configured: nothing else
// shows that the configured host is the right one.
func AdoptMoved(ctx context.Context, h host.Host, path address.Path, kind host.FileType, check func(host.FileInfo) error) (host.FileInfo, error) {
	info, err := hostpath.Lstat(ctx, h, path, kind)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, diag.AttributeErrorf("host", "%s does not exist on host %s. It was moved from another provider, so host must name the host that it is on: "+
			"set host to that name. If the object has been deleted, remove it from the state with the command state rm", path, h.Name())
	case err != nil:
		return info, hostpath.Explain(h, path, kind, err)
	}
	return info, check(info)
}

// notDeleted returns the error about an object that is to be deleted before its host is
// known.
func notDeleted(key Key) error {
	return fmt.Errorf("%s was moved from another provider, and its host is only recorded by the first apply, which has not run. "+
		"Apply its configuration first, or remove it from the state with the command state rm", key)
}
