package directory

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Moves implements [runtime.Mover].
func (*Directory) Moves() []runtime.Move {
	type systemFolder struct {
		Path string
		Mode *string
	}
	return []runtime.Move{
		runtime.MoveFrom("neuspaces/system", "system_folder", func(ctx context.Context, old systemFolder) (d Directory, out *Output, err error) {
			d.Defaults()
			if err = d.Path.UnmarshalText([]byte(old.Path)); err != nil {
				return d, nil, err
			}
			if old.Mode != nil && *old.Mode != "" {
				if d.Mode, err = host.ParseMode(*old.Mode); err != nil {
					return d, nil, err
				}
			}
			lifecycle.LeaveHostOpen(ctx)
			return d, &Output{Path: d.Path, Mode: d.Mode}, nil
		}),
	}
}

// adoptMoved returns the directory for a state that was moved from a provider whose state
// has no host. It must have the mode of that state, or be as configured.
func (d *Directory) adoptMoved(ctx context.Context, h host.Host, attrs host.Attributes, was host.Mode) (host.FileInfo, error) {
	return lifecycle.AdoptMoved(ctx, h, d.Path, host.TypeDirectory, func(info host.FileInfo) error {
		if info.Mode == was {
			return nil // the plan shows the change
		}
		return d.checkAdoptable(ctx, h, info, attrs)
	})
}
