package service

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// properties are the properties of a unit that the provider reads.
const properties = "Id,LoadState,ActiveState,SubState,UnitFileState,FragmentPath,NeedDaemonReload,Type,RemainAfterExit,CanReload,Result,ExecMainStatus,Description"

// systemd implements manager for a unit.
type systemd struct {
	commands
	scope *lifecycle.Scope
	unit  string
}

// parseSystemd parses the properties of a unit.
func parseSystemd(unit, text string) state {
	p := maps.Collect(settings(text))
	s := state{
		manager:  nameSystemd,
		exists:   p["LoadState"] != "" && p["LoadState"] != "not-found",
		booted:   p["Booted"] != "no",
		name:     cmp.Or(p["Id"], unit),
		file:     p["UnitFileState"],
		path:     p["FragmentPath"],
		outdated: p["NeedDaemonReload"] == "yes",
		failed:   p["ActiveState"] == "failed",
	}
	s.enabled = s.file == "enabled"
	s.masked = strings.HasPrefix(s.file, "masked") || p["LoadState"] == "masked"
	s.untilBoot = s.file == "masked-runtime"
	if !s.booted {
		return s
	}
	s.description = p["Description"]
	s.status = p["ActiveState"] + " (" + p["SubState"] + ")"
	if load := p["LoadState"]; load == "bad-setting" || load == "error" {
		s.loadError = load
	}
	s.oneshot = s.loadError == "" && p["Type"] == "oneshot" && p["RemainAfterExit"] == "no"
	s.cannotReload = p["CanReload"] == "no"
	s.ready = p["Type"] != "simple" && p["Type"] != "exec" && p["Type"] != "idle"
	switch p["ActiveState"] {
	case "active", "reloading", "refreshing":
		s.running = true
	case "activating":
		// A service that has crashed and waits for its restart does not run.
		s.restarting = strings.HasPrefix(p["SubState"], "auto-restart")
		s.running, s.failed = !s.restarting, s.restarting
	}
	s.changing = s.running && p["ActiveState"] != "active" && !s.oneshot || p["ActiveState"] == "deactivating"
	if p["Result"] != "success" {
		s.result = p["Result"]
		if status := p["ExecMainStatus"]; status != "" && status != "0" {
			s.result += ", status " + status
		}
	}
	return s
}

func (m *systemd) read(ctx context.Context) (state, error) {
	_, s, err := readState(ctx, m.scope, Name(m.unit), nil)
	return s, err
}

// notEnabled maps the state of a unit file to the reason why its unit cannot be enabled.
var notEnabled = map[string]string{
	"static":    "its unit file has no [Install] section, so other units start it: a timer, a socket or a unit that requires it. Leave enabled unset, and enable that unit",
	"indirect":  "its unit file only has Also= under [Install]. Enable the unit named there",
	"generated": "its unit file is generated at boot from another file, such as /etc/fstab or a script in /etc/init.d. Change that file, or create a unit file for the service",
	"transient": "it was created by a program at run time, and will not exist after a reboot. Create a unit file, for example with posix_systemd_unit",
	"bad":       "its unit file is invalid: see systemctl status",
}

func (m *systemd) checkSupported(s state, want desiredState) error {
	stillMasked := s.masked && !is(want.masked, false) || is(want.masked, true)
	switch {
	case want.runlevel != nil:
		return diag.AttributeErrorf("runlevel", "host %s has systemd, which does not support runlevels: leave runlevel unset", m.h.Name())
	case stillMasked && is(want.enabled, true) && !s.enabled:
		return m.maskedError("enabled", "enabled")
	case stillMasked && is(want.running, true) && !s.running:
		return m.maskedError("running", "started")
	case is(want.running, true) && !s.running && !s.booted:
		return notBooted(m.h, "systemd", m.unit)
	case !differs(want.enabled, s.enabled) && !differs(want.masked, s.masks(want.masked)):
		return nil
	case s.name != m.unit:
		return diag.AttributeErrorf("name", "%s is an alias of %s on host %s, and only that unit can be enabled, disabled or masked: set name = %q",
			m.unit, s.name, m.h.Name(), Name(s.name).short())
	case s.file == "alias":
		return diag.AttributeErrorf("name", "%s is an alias of a unit on host %s, and only that unit can be enabled, disabled or masked: use the name of that unit, which is the target of the symbolic link with this name, for example in /etc/systemd/system",
			m.unit, m.h.Name())
	}
	return nil
}

