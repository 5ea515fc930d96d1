package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

var (
	// startupTime is how long a service that does not report readiness has to run.
	startupTime = time.Second
	// pollInterval is the interval between reads while a service is starting or stopping.
	pollInterval = 250 * time.Millisecond
)

// apply changes the service to the desired state. It returns the latest known state, even with an error. changed is
// true without an error, and with one if the apply has, or may have, changed the service.
func (s *Service) apply(ctx context.Context, scope *lifecycle.Scope, want desiredState) (now state, changed bool, err error) {
	m, was, err := readState(ctx, scope, s.Name, s.Runlevel)
	if err != nil {
		return was, false, err
	}
	if !was.exists && (!is(want.masked, true) || want.enabled != nil || want.running != nil) {
		return was, false, s.notFound(scope.Host)
	}
	if now, err = s.change(ctx, scope, m, was, want); err == nil {
		return now, true, nil
	}
	now, changed = stateAfterFailure(ctx, m, was)
	return now, changed, err
}

// stateAfterFailure returns the state of the service after a change that failed, even if the run was
// interrupted, and whether commands of m have changed it. If the state cannot be read, it returns was, and whether
// commands of m have, or may have, run.
func stateAfterFailure(ctx context.Context, m manager, was state) (now state, changed bool) {
	ctx, cancel := host.WithoutCancel(ctx, afterFailureTimeout)
	defer cancel()
	now, err := m.read(ctx)
	if err != nil {
		return was, m.mayHaveRun()
	}
	changed = now.enabled != was.enabled || now.masked != was.masked || now.running != was.running || now.restarting != was.restarting
	return now, changed && m.mayHaveRun()
}

func (s *Service) notFound(h host.Host) error {
	return fmt.Errorf("host %s has no service %s. Install it first, for example with posix_package or posix_systemd_unit, and let this resource depend on the resource that installs the service",
		h.Name(), s.Name.short())
}

// change brings the service into the desired state, and returns its latest known state. It unmasks a service
// before the other changes, and masks it after them.
func (s *Service) change(ctx context.Context, scope *lifecycle.Scope, m manager, now state, want desiredState) (state, error) {
	h := scope.Host
	if err := m.checkSupported(now, want); err != nil {
		return now, err
	}
	current := now // the latest state
	step := func(due bool, do func() error) (err error) {
		if due {
			if err = do(); err == nil {
				current, err = m.read(ctx)
			}
		}
		return err
	}
	err := step(is(want.masked, false) && now.masked, func() error { return m.mask(ctx, false) })
	if err == nil {
		err = step(now.outdated || current.outdated, func() error { return daemonReload(ctx, scope) })
	}
	if err == nil {
		err = m.checkUnit(current, want) // after a reload of the unit files
	}
	if err == nil {
		err = step(differs(want.enabled, current.enabled), func() error { return m.enable(ctx, *want.enabled) })
	}
	if err == nil {
		current, err = s.run(ctx, h, m, current, want)
	}
	if err == nil {
		err = step(is(want.masked, true) && !current.masks(want.masked), func() error { return m.mask(ctx, true) })
	}
	if err != nil {
		return current, err
	}
	return current, s.checkApplied(h, current, want)
}

// run starts, stops, restarts or reloads the service. A service that is just starting may have
// read its files before they were changed, so it is restarted or reloaded too. With running = true, this happens
// only after the service has started.
func (s *Service) run(ctx context.Context, h host.Host, m manager, now state, want desiredState) (state, error) {
	if is(want.running, false) && (now.running || now.changing || now.restarting) {
		if err := m.stop(ctx); err != nil {
			return now, failure(ctx, h, s.Name, m, now, "stop", err)
		}
		return waitStable(ctx, m, false)
	}
	if is(want.running, true) && (!now.running || now.changing) {
		was := now
		var err error
		now, err = runUntilStable(ctx, h, s.Name, m, was, "start", func(ctx context.Context) error { return m.start(ctx, was) })
		if err != nil || !was.running {
			return now, err
		}
	}
	if want.onChange != "" && now.running && now.booted {
		now, err := runUntilStable(ctx, h, s.Name, m, now, want.onChange, func(ctx context.Context) error { return m.restart(ctx, want.onChange) })
		if err != nil && want.running == nil && !now.running && !now.restarting {
			err = fmt.Errorf("%w. The service no longer runs, and no apply starts it while running is unset: start it on the host, or set running = true", err)
		}
		return now, err
	}
	return now, nil
}

