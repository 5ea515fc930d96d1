package mount

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// undoTimeout limits how long undoing a failed change may take, whatever the context of
// the change is.
const undoTimeout = 2 * time.Minute

// Place is part of [lifecycle.Object].
func (m *Mount) Place() (*string, lifecycle.Key) { return m.Host, m.Path }

// RootOnly is part of [lifecycle.RootOnly].
func (*Mount) RootOnly() string { return "mounts" }

// Preflight is part of [lifecycle.Preflighter].
func (m *Mount) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	_, _, err := m.adoptable(ctx, h)
	return err
}

// adoptable returns an error if an existing line or mount is not as configured.
func (m *Mount) adoptable(ctx context.Context, h host.Host) (*entry, *situation, error) {
	was, err := line(ctx, h, string(m.Path))
	if err != nil {
		return nil, nil, err
	}
	if err := m.mayTake(h)(was); err != nil {
		return nil, nil, err
	}
	s, err := see(ctx, h, string(m.Path), m.Source)
	if err != nil {
		return nil, nil, err
	}
	if s.here != nil && !s.is(m.entry()) {
		return nil, nil, diag.AttributeErrorf("path", "another file system is mounted at %s on host %s: %s of type %s. Unmount it, or change the configuration",
			m.Path, h.Name(), s.here.source, s.here.kind)
	}
	return was, s, nil
}

// mayTake returns a function that rejects an existing line that is not as configured.
func (m *Mount) mayTake(h host.Host) func(was *entry) error {
	return func(was *entry) error {
		if was == nil || was.equal(m.entry()) {
			return nil
		}
		return diag.AttributeErrorf("path", "%s on host %s already has a line for %s, which differs from the configuration. "+
			"To manage it, import it (id %q); a plan then shows what would change. Or remove the line", fstab, h.Name(), m.Path, h.Name()+":"+string(m.Path))
	}
}

// Create is part of [runtime.TypedResource].
func (m *Mount) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	was, s, err := m.adoptable(ctx, h)
	if err != nil {
		return nil, err
	}
	e := m.entry()
	if err := write(ctx, scope, e.path, &e, m.mayTake(h)); err != nil {
		return nil, err
	}
	if err := m.settle(ctx, h, s, false); err != nil {
		return nil, errors.Join(err, m.undo(ctx, scope, was, s))
	}
	return output(h, e, m.Mounted), nil
}

// undo restores fstab and the mount after a failed create.
func (m *Mount) undo(ctx context.Context, scope *lifecycle.Scope, was *entry, before *situation) error {
	h := scope.Host
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := write(ctx, scope, string(m.Path), was, anything)
	now, errNow := see(ctx, h, string(m.Path), m.Source)
	if errNow == nil && before.here == nil && now.here != nil {
		errNow = m.unmount(ctx, h, now)
	}
	return errors.Join(err, errNow)
}

// Read is part of [runtime.TypedResource]. The mount is compared with its line, or with the
// applied state if the line has changed: the change of the line is reported separately.
func (m *Mount) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	e, err := line(ctx, h, string(prior.Path))
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("%w: %s on host %s has no line for %s", runtime.ErrNotFound, fstab, h.Name(), prior.Path)
	}
	out := output(h, *e, false)
	for _, as := range []entry{*e, m.entry()} {
		s, err := see(ctx, h, e.path, as.source)
		if err != nil {
			return nil, err
		}
		out.Mounted = s.here != nil
		words := s.otherwise(as)
		if words == "" {
			out.MountedOtherwise = nil
			break
		}
		if out.MountedOtherwise == nil {
			out.MountedOtherwise = &words
		}
		if m.Source == "" {
			break // it is being imported
		}
	}
	return out, nil
}

// Update is part of [runtime.TypedResource].
func (m *Mount) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Mount, *Output]) (*Output, error) {
	h := scope.Host
	e := m.entry()
	was, err := line(ctx, h, e.path)
	if err != nil {
		return nil, err
	}
	s, err := see(ctx, h, e.path, e.source)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, scope, e.path, &e, anything); err != nil {
		// The line must be restored: with the new line and the old mount, the next plan
		// would show no change.
		return nil, errors.Join(err, m.back(ctx, scope, was))
	}
	fresh := !slices.Equal(visible(prior.Inputs.Options), visible(m.Options))
	if err := m.settle(ctx, h, s, fresh); err != nil {
		return nil, errors.Join(err, m.back(ctx, scope, was))
	}
	return output(h, e, m.Mounted), nil
}

// back restores the line, and mounts it again if a failed update has unmounted it.
func (m *Mount) back(ctx context.Context, scope *lifecycle.Scope, was *entry) error {
	h := scope.Host
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if err := write(ctx, scope, string(m.Path), was, anything); err != nil || was == nil || !m.Mounted {
		return err
	}
	s, err := see(ctx, h, was.path, was.source)
	if err != nil || s.here != nil {
		return err
	}
	old := Mount{Path: m.Path, Source: was.source, Type: was.kind, Options: was.options, Mounted: true}
	return old.mount(ctx, h)
}

// Delete is part of [runtime.TypedResource].
func (m *Mount) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	h := scope.Host
	s, err := see(ctx, h, string(m.Path), m.Source)
	if err != nil {
		return err
	}
	switch {
	case s.here == nil:
	case s.is(m.entry()):
		if err := m.unmount(ctx, h, s); err != nil {
			return err
		}
	default:
		runtime.Warn(ctx, "", "Not unmounted: another file system is mounted", fmt.Sprintf("At %s on host %s, %s of type %s is mounted, which is not the "+
			"managed file system. It stays mounted.", m.Path, h.Name(), s.here.source, s.here.kind))
	}
	return write(ctx, scope, string(m.Path), nil, anything)
}
