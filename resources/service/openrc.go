package service

import (
	"context"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// defaultRunlevel is where a service is enabled that says nothing of it.
const defaultRunlevel = "default"

// openrc is the manager of a service.
type openrc struct {
	scope    *lifecycle.Scope
	h        host.Host
	name     Name
	runlevel *string

	said string // by the last program that failed
}

// statuses are the exit codes of rc-service status, in its words.
var statuses = map[string]string{"0": "started", "3": "stopped", "4": "stopping", "8": "starting", "16": "inactive", "32": "crashed"}

// parse reads what there is of a service.
func (m *openrc) parse(text string) state {
	s := state{manager: nameOpenRC, name: m.name.short()}
	for name, value := range settings(text) {
		switch name {
		case "Exists":
			s.exists = true
		case "Runlevel":
			s.runlevels = append(s.runlevels, value)
		case "Status":
			s.booted, s.status = true, statuses[value]
			if s.status == "" {
				s.status = "unknown (" + value + ")"
			}
		}
	}
	s.enabled = in(s.runlevels, m.runlevel)
	// One that is inactive waits for something to happen, and goes on then.
	s.running = slices.Contains([]string{"started", "starting", "inactive"}, s.status)
	s.changing = s.status == "starting" || s.status == "stopping"
	s.failed = s.status == "crashed"
	return s
}

func (m *openrc) look(ctx context.Context) (state, error) {
	_, s, err := look(ctx, m.scope, m.name, m.runlevel)
	return s, err
}

func (m *openrc) refuse(s state, want wanted) error {
	switch kind := unitType(string(m.name)); {
	case kind != "" && kind != "service":
		return diag.AttributeErrorf("name", "host %s has OpenRC, which has services alone, and %s is a unit of systemd", m.h.Name(), m.name)
	case is(want.masked, true):
		return diag.AttributeErrorf("masked", "host %s has OpenRC, which cannot mask a service: set enabled = false and running = false", m.h.Name())
	case is(want.running, true) && s.exists && !s.booted:
		return notBooted(m.h, "OpenRC", m.name.short())
	}
	return nil
}

// unfit: a script says nothing of what it cannot do.
func (m *openrc) unfit(state, wanted) error { return nil }

// enable puts the service in its runlevel, or takes it out of that, or of all where
// none is said.
func (m *openrc) enable(ctx context.Context, on bool) error {
	level := defaultRunlevel
	if m.runlevel != nil {
		level = *m.runlevel
	}
	if on {
		return m.run(ctx, "rc-update", "add", m.name.short(), level)
	}
	levels := []string{level}
	if m.runlevel == nil {
		now, err := m.look(ctx)
		if err != nil {
			return err
		}
		levels = now.runlevels
	}
	for _, level := range levels {
		if err := m.run(ctx, "rc-update", "del", m.name.short(), level); err != nil {
			return err
		}
	}
	return nil
}

func (m *openrc) mask(context.Context, bool) error { return nil } // refused, or so already

func (m *openrc) start(ctx context.Context, now state) error {
	if now.failed { // OpenRC still takes it for started
		if err := m.run(ctx, "rc-service", m.name.short(), "zap"); err != nil {
			return err
		}
	}
	return m.run(ctx, "rc-service", m.name.short(), "start")
}

func (m *openrc) stop(ctx context.Context) error {
	return m.run(ctx, "rc-service", m.name.short(), "stop")
}

func (m *openrc) again(ctx context.Context, how string) error {
	name := m.name.short()
	switch how {
	case tryRestart:
		return m.run(ctx, "rc-service", "--ifstarted", name, "restart")
	case reloadOrRestart:
		// Only a script of OpenRC's own says what it can.
		says, err := remotecmd.Run(ctx, m.h, "rc-service", name, "describe")
		if how = restart; err == nil && strings.Contains(says.Stdout+says.Stderr, " reload:") {
			how = reload
		}
	}
	return m.run(ctx, "rc-service", name, how)
}

// log is what the program said that failed: OpenRC keeps nothing.
func (m *openrc) log(context.Context) string { return m.said }

func (m *openrc) run(ctx context.Context, args ...string) error {
	said, err := remotecmd.Run(ctx, m.h, args...)
	if m.said = ""; err != nil {
		m.said = said.Stdout + said.Stderr
	}
	return allowed(m.h, err)
}
