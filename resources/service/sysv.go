package service

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// sysv implements manager for an init script of System V's init, with the programs service and
// update-rc.d of Debian.
type sysv struct {
	script
	scope *lifecycle.Scope
}

// sysvStatuses maps the exit codes of an init script's command status to names, as in the Linux
// Standard Base.
var sysvStatuses = map[string]string{"0": "running", "1": "dead", "2": "dead", "3": "stopped"}

// parseSysV parses the output of stateScript.
func parseSysV(name Name, text string) state {
	s := state{manager: nameSysV, name: name.short()}
	for name, value := range settings(text) {
		switch name {
		case "Exists":
			s.exists = true
		case "Booted":
			s.booted = true
		case "Runlevel":
			s.runlevels = append(s.runlevels, value)
		case "Status":
			if s.status = sysvStatuses[value]; s.status == "" {
				s.status, s.unknown = "unknown ("+value+")", true
			}
		}
	}
	s.enabled = len(s.runlevels) > 0
	s.running = s.status == "running"
	s.failed = s.status == "dead"
	if !s.booted {
		s.status = ""
	}
	return s
}

func (m *sysv) read(ctx context.Context) (state, error) {
	_, s, err := readState(ctx, m.scope, m.name, nil)
	return s, err
}

func (m *sysv) checkSupported(s state, want desiredState) error {
	switch kind := unitType(string(m.name)); {
	case kind != "" && kind != "service":
		return diag.AttributeErrorf("name", "host %s has init scripts of System V, which are only services, and %s is a systemd unit", m.h.Name(), m.name)
	case is(want.masked, true):
		return diag.AttributeErrorf("masked", "host %s has init scripts of System V, which cannot be masked: set enabled = false and running = false", m.h.Name())
	case want.runlevel != nil:
		return diag.AttributeErrorf("runlevel", "host %s has init scripts of System V, whose runlevels are those in the header of the script: leave runlevel unset", m.h.Name())
	case is(want.running, true) && s.exists && !s.booted:
		return notBooted(m.h, "System V's init", m.name.short())
	case s.unknown && want.running != nil:
		return diag.AttributeErrorf("running", "%s: leave running unset", unknownStatus(m.h, m.name))
	case s.unknown && want.onChange != "":
		return diag.AttributeErrorf("triggers", "%s: leave triggers unset", unknownStatus(m.h, m.name))
	}
	return nil
}

func unknownStatus(h host.Host, name Name) string {
	return fmt.Sprintf("whether %s runs on host %s is unknown, because /etc/init.d/%[1]s has no working status command", name.short(), h.Name())
}

// enable links the script in the runlevels of its header, or, if on is false, replaces these links with links that
// do not start the script. It does not remove the links, as update-rc.d would create them again in a package update.
func (m *sysv) enable(ctx context.Context, on bool) error {
	verbs := []string{"defaults", "disable"}
	if on {
		verbs[1] = "enable" // defaults changes nothing if there are links
	}
	for _, verb := range verbs {
		if err := m.run(ctx, "update-rc.d", m.name.short(), verb); err != nil {
			return err
		}
	}
	return nil
}

func (m *sysv) start(ctx context.Context, _ state) error {
	return m.run(ctx, "service", m.name.short(), "start")
}

func (m *sysv) stop(ctx context.Context) error {
	return m.run(ctx, "service", m.name.short(), "stop")
}

func (m *sysv) restart(ctx context.Context, how string) error {
	switch how {
	case tryRestart: // few scripts have it
		now, err := m.read(ctx)
		if err != nil || !now.running {
			return err
		}
		how = restart
	case reloadOrRestart:
		how = "force-reload" // every script has it, by Debian's policy
	}
	return m.run(ctx, "service", m.name.short(), how)
}
