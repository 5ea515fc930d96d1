package service

import (
	"context"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place is part of [lifecycle.Object].
func (s *Service) Place() (*string, lifecycle.Key) { return s.Host, s.Name.place() }

// ValidateInputs is part of [runtime.InputValidator]. A service that is not there may
// be installed by the same run. So may the unit be changed by it, where it is not one
// that came with a package.
func (s *Service) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if is(s.Masked, true) {
		switch {
		case is(s.Enabled, true):
			return diag.AttributeErrorf("enabled", "a service that is masked cannot be enabled: set masked or enabled to false")
		case is(s.Running, true):
			return diag.AttributeErrorf("running", "a service that is masked cannot be started: set masked or running to false")
		}
	}
	return scope.Preflight(ctx, func() error {
		m, now, err := look(ctx, scope, s.Name, s.Runlevel)
		if err != nil {
			return lifecycle.IgnoreIfInspectable(err)
		}
		want := s.wants()
		if err := m.refuse(now, want); err != nil {
			return err
		}
		err = m.unfit(now, want)
		if err != nil && strings.HasPrefix(now.path, "/etc/") {
			runtime.Warn(ctx, "name", "The unit does not fit yet",
				fmt.Sprintf("%s. This is as it should be when the same run changes the unit; else the apply will fail.", err))
			return nil
		}
		return err
	})
}

// wants is all that is configured.
func (s *Service) wants() wanted {
	return wanted{enabled: s.Enabled, running: s.Running, masked: s.Masked, runlevel: s.Runlevel}
}

// Create is part of [runtime.TypedResource].
func (s *Service) Create(ctx context.Context, scope *lifecycle.Scope) (out *Output, err error) {
	h := scope.Host
	want := s.wants()
	if len(s.Triggers) > 0 {
		want.again = s.OnChange
	}
	now, err := s.become(ctx, scope, want)
	if now.exists {
		out = s.output(h, now)
	}
	return out, err
}

// Read is part of [runtime.TypedResource].
func (s *Service) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	_, now, err := look(ctx, scope, s.Name, s.Runlevel)
	if err != nil {
		return nil, err
	}
	if !now.exists {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, s.missing(h))
	}
	if prior.Manager == "" { // it is imported
		return newOutput(h, s.Name, now), nil
	}
	return s.output(h, now), nil
}

// Update is part of [runtime.TypedResource].
func (s *Service) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Service, *Output]) (out *Output, err error) {
	h := scope.Host
	want := s.wants()
	if prior.Inputs.Triggers != nil && s.Triggers != nil && runtime.Changed(prior.Inputs.Triggers, s.Triggers) {
		want.again = s.OnChange
	}
	if left := prior.Inputs.Runlevel; left != nil && s.Runlevel != nil && *left != *s.Runlevel && is(s.Enabled, true) {
		if err := s.leave(ctx, scope, left); err != nil {
			return nil, err
		}
	}
	now, err := s.become(ctx, scope, want)
	if now.exists {
		out = s.output(h, now)
	}
	return out, err
}

// leave takes the service out of a runlevel.
func (s *Service) leave(ctx context.Context, scope *lifecycle.Scope, runlevel *string) error {
	m, now, err := look(ctx, scope, s.Name, runlevel)
	if err != nil || !now.enabled {
		return err
	}
	return m.enable(ctx, false)
}

// Delete is part of [runtime.TypedResource]. The service itself is somebody else's.
func (s *Service) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	if s.OnDestroy == onDestroyLeave {
		return nil
	}
	return s.undo(ctx, scope)
}

// undo makes the opposite of what is configured.
func (s *Service) undo(ctx context.Context, scope *lifecycle.Scope) error {
	m, now, err := look(ctx, scope, s.Name, s.Runlevel)
	if err != nil || !now.exists {
		return err
	}
	var want wanted
	if is(s.Enabled, true) {
		want.enabled = new(false)
	}
	if is(s.Running, true) {
		want.running = new(false)
	}
	if is(s.Masked, true) {
		want.masked = new(false)
	}
	_, err = s.settle(ctx, scope, m, now, want)
	return err
}

// output tells of the service what is managed of it.
func (s *Service) output(h host.Host, now state) *Output {
	out := newOutput(h, s.Name, now)
	out.Enabled, out.Running, out.Masked = managed(s.Enabled, now.enabled), managed(s.Running, now.runs(s.Running)), managed(s.Masked, now.masked)
	return out
}

func managed(wanted *bool, is bool) *bool {
	if wanted == nil {
		return nil
	}
	return &is
}

// newOutput tells all of it, but that it is not masked, of which nobody speaks.
func newOutput(h host.Host, name Name, now state) *Output {
	out := &Output{Host: new(h.Name()), Name: name, Enabled: &now.enabled, Running: &now.running, Manager: now.manager}
	if now.masked {
		out.Masked = &now.masked
	}
	if now.status != "" {
		out.Status = &now.status
	}
	return out
}
