package symlink

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Moves is part of [runtime.Mover].
func (*Symlink) Moves() []runtime.Move {
	type link struct{ Path, Target string }
	return []runtime.Move{
		runtime.MoveFrom("neuspaces/system", "system_link", func(ctx context.Context, old link) (s Symlink, out *Output, err error) {
			if err = s.Path.UnmarshalText([]byte(old.Path)); err != nil {
				return s, nil, err
			}
			if err = s.Target.UnmarshalText([]byte(old.Target)); err != nil {
				return s, nil, err
			}
			lifecycle.LeaveHostOpen(ctx)
			return s, &Output{Path: s.Path, Target: s.Target}, nil
		}),
	}
}

// arrival is a link that was moved here from a provider whose state does not say
// which host it is on: what is there becomes it, if it may. It has to be there,
// as nothing else shows that the host is the one that is meant.
func (s *Symlink) arrival(ctx context.Context, h host.Host, was Target) (host.FileInfo, error) {
	info, err := s.lstat(ctx, h)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, lifecycle.ErrMovedObjectMissing(h, s.Path)
	case err != nil:
		return info, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	case Target(address.Shown(info.LinkTarget)) == was:
		return info, nil // the plan shows how it changes
	}
	return info, s.adoptable(h, info)
}

// planMove looks for it while planning.
func planMove(req runtime.ResourcePlanRequest[Symlink, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	s := &req.CurrentInputs
	return req.Config.PlanMove(req.Context(), resp, req.PriorInputs.Path, s.Path, func() error {
		_, err := s.arrival(req.Context(), req.Config.Host, req.PriorInputs.Target)
		return err
	})
}
