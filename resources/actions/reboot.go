package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Reboot restarts a host, and waits until it answers again as one that has started anew:
// what its kernel says of the boot is another than before. Where several are to be
// restarted one after the other, give each an action of its own.
//
// It takes the rights of root, as by the provider's `sudo`. The machine that the provider
// runs on (the host `local`) is not restarted. What else the provider does on the host at
// the same time fails.
type Reboot struct {
	// The host: a name in the provider's `hosts`, an alias in the SSH configuration,
	// or a destination such as `root@192.0.2.7:22`. When unset, it is the provider's
	// `default_host`, which must not be `local` then.
	Host *string

	// The text of a command, for `/bin/sh -c`, that says whether to restart: with exit code 0 the
	// host is restarted, with 1 it is not. With any other the action fails. Of Debian, it is
	// `test -e /run/reboot-required`. When unset, the host is restarted.
	OnlyIf *string

	// The text of the command that restarts the host, for `/bin/sh -c`. When unset, that is
	// `systemctl reboot`, `reboot` or `shutdown -r now`, whichever there is.
	Command *string

	// How long the host may take until it answers again, such as `"10m"`, which is the
	// default.
	Timeout runtime.Duration

	// How long to wait between two attempts to reach it. The default is `"5s"`.
	Interval runtime.Duration
}

var (
	_ runtime.TypedAction[*target.Hosts]    = (*Reboot)(nil)
	_ runtime.Defaulter                     = (*Reboot)(nil)
	_ runtime.Constrainer                   = (*Reboot)(nil)
	_ runtime.InputValidator[*target.Hosts] = (*Reboot)(nil)
)

// RebootAction is the registration of posix_reboot.
func RebootAction() runtime.ActionRegistration { return runtime.MakeAction[Reboot, *target.Hosts]() }

// Defaults is part of [runtime.Defaulter].
func (r *Reboot) Defaults() {
	r.Timeout, r.Interval = runtime.Duration(10*time.Minute), runtime.Duration(5*time.Second)
}

// Constraints is part of [runtime.Constrainer].
func (*Reboot) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("only_if", "must not be blank", isCommand),
		runtime.Check("command", "must not be blank", isCommand),
		runtime.Check("timeout", "must be greater than zero", someTime),
		runtime.Check("interval", "must be greater than zero", someTime),
	}
}

// isCommand refuses what does nothing.
func isCommand(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("there is no command in it")
	case strings.ContainsRune(text, 0):
		return errors.New("it contains a NUL, which can be no part of a command")
	}
	return nil
}

// ValidateInputs is part of [runtime.InputValidator].
func (r *Reboot) ValidateInputs(_ context.Context, hosts *target.Hosts) error {
	h, err := hosts.Find(r.Host)
	if err == nil && h.Name() == host.LocalName {
		err = diag.AttributeErrorf("host", "this is the machine that the provider runs on: it is not restarted, as the run would end with it, unfinished. "+
			"Name the host that is to be restarted")
	}
	return err
}

// Invoke is part of [runtime.TypedAction].
func (r *Reboot) Invoke(ctx context.Context, hosts *target.Hosts, report func(message string)) error {
	h, err := hosts.Find(r.Host)
	if err != nil {
		return err
	}
	if r.OnlyIf != nil {
		switch err := succeeds(ctx, h, *r.OnlyIf); {
		case remotecmd.FailedWith(err, 1):
			report(fmt.Sprintf("host %s is not restarted: only_if has ended with exit code 1", h.Name()))
			return nil
		case err != nil:
			return diag.AttributeErrorf("only_if", "it cannot be said whether host %s is to be restarted: %w", h.Name(), err)
		}
	}
	before, err := boot(ctx, h)
	if err != nil {
		return err
	}
	report(fmt.Sprintf("host %s restarts", h.Name()))
	begun := time.Now()
	if err := r.order(ctx, h); err != nil {
		return err
	}
	it := waiting{
		timeout: time.Duration(r.Timeout), interval: time.Duration(r.Interval), report: report,
		ask: func(ctx context.Context) error { return another(ctx, h, before) },
	}
	if err := it.until(ctx, h); err != nil {
		return fmt.Errorf("host %s was told to restart: %w", h.Name(), err)
	}
	report(fmt.Sprintf("host %s has restarted, and answers after %s", h.Name(), time.Since(begun).Round(time.Second)))
	return nil
}

// bootID prints what a kernel says of its boot, which no two boots have in common.
const bootID = `cat /proc/sys/kernel/random/boot_id 2>/dev/null || sysctl -n kern.bootsessionuuid 2>/dev/null || sysctl -n kern.boottime`

// boot is which boot a host runs since.
func boot(ctx context.Context, h host.Host) (string, error) {
	r, err := remotecmd.Shell(bootID).Run(ctx, h)
	id := strings.TrimSpace(r.Stdout)
	if err == nil && id == "" {
		err = errors.New("it prints nothing")
	}
	if _, failed := errors.AsType[*remotecmd.Failed](err); failed || remotecmd.IsMissing(err) {
		err = fmt.Errorf("host %s does not tell one boot from another, so that nobody would know whether it has restarted: %w", h.Name(), err)
	}
	return id, err
}

const (
	// orderTime is how long the order to restart may take. A host that restarts does not
	// always say that it ends the connection.
	orderTime = 30 * time.Second
	// askTime is how long one attempt may take of a host that has restarted.
	askTime = 30 * time.Second
)

// restart restarts the host by what there is.
const restart = `if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then exec systemctl reboot; fi
if command -v reboot >/dev/null 2>&1; then exec reboot; fi
exec shutdown -r now`

// order has the host restart. That the connection was lost meanwhile is as it should be, and
// so is a command that was ended by a signal.
func (r *Reboot) order(ctx context.Context, h host.Host) error {
	limited, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	var err error
	if r.Command != nil {
		err = succeeds(limited, h, *r.Command)
	} else {
		_, err = remotecmd.Shell(restart).Run(limited, h)
	}
	failed, ended := errors.AsType[*remotecmd.Failed](err)
	_, notBegun := errors.AsType[*host.NotStartedError](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case remotecmd.IsMissing(err):
		return fmt.Errorf("host %s has none of systemctl, reboot and shutdown: set command to what restarts it", h.Name())
	case ended && failed.Signal == "" && failed.ExitCode < 128, notBegun:
		return fmt.Errorf("host %s does not restart: %w. It takes the rights of root: let the provider work there as root, or by sudo", h.Name(), err)
	}
	return nil
}

// another asks whether the host runs since another boot. An attempt that fails ends the
// connection, which may be to a machine that is no more.
func another(ctx context.Context, h host.Host, before string) error {
	limited, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	now, err := boot(limited, h)
	switch {
	case err != nil:
		host.Reset(h)
		return err
	case now == before:
		return fmt.Errorf("host %s answers, and has not restarted yet", h.Name())
	}
	return nil
}
