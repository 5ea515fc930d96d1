package actions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Wait waits until a host is reachable: until the provider can connect and run a
// command. With `port` and `command`, it also waits until the port accepts connections
// and the command succeeds. To wait for cloud-init, use the command `cloud-init status
// --wait || test $? -eq 2`: cloud-init exits with 2 after recoverable errors.
//
// A rejected authentication is retried as well, since a booting host may not have the
// key of the user yet. The pauses after a rejection increase to one minute, unless
// `interval` is longer, since the host may count failed attempts. Progress messages
// show the reason for waiting when it changes, and otherwise about once a minute.
type Wait struct {
	// Host to wait for: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// TCP port of the host that must accept connections. The connection is made from
	// the host itself, to `localhost`. Over SSH, sshd must permit forwarding
	// (`AllowTcpForwarding`).
	Port *int64

	// Command for `/bin/sh -c` that must exit with code 0. It is repeated until it
	// succeeds, and is visible in the host's list of processes.
	Command *string

	// Maximum time to wait, such as `"10m"`. Defaults to `"10m"`.
	Timeout runtime.Duration

	// Time between two attempts. Defaults to `"5s"`.
	Interval runtime.Duration
}

var (
	_ runtime.Defaulter                        = (*Wait)(nil)
	_ runtime.Constrainer                      = (*Wait)(nil)
	_ runtime.InputValidator[*lifecycle.Hosts] = (*Wait)(nil)
)

// WaitAction returns the registration of posix_wait.
func WaitAction() runtime.ActionRegistration { return runtime.MakeAction[Wait, *lifecycle.Hosts]() }

// Defaults implements [runtime.Defaulter].
func (w *Wait) Defaults() {
	w.Timeout, w.Interval = runtime.Duration(10*time.Minute), runtime.Duration(5*time.Second)
}

// Constraints implements [runtime.Constrainer].
func (*Wait) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Range("port", 1, 65535),
		runtime.Check("command", "must not be blank", checkCommand),
		runtime.Check("timeout", "must be greater than zero", lifecycle.CheckPositive),
		runtime.Check("interval", "must be greater than zero", lifecycle.CheckPositive),
	}
}

// ValidateInputs implements [runtime.InputValidator].
func (w *Wait) ValidateInputs(_ context.Context, hosts *lifecycle.Hosts) error {
	_, err := hosts.Find(w.Host)
	return err
}

// Invoke implements [runtime.TypedAction].
func (w *Wait) Invoke(ctx context.Context, hosts *lifecycle.Hosts, report func(message string)) error {
	h, err := hosts.Find(w.Host)
	if err != nil {
		return err
	}
	start := time.Now()
	p := poller{
		timeout: time.Duration(w.Timeout), interval: time.Duration(w.Interval), report: report,
		attempt: func(ctx context.Context) error { return w.attempt(ctx, h) },
	}
	if err := p.wait(ctx, h); err != nil {
		return err
	}
	report(fmt.Sprintf("host %s is reachable after %s", h.Name(), time.Since(start).Round(time.Millisecond)))
	return nil
}

// attempt returns nil if the host is reachable, and the port, if configured, accepts connections, and the command, if
// configured, succeeds.
func (w *Wait) attempt(ctx context.Context, h host.Host) error {
	if _, err := remotecmd.Run(ctx, h, "true"); err != nil {
		return err
	}
	if w.Port != nil {
		conn, err := host.Dial(ctx, h, "tcp", net.JoinHostPort("localhost", strconv.FormatInt(*w.Port, 10)))
		if err != nil {
			return err
		}
		_ = conn.Close() // nothing was written, so no error matters
	}
	if w.Command != nil {
		return runCommand(ctx, h, *w.Command)
	}
	return nil
}

// runCommand runs a configured command, and returns an error unless it exits with code 0.
func runCommand(ctx context.Context, h host.Host, text string) error {
	const notFound = 127 // exit code if a program in the text is not found
	call := remotecmd.Shell(`exec /bin/sh -c "$1"`, text)
	call.Answers = []int{notFound}
	r, err := call.Run(ctx, h)
	failed, is := errors.AsType[*remotecmd.Failed](err)
	switch {
	case is:
		failed.Args = []string{text} // the configured command, not the wrapper script
	case err == nil && r.ExitCode == notFound:
		err = &remotecmd.Failed{Host: h.Name(), Args: []string{text}, Result: r}
	}
	return err
}