// changeGrace is how long a start, restart or reload may continue after the run was interrupted, because a
// restart that ends in the middle leaves the service stopped.
const changeGrace = 10 * time.Second

// runUntilStable calls do, which starts, restarts or reloads the service, and returns the latest known state. The
// error is nil only if do succeeds, ctx has not ended, and the service then runs or is a oneshot service that has not
// failed.
func runUntilStable(ctx context.Context, h host.Host, name Name, m manager, was state, verb string, do func(context.Context) error) (state, error) {
	graceful, cancel := graceperiod.With(ctx, changeGrace)
	err := do(graceful)
	cancel()
	if err == nil && ctx.Err() != nil {
		return was, fmt.Errorf("the %s of the service %s on host %s was completed, but the provider did not check whether the service runs: %w", verb, name.short(), h.Name(), context.Cause(ctx))
	}
	now, errRead := waitStable(ctx, m, err == nil)
	switch {
	case errRead != nil:
		return was, failure(ctx, h, name, m, was, verb, errors.Join(err, errRead))
	case err == nil && (now.running || now.oneshot && !now.failed):
		return now, nil
	}
	return now, failure(ctx, h, name, m, now, verb, err)
}

// waitStable waits until the service is neither starting nor stopping, and returns its state. If stays is set, and
// the service runs but does not report readiness, waitStable first waits for startupTime and reads the state again.
func waitStable(ctx context.Context, m manager, stays bool) (state, error) {
	for {
		now, err := m.read(ctx)
		wait := pollInterval
		switch {
		case err != nil:
			return now, err
		case now.changing:
		case stays && now.running && !now.ready:
			wait, stays = startupTime, false
		default:
			return now, nil
		}
		if err := host.Sleep(ctx, wait); err != nil {
			return now, err
		}
	}
}

// failure returns the error of a service that could not be started, stopped, restarted or
// reloaded, with the end of its log. A nil cause means that the service does not run although the
// command succeeded.
func failure(ctx context.Context, h host.Host, name Name, m manager, now state, verb string, cause error) error {
	if cause == nil {
		cause = errors.New("it is " + now.status)
		if now.result != "" {
			cause = fmt.Errorf("%w, with the result %s", cause, now.result)
		}
	}
	log := " "
	if output := logTail(ctx, m); output != "" {
		log = "\nThe last lines of its log:\n" + output + "\n"
	}
	return fmt.Errorf("the service %s on host %s does not %s: %w.%sFix the cause, and apply again", name.short(), h.Name(), verb, cause, log)
}

// afterFailureTimeout is the timeout of reading the log or the state of a service after an operation
// that failed, even if the operation has timed out.
const afterFailureTimeout = 10 * time.Second

// logTail returns the last lines of the log for a message.
func logTail(ctx context.Context, m manager) string {
	ctx, cancel := host.WithoutCancel(ctx, afterFailureTimeout)
	defer cancel()
	var lines []string
	for line := range strings.Lines(remotecmd.Printable(strings.ToValidUTF8(m.log(ctx), "\uFFFD"))) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-logLines):], "\n")
}

// logLines is the maximum number of lines of a log in an error.
const logLines = 20

// checkApplied returns an error if the service does not have the desired state although
// all commands succeeded.
func (s *Service) checkApplied(h host.Host, now state, want desiredState) error {
	for _, check := range []struct {
		attribute string
		want      *bool
		is        bool
	}{{"enabled", want.enabled, now.enabled}, {"masked", want.masked, now.masks(want.masked)}, {"running", want.running, now.runs(want.running)}} {
		if !differs(check.want, check.is) {
			continue
		}
		detail := ""
		if now.file != "" {
			detail = fmt.Sprintf(" (its unit file is %s)", now.file)
		}
		return fmt.Errorf("%s of the service %s on host %s was set to %t without an error, but does not have this value%s: another program changes it back, or the service does not support it",
			check.attribute, s.Name.short(), h.Name(), *check.want, detail)
	}
	return nil
}
