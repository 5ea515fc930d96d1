package directory

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Moves is part of [runtime.Mover].
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

// adoptMoved returns the directory for a state that was moved from a provider without
// hosts. It must exist, with the mode that the state has or as configured: nothing else
// shows that the configured host is the right one.
func (d *Directory) adoptMoved(ctx context.Context, h host.Host, attrs host.Attributes, was host.Mode) (host.FileInfo, error) {
	info, err := d.lstat(ctx, h)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, lifecycle.ErrMovedObjectMissing(h, d.Path)
	case err != nil:
		return info, hostpath.Explain(h, d.Path, host.TypeDirectory, err)
	case info.Mode == was:
		return info, nil // the plan shows how it changes
	}
	return info, d.checkAdoptable(ctx, h, info, attrs)
}

// planMove runs the checks of adoptMoved while planning.
func planMove(req runtime.ResourcePlanRequest[Directory, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	d := &req.CurrentInputs
	ctx := req.Context()
	return req.Config.PlanMove(ctx, resp, req.PriorInputs.Path, d.Path, func() error {
		attrs, err := access.ResolveForPlan(ctx, req.Config, d.Mode, d.Owner, d.Group)
		if err == nil {
			_, err = d.adoptMoved(ctx, req.Config.Host, attrs, req.PriorOutputs.Mode)
		}
		return err
	})
}
