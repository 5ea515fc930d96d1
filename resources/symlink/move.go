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

// adoptMoved returns the link for a state that was moved from a provider without hosts.
// It must exist, with the target that the state has or as configured: nothing else
// shows that the configured host is the right one.
func (s *Symlink) adoptMoved(ctx context.Context, h host.Host, was Target) (host.FileInfo, error) {
	info, err := s.lstat(ctx, h)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, lifecycle.ErrMovedObjectMissing(h, s.Path)
	case err != nil:
		return info, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	case Target(address.Shown(info.LinkTarget)) == was:
		return info, nil // the plan shows how it changes
	}
	return info, s.checkAdoptable(h, info)
}

// planMove runs the checks of adoptMoved while planning.
func planMove(req runtime.ResourcePlanRequest[Symlink, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	s := &req.CurrentInputs
	return req.Config.PlanMove(req.Context(), resp, req.PriorInputs.Path, s.Path, func() error {
		_, err := s.adoptMoved(req.Context(), req.Config.Host, req.PriorInputs.Target)
		return err
	})
}
