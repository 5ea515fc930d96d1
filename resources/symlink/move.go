package symlink

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Moves implements [runtime.Mover].
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

// adoptMoved returns the link for a state that was moved from a provider whose state has
// no host. It must have the target of that state, or the configured one.
func (s *Symlink) adoptMoved(ctx context.Context, h host.Host, was Target) (host.FileInfo, error) {
	return lifecycle.AdoptMoved(ctx, h, s.Path, host.TypeSymlink, func(info host.FileInfo) error {
		if Target(address.Shown(info.LinkTarget)) == was {
			return nil // the plan shows the change
		}
		return s.checkAdoptable(h, info)
	})
}
