package target

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// LookAsRoot is [Hosts.Look] of what root alone manages, things in the plural: a plan of
// a create says so where the provider works as another user. A host that does not tell
// is left to the apply.
func (s *Hosts) LookAsRoot(ctx context.Context, h host.Host, things string, look func() error) error {
	return s.Look(ctx, h, func() error {
		if runtime.PlansCreate(ctx) {
			root, err := s.root(ctx, h)
			if err != nil {
				return err
			}
			if !root {
				return RootAlone(h, things)
			}
		}
		return look()
	})
}

// root reports whether the provider works as root, or may. Each host is asked until it
// has answered once.
func (s *Hosts) root(ctx context.Context, h host.Host) (bool, error) {
	s.mu.Lock()
	root, known := s.roots[h.Name()]
	s.mu.Unlock()
	if known {
		return root, nil
	}
	root, err := remotecmd.IsRoot(ctx, h)
	if err != nil {
		return true, Unseen(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[h.Name()] = root
	return root, nil
}

// RootAlone is the error about things that root alone manages, on a host where the
// provider works as another user.
func RootAlone(h host.Host, things string) error {
	if h.Name() == host.LocalName {
		return errors.New(things + " can only be managed by root: run Terraform as root, or set sudo for the host local in the provider's configuration")
	}
	return diag.AttributeErrorf("host", "%s can only be managed by root, and on host %s the provider runs as another user: "+
		"set sudo = {} for the host in the provider's configuration, or connect as root", things, h.Name())
}
