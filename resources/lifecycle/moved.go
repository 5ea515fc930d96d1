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

// unknownHostKey is the key of private data that records that an object was moved from a
// provider whose state has no host, and that nothing has been applied since. Only the state of
// such an object has no host. The object is not read or deleted before an apply records its
// host: the default host may have another object with the same path.
const unknownHostKey = "host_open"

// MarkHostUnknown records that the host of the object that is being moved is not known.
func MarkHostUnknown(ctx context.Context) { runtime.Private(ctx).Set(unknownHostKey, []byte{'1'}) }

// hostIsUnknown reports whether the host of an object in the state is not known. The private data is lost if
// the provider is killed during the first apply, so the host also counts as not known if the state has a path and
// no host, except in an import.
func hostIsUnknown(ctx context.Context, hostName *string, key Key) bool {
	return runtime.Private(ctx).Get(unknownHostKey) != nil || hostName == nil && isPath(key) && !runtime.Imports(ctx)
}

// recordHost records that the object is on the planned host.
func recordHost(ctx context.Context) { runtime.Private(ctx).Set(unknownHostKey, nil) }

// ReplacesHost reports whether a change of field is a change of the host of an object, for
// [runtime.Replacer]. An object without a prior host, which was moved, is not replaced.
func ReplacesHost(field string, prior *string) bool { return field == "host" && prior != nil }

// PlanMove plans the host of an object that was moved from a provider whose state has no host.
// It returns an error if was, the path in the state, differs from is, the configured path.
// Otherwise it runs check as a preflight; check compares the object on that host. The scope is
// nil if the provider is not configured yet: check then does not run.
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

// AdoptMoved returns the object at a path for a state that was moved from a provider whose
// state has no host. The object must exist, have this type, and pass check, which returns an
// error unless the object is as in the state or as configured: there is no other evidence that
// the configured host is the right one.
func AdoptMoved(ctx context.Context, h host.Host, path address.Path, kind host.FileType, check func(host.FileInfo) error) (host.FileInfo, error) {
	info, err := hostpath.Lstat(ctx, h, path, kind)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, diag.AttributeErrorf("host", "%s does not exist on host %s. It was moved from another provider, so host must name the host that the object is on: "+
			"correct host. If the object has been deleted, remove it from the state with the command state rm", path, h.Name())
	case err != nil:
		return info, hostpath.Explain(h, path, kind, err)
	}
	return info, check(info)
}

// notDeleted returns the error for the delete of an object whose host is not known.
func notDeleted(key Key) error {
	return fmt.Errorf("%s was moved from another provider, and its host is only recorded by the first apply, which has not run. "+
		"Apply its configuration first, or remove it from the state with the command state rm", key)
}
