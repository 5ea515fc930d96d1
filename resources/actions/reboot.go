package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Reboot reboots a host and waits until it is reachable again. The boot ID or boot
// time of the kernel shows that the host has rebooted. To reboot several hosts one
// after the other, use one action for each.
//
// The provider must run as root on the host, for example with `sudo`. The host
// `local` cannot be rebooted. Other operations of the provider on the host may
// fail if they run at the same time.
type Reboot struct {
	// Host to reboot: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`, which then must not be `local`.
	Host *string

	// Command for `/bin/sh -c` that decides whether to reboot: exit code 0 reboots the
	// host, 1 does not, and any other is an error. On Debian, use `test -e
	// /run/reboot-required`. If unset, the host is always rebooted.
	OnlyIf *string

	// Command for `/bin/sh -c` that reboots the host. Defaults to `systemctl reboot` if
	// systemd runs, to `reboot` on other Linux hosts that have this program, and to
	// `shutdown -r now` on all other hosts.
	Command *string

	// Maximum time from the end of the reboot command until the rebooted host is
	// reachable, such as `"10m"`. Defaults to `"10m"`.
	Timeout runtime.Duration

	// Time between two connection attempts. While the host rejects connections, the time
	// increases up to one minute. Defaults to `"5s"`.
	Interval runtime.Duration
}

var (
	_ runtime.Defaulter                        = (*Reboot)(nil)
	_ runtime.Constrainer                      = (*Reboot)(nil)
	_ runtime.InputValidator[*lifecycle.Hosts] = (*Reboot)(nil)
)

// RebootAction returns the registration of posix_reboot.
func RebootAction() runtime.ActionRegistration { return runtime.MakeAction[Reboot, *lifecycle.Hosts]() }

// Defaults implements [runtime.Defaulter].
func (r *Reboot) Defaults() {
	r.Timeout, r.Interval = runtime.Duration(10*time.Minute), runtime.Duration(5*time.Second)
}

// Constraints implements [runtime.Constrainer].
func (*Reboot) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("only_if", "must not be blank", checkCommand),
		runtime.Check("command", "must not be blank", checkCommand),
		runtime.Check("timeout", "must be greater than zero", lifecycle.CheckPositive),
		runtime.Check("interval", "must be greater than zero", lifecycle.CheckPositive),
	}
}

// checkCommand returns an error unless text can be a command.
func checkCommand(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the command must not be blank")
	case strings.ContainsRune(text, 0):
		return errors.New("the command must not contain NUL bytes")
	}
	return nil
}

// ValidateInputs implements [runtime.InputValidator].
func (r *Reboot) ValidateInputs(_ context.Context, hosts *lifecycle.Hosts) error {
	h, err := hosts.Find(r.Host)
	if err == nil && h.Name() == host.LocalName {
		err = diag.AttributeErrorf("host", "cannot reboot the host that the provider runs on, since that would interrupt the apply. "+
			"Set host to the host to reboot")
	}
	return err
}

// Invoke implements [runtime.TypedAction].
func (r *Reboot) Invoke(ctx context.Context, hosts *lifecycle.Hosts, report func(message string)) error {
	h, err := hosts.Find(r.Host)
	if err != nil {
		return err
	}
	if r.OnlyIf != nil {
		switch err := runCommand(ctx, h, *r.OnlyIf); {
		case remotecmd.FailedWith(err, 1):
			report(fmt.Sprintf("host %s is not rebooted: only_if ended with exit code 1", h.Name()))
			return nil
		case err != nil:
			return diag.AttributeErrorf("only_if", "cannot determine whether to reboot host %s: %w", h.Name(), err)
		}
	}
	before, err := readBootID(ctx, h)
	if err != nil {
		return err
	}
	report(fmt.Sprintf("rebooting host %s", h.Name()))
	start := time.Now()
	if err := r.reboot(ctx, h); err != nil {
		return err
	}
	p := poller{
		timeout: time.Duration(r.Timeout), interval: time.Duration(r.Interval), report: report,
		attempt: func(ctx context.Context) error { return rebooted(ctx, h, before) },
	}
	if err := p.wait(ctx, h); err != nil {
		return fmt.Errorf("cannot confirm that host %s has rebooted after the reboot command: %w", h.Name(), err)
	}
	report(fmt.Sprintf("host %s has rebooted, and is reachable again after %s", h.Name(), time.Since(start).Round(time.Second)))
	return nil
}

// bootIDScript prints a boot ID, which is different after a reboot.
const bootIDScript = `cat /proc/sys/kernel/random/boot_id 2>/dev/null || sysctl -n kern.bootsessionuuid 2>/dev/null || sysctl -n kern.boottime`

// readBootID returns the ID of the current boot.
func readBootID(ctx context.Context, h host.Host) (string, error) {
	r, err := remotecmd.Shell(bootIDScript).Run(ctx, h)
	id := strings.TrimSpace(r.Stdout)
	_, failed := errors.AsType[*remotecmd.Failed](err)
	if err == nil && id == "" {
		err, failed = errors.New("no output"), true
	}
	if failed || remotecmd.IsMissing(err) {
		err = fmt.Errorf("cannot read the boot ID or boot time of host %s, which is required to detect the reboot: %w", h.Name(), err)
	}
	return id, err
}

const (
	// commandTimeout is the timeout of the reboot command. A rebooting host may not close
	// the connection.
	commandTimeout = 30 * time.Second
	// attemptTimeout is the timeout of an attempt to reach the rebooted host.
	attemptTimeout = 30 * time.Second
)

// rebootScript reboots the host with systemctl if systemd runs, otherwise with reboot on a Linux host that has
// it, and with shutdown on all others: on BSD systems, reboot does not stop services with their scripts.
const rebootScript = `if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then exec systemctl reboot; fi
if [ "$(uname -s)" = Linux ] && command -v reboot >/dev/null 2>&1; then exec reboot; fi
exec shutdown -r now`

// reboot runs the reboot command. Once the command has started, a lost connection, a timeout, and
// termination by a signal are expected, and not errors.
func (r *Reboot) reboot(ctx context.Context, h host.Host) error {
	limited, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var err error
	if r.Command != nil {
		err = runCommand(limited, h, *r.Command)
	} else {
		_, err = remotecmd.Shell(rebootScript).Run(limited, h)
	}
	failed, ended := errors.AsType[*remotecmd.Failed](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted during the reboot command on host %s: %w", h.Name(), context.Cause(ctx))
	case remotecmd.IsMissing(err):
		return fmt.Errorf("host %s has none of systemctl, reboot and shutdown: set command to a command that reboots it", h.Name())
	case ended && failed.Signal == "" && failed.ExitCode < 128 && !host.RunsAsRoot(h):
		return fmt.Errorf("cannot reboot host %s: %w. This requires root: connect as root, or set sudo", h.Name(), err)
	case ended && failed.Signal == "" && failed.ExitCode < 128, !host.MayHaveRun(err):
		return fmt.Errorf("cannot reboot host %s: %w", h.Name(), err)
	}
	return nil
}

// rebooted returns an error until the host has another boot ID. If it cannot read the ID, it
// closes the connection, which may be older than the reboot.
func rebooted(ctx context.Context, h host.Host, before string) error {
	limited, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	now, err := readBootID(limited, h)
	switch {
	case err != nil:
		host.Reset(h)
		return err
	case now == before:
		return fmt.Errorf("host %s is reachable, but has not rebooted yet", h.Name())
	}
	return nil
}
