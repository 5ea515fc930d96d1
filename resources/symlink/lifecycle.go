package symlink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (s *Symlink) Place() (*string, lifecycle.Key) { return s.Host, s.Path }

// Preflight implements [lifecycle.Preflighter].
func (s *Symlink) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	info, err := scope.CachedLstat(ctx, s.Path)
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	return s.checkAdoptable(scope.Host, info)
}

// checkAdoptable returns an error if the object at the path is not the configured link.
func (s *Symlink) checkAdoptable(h host.Host, info host.FileInfo) error {
	switch {
	case info.Type != host.TypeSymlink:
		return hostpath.WrongType(h, s.Path, host.TypeSymlink, info.Type)
	case info.LinkTarget == string(s.Target):
		return nil
	}
	return lifecycle.ConflictErrorf("path", "%s already exists on host %s, as a link to %s. "+
		"To manage it, import it (id %q); a plan then shows the change of its target. Or remove it",
		s.Path, h.Name(), host.QuotePath(info.LinkTarget), h.Name()+":"+string(s.Path))
}

// Create implements [runtime.TypedResource].
func (s *Symlink) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	info, err := s.inDirectory(ctx, h, h.Symlink)
	if errors.Is(err, fs.ErrExist) {
		if info, err = h.Lstat(ctx, string(s.Path)); err == nil {
			err = s.checkAdoptable(h, info)
		}
	}
	if err != nil {
		return nil, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	}
	return s.output(h, info), nil
}

// inDirectory makes the link with a method of the host, and the directory of the link if it
// is missing.
func (s *Symlink) inDirectory(ctx context.Context, h host.Host, link func(ctx context.Context, target, path string) (host.FileInfo, error)) (info host.FileInfo, err error) {
	err = hostpath.InDirectory(ctx, h, s.Path, true, func() (err error) {
		info, err = link(ctx, string(s.Target), string(s.Path))
		return err
	})
	return info, err
}

// Read implements [runtime.TypedResource].
func (s *Symlink) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	info, err := hostpath.Lstat(ctx, h, s.Path, host.TypeSymlink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return s.output(h, info), nil
}

// Update implements [runtime.TypedResource].
func (s *Symlink) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Symlink, *Output]) (*Output, error) {
	h := scope.Host
	if prior.Inputs.Host == nil {
		info, err := s.adoptMoved(ctx, h, prior.Inputs.Target)
		if err != nil {
			return nil, err
		}
		if info.LinkTarget == string(s.Target) {
			return s.output(h, info), nil
		}
	}
	info, err := s.inDirectory(ctx, h, h.ReplaceSymlink)
	if err != nil {
		return nil, hostpath.Explain(h, s.Path, host.TypeSymlink, err)
	}
	return s.output(h, info), nil
}

// Delete implements [runtime.TypedResource].
func (s *Symlink) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return hostpath.Remove(ctx, scope.Host, s.Path, host.TypeSymlink)
}

func (s *Symlink) output(h host.Host, info host.FileInfo) *Output {
	return &Output{Host: new(h.Name()), Path: s.Path, Target: Target(address.Shown(info.LinkTarget))}
}

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
			lifecycle.MarkHostUnknown(ctx)
			return s, &Output{Path: s.Path, Target: s.Target}, nil
		}),
	}
}

// adoptMoved returns the existing link for a state that was moved from a provider whose
// state has no host. It returns an error if the link has neither the target of that state
// nor the configured one.
func (s *Symlink) adoptMoved(ctx context.Context, h host.Host, was Target) (host.FileInfo, error) {
	return lifecycle.AdoptMoved(ctx, h, s.Path, host.TypeSymlink, func(info host.FileInfo) error {
		if Target(address.Shown(info.LinkTarget)) == was {
			return nil // the plan shows the change of the target
		}
		return s.checkAdoptable(h, info)
	})
}
