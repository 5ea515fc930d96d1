package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Restart restarts the named services of a host, or reloads them, one after the other,
// and checks that they run afterwards. The action supports systemd (including units other
// than services), OpenRC, and System V init scripts.
//
// Use it for occasional restarts. If the unit file of a service has changed, systemd
// first reloads all unit files. If a service does not run after its restart or reload, the action fails with
// the last lines of its log, unless the service is of type oneshot and has not failed. To restart a
// service when its configuration changes, use `triggers` of `posix_service`. The
// provider must run as root on the host.
type Restart struct {
	// Host to restart services on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Names of the services in the order of the restarts, such as `["nginx",
	// "php8.2-fpm"]`.
	Names []Name

	// Operation: `restart`, which also starts a stopped service, `try-restart`, which
	// does not, `reload`, or `reload-or-restart`, which restarts a service that cannot
	// reload and, with systemd, also starts a stopped one. Defaults to `restart`.
	Mode string
}

var (
	_ runtime.ActionPlanner[*lifecycle.Hosts] = (*Restart)(nil)
	_ runtime.Defaulter                       = (*Restart)(nil)
	_ runtime.Constrainer                     = (*Restart)(nil)
)

// Action returns the registration of posix_service_restart.
func Action() runtime.ActionRegistration { return runtime.MakeAction[Restart, *lifecycle.Hosts]() }

// Defaults implements [runtime.Defaulter].
func (r *Restart) Defaults() { r.Mode = restart }

// Constraints implements [runtime.Constrainer].
func (*Restart) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(), runtime.Length("names", 1, 0), runtime.OneOf("mode", restart, tryRestart, reload, reloadOrRestart),
	}
}

// PlanAction implements [runtime.ActionPlanner]. It only warns about obstacles that the same run may remove: the run may
// install, unmask or change a service, start a host that cannot be reached, or allow sudo on it.
func (r *Restart) PlanAction(ctx context.Context, hosts *lifecycle.Hosts) error {
	scope, err := hosts.Scope(r.Host)
	if err != nil {
		return err
	}
	h := scope.Host
	return scope.Preflight(ctx, func() error {
		var missing []string
		for _, name := range r.Names {
			_, now, err := readState(ctx, scope, name, nil)
			switch {
			case errors.Is(err, host.ErrUnreachable):
				runtime.Warn(ctx, "host", "Host cannot be reached while planning",
					fmt.Sprintf("%s. Unless the same apply creates the host, the action will fail.", err))
				return nil
			case errors.Is(err, host.ErrNotElevated):
				runtime.Warn(ctx, "host", "Host rejects sudo while planning",
					fmt.Sprintf("%s. Unless the same apply allows sudo on the host, for example with posix_sudoers and another entry of hosts, the action will fail.", err))
				return nil
			case err != nil:
				return err
			case !now.exists:
				missing = append(missing, name.short())
			default:
				switch err := r.check(h, name, now); {
				case err == nil:
				case now.booted && (now.masked || now.outdated || unitMayChange(scope, now)):
					runtime.Warn(ctx, "names", "The service does not support the action yet", err.Error()+". Unless the same apply changes the service or its unit, the action will fail.")
				default:
					return err
				}
			}
		}
		if len(missing) > 0 {
			runtime.Warn(ctx, "names", "No such service",
				fmt.Sprintf("Host %s has no service %s. Unless the same apply installs it, the action will fail.", h.Name(), strings.Join(missing, ", ")))
		}
		return nil
	})
}

// check returns an error if the service cannot be restarted or reloaded as configured.
func (r *Restart) check(h host.Host, name Name, now state) error {
	switch {
	case !now.booted:
		return fmt.Errorf("%s does not run on host %s, so it cannot %s %s", now.manager, h.Name(), r.Mode, name.short())
	case now.unknown:
		return diag.AttributeErrorf("names", "%s, so the service cannot be checked after a %s", unknownStatus(h, name), r.Mode)
	case now.masked && r.Mode != tryRestart:
		return diag.AttributeErrorf("names", "%s on host %s is masked and cannot be started: unmask it first, for example with masked = false in its posix_service", name.short(), h.Name())
	case r.Mode == reload && now.cannotReload:
		return diag.AttributeErrorf("mode", "%s on host %s cannot reload, since its unit has no ExecReload=: set mode = %q", name.short(), h.Name(), reloadOrRestart)
	}
	return nil
}

// Invoke implements [runtime.TypedAction].
func (r *Restart) Invoke(ctx context.Context, hosts *lifecycle.Hosts, report func(message string)) error {
	scope, err := hosts.Scope(r.Host)
	if err != nil {
		return err
	}
	for i, name := range r.Names {
		err := r.restart(ctx, scope, name, report)
		if left := len(r.Names) - i - 1; err != nil && left > 0 {
			return fmt.Errorf("%w. Services after this one that were not changed: %d", err, left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Restart) restart(ctx context.Context, scope *lifecycle.Scope, name Name, report func(message string)) error {
	h := scope.Host
	m, now, err := readState(ctx, scope, name, nil)
	if err == nil && now.outdated {
		report(fmt.Sprintf("%s on host %s: reloading systemd, because the unit has changed", name.short(), h.Name()))
		if err = daemonReload(ctx, scope); err == nil {
			now, err = m.read(ctx)
		}
	}
	if err != nil {
		return err
	}
	if !now.exists {
		return fmt.Errorf("host %s has no service %s: correct the name, or install the service", h.Name(), name.short())
	}
	if err := r.check(h, name, now); err != nil {
		return err
	}
	if r.Mode == tryRestart && !now.running {
		report(fmt.Sprintf("%s on host %s does not run (%s), and is not changed", name.short(), h.Name(), now.status))
		return nil
	}
	how := r.Mode
	if now.restarting { // systemd would only reload after RestartSec= is over
		switch r.Mode {
		case reload:
			return fmt.Errorf("%s on host %s is %s, so it cannot reload: fix the cause of its restarts, or set mode = %q", name.short(), h.Name(), now.status, restart)
		case reloadOrRestart:
			how = restart
		}
	}
	report(fmt.Sprintf("%s on host %s: %s", name.short(), h.Name(), how))
	now, err = runUntilStable(ctx, h, name, m, now, how, func(ctx context.Context) error { return m.restart(ctx, how) })
	if err == nil {
		report(fmt.Sprintf("%s on host %s is %s", name.short(), h.Name(), now.status))
	}
	return err
}
