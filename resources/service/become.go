package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// They are variables for tests.
var (
	// staysUp is how long a service has to run that does not say when it is ready.
	staysUp = time.Second
	// lookEvery is how long it takes until one that is starting is looked at again.
	lookEvery = 250 * time.Millisecond
)

// become makes the service as wanted, and says how it is then, also with an error.
func (s *Service) become(ctx context.Context, scope *lifecycle.Scope, want wanted) (state, error) {
	h := scope.Host
	m, now, err := look(ctx, scope, s.Name, s.Runlevel)
	if err != nil {
		return now, err
	}
	if !now.exists && (!is(want.masked, true) || want.enabled != nil || want.running != nil) {
		return now, s.missing(h)
	}
	return s.settle(ctx, scope, m, now, want)
}

func (s *Service) missing(h host.Host) error {
	return fmt.Errorf("host %s has no service %s. Install what it comes with first, for example with posix_package or posix_systemd_unit, and let this resource depend on that",
		h.Name(), s.Name.short())
}

// settle does what is to be done, in an order in which nothing stands in the way of
// the next: a service is unmasked before the rest, and masked after it.
func (s *Service) settle(ctx context.Context, scope *lifecycle.Scope, m manager, now state, want wanted) (state, error) {
	h := scope.Host
	if err := m.refuse(now, want); err != nil {
		return now, err
	}
	fresh := now // says how the service is
	step := func(due bool, do func() error) (err error) {
		if due {
			if err = do(); err == nil {
				fresh, err = m.look(ctx)
			}
		}
		return err
	}
	err := step(is(want.masked, false) && now.masked, func() error { return m.mask(ctx, false) })
	if err == nil {
		err = step(now.stale || fresh.stale, func() error { return daemonReload(ctx, scope) })
	}
	if err == nil {
		err = m.unfit(fresh, want) // as the file may be another one now
	}
	if err == nil {
		err = step(differs(want.enabled, fresh.enabled), func() error { return m.enable(ctx, *want.enabled) })
	}
	if err == nil {
		fresh, err = s.run(ctx, h, m, fresh, want)
	}
	if err == nil {
		err = step(is(want.masked, true) && !fresh.masked, func() error { return m.mask(ctx, true) })
	}
	if err != nil {
		return fresh, err
	}
	return fresh, s.missed(h, fresh, want)
}

// run starts, stops, restarts or reloads the service.
func (s *Service) run(ctx context.Context, h host.Host, m manager, now state, want wanted) (state, error) {
	switch {
	case is(want.running, false) && (now.running || now.changing || now.restless):
		if err := m.stop(ctx); err != nil {
			return now, failed(ctx, h, s.Name, m, now, "stop", err)
		}
		return await(ctx, m, false)
	case is(want.running, true) && (!now.running || now.changing):
		return up(ctx, h, s.Name, m, now, "start", func() error { return m.start(ctx, now) })
	case want.again != "" && now.running && now.booted:
		return up(ctx, h, s.Name, m, now, want.again, func() error { return m.again(ctx, want.again) })
	}
	return now, nil
}

// up does what the service runs after, and sees to it that it does.
func up(ctx context.Context, h host.Host, name Name, m manager, was state, verb string, do func() error) (state, error) {
	err := do()
	now, errLook := await(ctx, m, err == nil)
	switch {
	case errLook != nil:
		return was, failed(ctx, h, name, m, was, verb, errors.Join(err, errLook))
	case err == nil && (now.running || now.oneshot && !now.failed):
		return now, nil
	}
	return now, failed(ctx, h, name, m, now, verb, err)
}

// await waits until a service neither starts nor stops. One that does not say
// when it is ready has to stay up.
func await(ctx context.Context, m manager, stays bool) (state, error) {
	for {
		now, err := m.look(ctx)
		wait := lookEvery
		switch {
		case err != nil:
			return now, err
		case now.changing:
		case stays && now.running && !now.ready:
			wait, stays = staysUp, false
		default:
			return now, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return now, context.Cause(ctx)
		}
	}
}

// failed is the error of a service that could not be made to do something, with
// what it has said itself.
func failed(ctx context.Context, h host.Host, name Name, m manager, now state, verb string, cause error) error {
	if cause == nil {
		cause = errors.New("it is " + now.status)
		if now.result != "" {
			cause = fmt.Errorf("%w, with the result %s", cause, now.result)
		}
	}
	log := ""
	if said := lastWords(ctx, m); said != "" {
		log = "\nThe last that is known of it:\n" + said + "\n"
	}
	return fmt.Errorf("the service %s on host %s does not %s: %w.%s Mend what makes it fail, and apply again", name.short(), h.Name(), verb, cause, log)
}

// logTime is how long it may take to ask for a log. What the service failed by may
// be that its own time is over.
const logTime = 10 * time.Second

// lastWords is the log as a message can have it.
func lastWords(ctx context.Context, m manager) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logTime)
	defer cancel()
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(m.log(ctx), "\uFFFD"))
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-logLines):], "\n")
}

// logLines is how many lines of a log an error has.
const logLines = 20

// missed is the error of a service that is not as it was made, without anything
// having failed.
func (s *Service) missed(h host.Host, now state, want wanted) error {
	for _, check := range []struct {
		attribute string
		want      *bool
		is        bool
	}{{"enabled", want.enabled, now.enabled}, {"masked", want.masked, now.masked}, {"running", want.running, now.runs(want.running)}} {
		if !differs(check.want, check.is) {
			continue
		}
		detail := ""
		if now.file != "" {
			detail = fmt.Sprintf(" (its unit file is %s)", now.file)
		}
		return fmt.Errorf("%s of the service %s on host %s was made %t without an error, and is not%s: something else on the host changes it back, or the service cannot be so",
			check.attribute, s.Name.short(), h.Name(), *check.want, detail)
	}
	return nil
}
