package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (s *Service) Place() (*string, lifecycle.Key) { return s.Host, s.Name.key() }

// ValidateInputs implements [runtime.InputValidator]. It accepts a service that does not exist, since the same
// run may install it. It only warns about a unit that does not support the configuration if the run may change the
// unit, because its file is in /etc or a posix_systemd_unit overrides it.
func (s *Service) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if is(s.Masked, true) {
		switch {
		case is(s.Enabled, true):
			return diag.AttributeErrorf("enabled", "a masked service cannot be enabled: set masked or enabled to false")
		case is(s.Running, true):
			return diag.AttributeErrorf("running", "a masked service cannot be started: set masked or running to false")
		}
	}
	return scope.Preflight(ctx, func() error {
		m, now, err := readState(ctx, scope, s.Name, s.Runlevel)
		if errors.Is(err, errNoManager) {
			lifecycle.WarnMissing(ctx, "host", err)
		}
		if err != nil {
			return lifecycle.ConnectionError(err)
		}
		want := s.desired()
		if err := m.checkSupported(now, want); err != nil {
			return err
		}
		err = m.checkUnit(now, want)
		if err != nil && unitMayChange(scope, now) {
			runtime.Warn(ctx, "name", "The unit does not support the configuration yet",
				fmt.Sprintf("%s. This is expected if the same apply changes the unit; otherwise the apply will fail.", err))
			return nil
		}
		return err
	})
}

// unitMayChange reports whether the same run may change the file of the unit.
func unitMayChange(scope *lifecycle.Scope, now state) bool {
	return strings.HasPrefix(now.path, "/etc/") || scope.PlannedUnit(now.name) || scope.PlannedUnit(template(now.name))
}

// desired returns the configured state.
func (s *Service) desired() desiredState {
	return desiredState{enabled: s.Enabled, running: s.Running, masked: s.Masked, runlevel: s.Runlevel}
}

// Create implements [runtime.TypedResource].
func (s *Service) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	want := s.desired()
	if len(s.Triggers) > 0 {
		want.onChange = s.OnChange
	}
	now, changed, err := s.apply(ctx, scope, want)
	if !changed && err != nil {
		return nil, err // if the state had the service, it would be tainted, and its replacement would stop it first
	}
	s.storeApplied(ctx)
	return s.output(scope.Host, now), err
}

// Keys of private data for the values of running and masked that were last applied. The state may have null instead
// after a refresh: see output.
const (
	appliedRunning = "running"
	appliedMasked  = "masked"
)

// storeApplied stores the values of running and masked.
func (s *Service) storeApplied(ctx context.Context) {
	private := runtime.Private(ctx)
	for key, setting := range map[string]*bool{appliedRunning: s.Running, appliedMasked: s.Masked} {
		var value []byte
		if setting != nil {
			value = strconv.AppendBool(nil, *setting)
		}
		private.Set(key, value)
	}
}

// applied returns the service in the state, with the values of running and masked that were last applied in place of
// null.
func (s *Service) applied(ctx context.Context) *Service {
	private, it := runtime.Private(ctx), *s
	if value := private.Get(appliedRunning); it.Running == nil && value != nil {
		it.Running = new(string(value) == "true")
	}
	if value := private.Get(appliedMasked); it.Masked == nil && value != nil {
		it.Masked = new(string(value) == "true")
	}
	return &it
}

// Read implements [runtime.TypedResource].
func (s *Service) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	_, now, err := readState(ctx, scope, s.Name, s.Runlevel)
	if err != nil {
		return nil, err
	}
	if !now.exists {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, s.notFound(h))
	}
	if prior.Manager == "" { // during an import
		return newOutput(h, s.Name, now), nil
	}
	return s.output(h, now), nil
}

// Update implements [runtime.TypedResource].
func (s *Service) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Service, *Output]) (out *Output, err error) {
	h := scope.Host
	want := s.desired()
	if prior.Inputs.Triggers != nil && s.Triggers != nil && runtime.Changed(prior.Inputs.Triggers, s.Triggers) {
		want.onChange = s.OnChange
	}
	now, _, err := s.apply(ctx, scope, want)
	left := runlevelOf(prior.Inputs.Runlevel)
	if is(prior.Inputs.Enabled, true) && s.Enabled != nil && s.Runlevel != nil && left != *s.Runlevel {
		// Only after the change to the new runlevel, which may not exist: the service must start at boot.
		if err == nil {
			err = s.removeFromRunlevel(ctx, scope, left)
		}
		if err != nil {
			return nil, err // the state keeps the previous runlevel, so that the next apply removes the service from it
		}
	}
	if err == nil || now.exists { // a unit that was only masked does not exist after it was unmasked
		s.storeApplied(ctx)
		out = s.output(h, now)
	}
	return out, err
}

// removeFromRunlevel disables the service in a runlevel.
func (s *Service) removeFromRunlevel(ctx context.Context, scope *lifecycle.Scope, runlevel string) error {
	m, now, err := readState(ctx, scope, s.Name, &runlevel)
	if err != nil || !now.enabled {
		return err
	}
	return m.enable(ctx, false)
}

// Delete implements [runtime.TypedResource]. It reverts enabled = true, running = true and
// masked = true, unless on_destroy is leave, and keeps the service. It changes nothing, and warns, if the name is an
// alias of a service that another resource manages: with create_before_destroy, that resource may be the replacement.
func (s *Service) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	if s.OnDestroy == onDestroyLeave {
		return nil
	}
	m, now, err := readState(ctx, scope, s.Name, s.Runlevel)
	if name := Name(now.name); err == nil && name.short() != s.Name.short() { // an alias, which systemctl does not disable
		if scope.Manages(name.key()) {
			runtime.Warn(ctx, "", "Service kept: another resource manages it",
				fmt.Sprintf("%[1]s is an alias of %[2]s on host %[3]s. Another resource manages %[2]s, so its state is not changed.", s.Name.short(), name.short(), scope.Host.Name()))
			return nil
		}
		m, now, err = readState(ctx, scope, name, s.Runlevel)
	}
	if err != nil || !now.exists {
		return err
	}
	var want desiredState
	if is(s.Enabled, true) {
		want.enabled = new(false)
	}
	applied := s.applied(ctx)
	if is(applied.Running, true) {
		want.running = new(false)
	}
	if is(applied.Masked, true) {
		want.masked = new(false)
	}
	_, err = s.change(ctx, scope, m, now, want)
	return err
}

// output returns the output of the managed attributes. It returns null, which differs from both values that can be
// configured, for running of a service that has crashed and waits for its restart, and for masked of a unit that is
// masked only until the next boot. Which values are configured is not known during a read: s has those that the last
// refresh found.
func (s *Service) output(h host.Host, now state) *Output {
	out := newOutput(h, s.Name, now)
	out.Enabled, out.Running, out.Masked = ifManaged(s.Enabled, now.enabled), ifManaged(s.Running, now.running), ifManaged(s.Masked, now.masked)
	if now.restarting {
		out.Running = nil
	}
	if now.untilBoot {
		out.Masked = nil
	}
	return out
}

// ifManaged returns the current value of a setting, or nil if it is not managed.
func ifManaged(desired *bool, is bool) *bool {
	if desired == nil {
		return nil
	}
	return &is
}

// newOutput returns the output of all attributes. Masked is only set if it is true.
func newOutput(h host.Host, name Name, now state) *Output {
	out := &Output{Host: new(h.Name()), Name: name, Enabled: &now.enabled, Running: now.known(), Manager: now.manager}
	if now.masked {
		out.Masked = &now.masked
	}
	if now.status != "" {
		out.Status = &now.status
	}
	return out
}
