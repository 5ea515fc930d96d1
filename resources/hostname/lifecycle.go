package hostname

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

const (
	file = "/etc/hostname"
	live = "/proc/sys/kernel/hostname"
)

// Place implements [lifecycle.Object].
func (n *Hostname) Place() (*string, lifecycle.Key) { return n.Host, "" }

// RootOnly implements [lifecycle.RootOnly].
func (*Hostname) RootOnly() string { return "host names" }

// Preflight implements [lifecycle.Preflighter].
func (n *Hostname) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	_, err := liveName(ctx, scope.Host)
	return err
}

// Create implements [runtime.TypedResource].
func (n *Hostname) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	return n.set(ctx, scope, nil)
}

// Update implements [runtime.TypedResource].
func (n *Hostname) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Hostname, *Output]) (*Output, error) {
	return n.set(ctx, scope, prior.Observed)
}

// Read implements [runtime.TypedResource]. The object does not exist if the file does not
// exist or has no name.
func (n *Hostname) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	now, err := liveName(ctx, h)
	if err != nil {
		return nil, err
	}
	_, text, err := textedit.Read(ctx, h, file)
	if err != nil {
		return nil, err
	}
	name := nameIn(text)
	if name == "" {
		return nil, fmt.Errorf("%w: no host name in %s on host %s", runtime.ErrNotFound, file, h.Name())
	}
	return &Output{Host: new(h.Name()), Name: name, LiveName: now}, nil
}

// Delete implements [runtime.TypedResource]. It does nothing, because a host always has a
// name.
func (*Hostname) Delete(context.Context, *lifecycle.Scope, *Output) error { return nil }

// set sets the name in the file and the current name, if they differ from the configured one. For an
// update, shown has the names that its plan has shown: set does not replace others.
func (n *Hostname) set(ctx context.Context, scope *lifecycle.Scope, shown *Output) (*Output, error) {
	h := scope.Host
	now, err := liveName(ctx, h)
	if err != nil {
		return nil, err
	}
	if shown != nil && now != n.Name && now != shown.LiveName {
		return nil, lifecycle.ChangedAfterPlan("name", h, live)
	}
	_, err = textedit.File(ctx, scope, file, host.Attributes{}, func(was []byte) ([]byte, error) {
		switch name := nameIn(was); {
		case name == n.Name:
			return was, nil
		case shown != nil && name != "" && name != shown.Name:
			return nil, lifecycle.ChangedAfterPlan("name", h, file)
		}
		return withName(was, n.Name), nil
	})
	if err != nil {
		return nil, err
	}
	if now != n.Name {
		if now, err = n.setLiveName(ctx, h); err != nil {
			return nil, err
		}
	}
	return &Output{Host: new(h.Name()), Name: n.Name, LiveName: now}, nil
}

// setLive is the script that sets the current name: with hostnamectl if systemd runs, so
// that it notifies other services, then with hostname, or else in /proc. The file must be
// written before, because systemd reads it. That is the static name: to set it again has no
// effect, but to set the transient name sets the current name to the static one.
const setLive = `if [ -d /run/systemd/system ] && command -v hostnamectl >/dev/null 2>&1; then
  hostnamectl --transient set-hostname "$1" || exit
  [ "$(cat /proc/sys/kernel/hostname)" != "$1" ] || exit 0
fi
if command -v hostname >/dev/null 2>&1; then
  exec hostname "$1"
fi
echo "$1" >/proc/sys/kernel/hostname`

// setLiveName sets the current name, and returns the name that the host then has. It returns an error if that differs.
func (n *Hostname) setLiveName(ctx context.Context, h host.Host) (string, error) {
	if _, err := remotecmd.Shell(setLive, n.Name).Run(ctx, h); err != nil {
		return "", fmt.Errorf("%s has the new name, but the running system does not: %w. Setting it requires root, "+
			"and in a container the capability CAP_SYS_ADMIN", file, err)
	}
	now, err := liveName(ctx, h)
	if err == nil && now != n.Name {
		err = fmt.Errorf("the name of host %s was set to %s, but is now %s: another program sets it, such as a DHCP client or cloud-init. Configure or remove that program, and apply again", h.Name(), n.Name, now)
	}
	return now, err
}

// liveName returns the current name.
func liveName(ctx context.Context, h host.Host) (string, error) {
	_, text, err := textedit.Read(ctx, h, live)
	switch {
	case errors.Is(err, host.ErrUnreachable) || errors.Is(err, host.ErrRefused):
		return "", err
	case err != nil:
		return "", fmt.Errorf("cannot read the name of the running system: %w", err)
	case text == nil:
		return "", fmt.Errorf("host %s has no %s: host names are only supported on Linux with /proc mounted", h.Name(), live)
	}
	return address.Shown(strings.TrimSpace(string(text))), nil
}
