package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// runlevelOf returns the runlevel in which to enable a service: the configured one, or default.
func runlevelOf(configured *string) string {
	if configured == nil {
		return "default"
	}
	return *configured
}

// openrc implements manager for a service of OpenRC.
type openrc struct {
	script
	scope    *lifecycle.Scope
	runlevel *string
}

// statuses maps the exit codes of rc-service's command status to names.
var statuses = map[string]string{"0": "started", "3": "stopped", "4": "stopping", "8": "starting", "16": "inactive", "32": "crashed"}

// parseOpenRC parses the lines that stateScript or listScript prints about a service of OpenRC. The service
// counts as enabled if it is in any runlevel.
func parseOpenRC(name Name, text string) state {
	s := state{manager: nameOpenRC, name: name.short()}
	for name, value := range settings(text) {
		switch name {
		case "Exists":
			s.exists = true
		case "Runlevel":
			s.runlevels = append(s.runlevels, value)
		case "Status":
			s.booted, s.status = true, cmp.Or(statuses[value], "unknown ("+value+")")
		}
	}
	s.enabled = len(s.runlevels) > 0
	// An inactive service waits for an event, and then continues.
	s.running = slices.Contains([]string{"started", "starting", "inactive"}, s.status)
	s.changing = s.status == "starting" || s.status == "stopping"
	s.failed = s.status == "crashed"
	return s
}

func (m *openrc) read(ctx context.Context) (state, error) {
	_, s, err := readState(ctx, m.scope, m.name, m.runlevel)
	return s, err
}

func (m *openrc) checkSupported(s state, want desiredState) error {
	switch kind := unitType(string(m.name)); {
	case kind != "" && kind != "service":
		return diag.AttributeErrorf("name", "host %s has OpenRC, which only has services, and %s is a systemd unit", m.h.Name(), m.name)
	case is(want.masked, true):
		return diag.AttributeErrorf("masked", "host %s has OpenRC, which cannot mask a service: set enabled = false and running = false", m.h.Name())
	case is(want.running, true) && s.exists && !s.booted:
		return notBooted(m.h, "OpenRC", m.name.short())
	}
	return nil
}

// enable adds the service to the configured runlevel, or, if on is false, removes the service from that
// runlevel. Without a configured runlevel, enable adds the service to the runlevel default, or removes it from
// all runlevels.
func (m *openrc) enable(ctx context.Context, on bool) error {
	level := runlevelOf(m.runlevel)
	if on {
		return m.run(ctx, "rc-update", "add", m.name.short(), level)
	}
	levels := []string{level}
	if m.runlevel == nil {
		now, err := m.read(ctx)
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

func (m *openrc) start(ctx context.Context, now state) error {
	if now.failed { // OpenRC still considers it started
		if err := m.run(ctx, "rc-service", m.name.short(), "zap"); err != nil {
			return err
		}
	}
	return m.run(ctx, "rc-service", m.name.short(), "start")
}

func (m *openrc) stop(ctx context.Context) error {
	return m.run(ctx, "rc-service", m.name.short(), "stop")
}

func (m *openrc) restart(ctx context.Context, how string) error {
	name := m.name.short()
	switch how {
	case tryRestart:
		return m.run(ctx, "rc-service", "--ifstarted", name, "restart")
	case reloadOrRestart:
		// Only scripts that use openrc-run list their commands.
		output, err := remotecmd.Run(ctx, m.h, "rc-service", name, "describe")
		if how = restart; err == nil && strings.Contains(output.Stdout+output.Stderr, " reload:") {
			how = reload
		}
	}
	return m.run(ctx, "rc-service", name, how)
}