func (m *systemd) checkUnit(s state, want desiredState) error {
	switch why := notEnabled[s.file]; {
	case is(want.enabled, true) && !s.enabled && why != "":
		return diag.AttributeErrorf("enabled", "%s on host %s cannot be enabled: %s", m.unit, m.h.Name(), why)
	case is(want.running, true) && !s.running && s.loadError != "":
		return diag.AttributeErrorf("running", "systemd on host %s cannot load the unit %s (%s), so it cannot be started: see systemctl status %s",
			m.h.Name(), m.unit, s.loadError, m.unit)
	case is(want.running, true) && !s.running && s.oneshot:
		return diag.AttributeErrorf("running", "%s on host %s is of type oneshot and exits when it has finished, so it cannot be kept running. "+
			"Leave running unset; to run it at boot, set enabled = true, or set RemainAfterExit=yes in the unit", m.unit, m.h.Name())
	case want.onChange == reload && s.running && s.cannotReload:
		return diag.AttributeErrorf("on_change", "%s on host %s cannot reload, since its unit has no ExecReload=: set on_change = %q", m.unit, m.h.Name(), restart)
	}
	return nil
}

func (m *systemd) maskedError(attribute, verb string) error {
	return diag.AttributeErrorf(attribute, "%s on host %s is masked and cannot be %s: set masked = false", m.unit, m.h.Name(), verb)
}

func (m *systemd) enable(ctx context.Context, on bool) error {
	verb := "enable"
	if !on {
		verb = "disable"
	}
	return m.control(ctx, verb)
}

func (m *systemd) mask(ctx context.Context, on bool) error {
	if on {
		return m.control(ctx, "mask")
	}
	if err := m.control(ctx, "unmask"); err != nil {
		return err
	}
	return m.control(ctx, "unmask", "--runtime")
}

func (m *systemd) start(ctx context.Context, now state) error {
	if now.failed {
		// Otherwise systemd refuses to start a service that was started too often, even
		// if the cause was fixed.
		if err := m.control(ctx, "reset-failed"); err != nil {
			return err
		}
	}
	if now.restarting {
		return m.control(ctx, restart) // a start would wait until RestartSec= is over
	}
	return m.control(ctx, "start")
}

func (m *systemd) stop(ctx context.Context) error { return m.control(ctx, "stop") }

func (m *systemd) restart(ctx context.Context, how string) error { return m.control(ctx, how) }

func (m *systemd) control(ctx context.Context, verb string, options ...string) error {
	args := append([]string{"systemctl", verb}, options...)
	_, err := m.run(ctx, append(args, "--", m.unit)...)
	return err
}

// logScript prints the last lines of a unit's log, or the status of the unit if journalctl fails.
const logScript = `journalctl --no-pager --quiet -o cat -n 20 -u "$1" 2>/dev/null || systemctl status --no-pager --full -n 20 -- "$1"`

func (m *systemd) log(ctx context.Context) string {
	output, err := remotecmd.Call{Args: remotecmd.Shell(logScript, m.unit).Args, Answers: []int{1, 2, 3, 4}}.Run(ctx, m.h)
	if err != nil {
		return "" // the caller already has an error
	}
	return output.Stdout
}

// daemonReload reloads the unit files if systemd is running.
func daemonReload(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	return scope.WithLock(ctx, "systemctl daemon-reload", func() error {
		_, err := remotecmd.Shell(`if [ -d /run/systemd/system ]; then exec systemctl daemon-reload; fi`).Run(ctx, h)
		return remotecmd.WithRootHint(h, "System services", err)
	})
}
