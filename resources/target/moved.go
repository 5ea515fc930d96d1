package target

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// hostOpen is where private data says that an object was moved here from a
// provider whose state has no host in our sense, and that nothing was applied
// since. State then has no host, as it never has otherwise. No host is asked for
// such an object before a plan says which it is on: the default one may have
// another object of the same path.
const hostOpen = "host_open"

// LeaveHostOpen notes it of the object that is being moved.
func LeaveHostOpen(ctx context.Context) { runtime.Private(ctx).Set(hostOpen, []byte{'1'}) }

// HostIsOpen reports it of the object that is read.
func HostIsOpen(ctx context.Context) bool { return runtime.Private(ctx).Get(hostOpen) != nil }

// SettleHost notes that the object is known to be on the host that was planned.
func SettleHost(ctx context.Context) { runtime.Private(ctx).Set(hostOpen, nil) }

// ReplacesHost is for Replacer: to get a host is no change of it.
func ReplacesHost(field string, prior *string) bool { return field == "host" && prior != nil }

// PlanArrival plans that the object gets its host, and has a look at what is there,
// where that can be: nothing else shows that the host is the one that is meant.
func (s *Hosts) PlanArrival(ctx context.Context, resp *runtime.ResourcePlanResponse, was, is Path, name *string, look func(host.Host) error) error {
	resp.MarkOutputUnknown("host")
	switch {
	case was != is:
		return diag.AttributeErrorf("path", "the object was moved from another provider as %s, and its host is only recorded by the first apply. "+
			"Apply with that path first, then change it", was)
	case s == nil: // the provider is not configured
		return nil
	}
	h, err := s.Find(name)
	if err != nil {
		return err
	}
	return s.Look(ctx, h, func() error { return look(h) })
}

// NotArrived is the error about an object that should be on a host and is not.
func NotArrived(h host.Host, path Path) error {
	return diag.AttributeErrorf("host", "%s does not exist on host %s. It was moved from another provider, so host must name the host that it is on: "+
		"set host to that name. If the object has been deleted, remove it from the state with the command state rm", path, h.Name())
}

// NotDeleted is the error about an object that is to be deleted before anything
// says where it is.
func NotDeleted(path Path) error {
	return fmt.Errorf("%s was moved from another provider, and its host is only recorded by the first apply, which has not run. "+
		"Apply its configuration first, or remove it from the state with the command state rm", path)
}
