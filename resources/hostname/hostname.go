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

// Hostname manages the name of a Linux host: the static name in `/etc/hostname` and
// the current name in the kernel.
//
// On create, the name is set, even if the host has another one: no import is
// required. Every plan detects drift of the static and the current name, and shows it
// as `name` and as `live_name`. An update fails if it would replace a name that was
// changed after the plan was made: a new plan shows that change. On destroy, the name is not changed.
//
// `/etc/hosts` is not changed. If programs have to find the name of the host in this
// file, manage the line with the name as well (that of `127.0.1.1` on Debian).
//
// The provider must run as root on the host.
type Hostname struct {
	// Host whose name to manage: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. A change of `name` does not affect this attribute.
	// Changing this forces a new resource. The name of the old host is not changed.
	Host *string

	// Name of the host, as in RFC 1123: up to 64 letters, digits, dashes and dots, but
	// not only digits and dots. Can be a short name (the usual form), such as `web1`, or
	// a fully qualified name, such as `web1.example.com`.
	Name string
}

// Output is the state of the name of a host.
type Output struct {
	Host *string `tf:",computed"`

	Name string

	// Current name in the kernel. Can differ from `name` after a change on the host, until
	// the next apply.
	LiveName string
}

// Identity identifies the name of a host.
type Identity struct {
	// Host whose name is managed: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`.
	Host string
}

var (
	_ runtime.Constrainer                                               = (*Hostname)(nil)
	_ runtime.ResourcePlanModifier[Hostname, *Output, *lifecycle.Scope] = (*Hostname)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                           = (*Hostname)(nil)
	_ runtime.Identifier[Identity, *Output, *lifecycle.Scope]           = (*Hostname)(nil)
	_ runtime.ImportIDParser[Identity]                                  = (*Hostname)(nil)
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Hostname, *Output]()
}

// Constraints implements [runtime.Constrainer].
func (*Hostname) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), runtime.Check("name", "", checkName)}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Hostname) ReplaceFields() []string { return []string{"host"} }

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (n *Hostname) ModifyResourcePlan(req runtime.ResourcePlanRequest[Hostname, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	if req.PriorOutputs.LiveName != req.CurrentInputs.Name {
		resp.MarkOutputUnknown("live_name")
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner].
func (n *Hostname) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	plan.Set("live_name", n.Name)
	return nil
}

// Identity implements [runtime.Identifier].
func (*Hostname) Identity(_ *lifecycle.Scope, out *Output) Identity { return Identity{Host: *out.Host} }

// ParseImportID implements [runtime.ImportIDParser].
func (*Hostname) ParseImportID(id string) (Identity, error) {
	if err := address.CheckHost(id); err != nil {
		return Identity{}, fmt.Errorf("must be a host, such as local or root@192.0.2.7:22: %w", err)
	}
	return Identity{Host: id}, nil
}

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
	if err != nil || scope.Owned() {
		return err
	}
	_, _, err = textedit.Read(ctx, scope.Host, file)
	return lifecycle.PreflightError(err)
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

// set sets the name in the file and the current name, each if it differs from the configured name. For
// an update, shown has the names that its plan showed: set does not replace other names.
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

// setLive is the script that sets the current name. If systemd runs and hostnamectl is installed, the script
// uses hostnamectl, which notifies other services. If the name still differs, for example because hostnamectl
// failed without D-Bus, the script uses the program hostname or, if it is missing, writes to /proc. /etc/hostname must
// be written first: when the transient name is set, systemd sets the current name to the static name, which it
// reads from that file.
const setLive = `if [ -d /run/systemd/system ] && command -v hostnamectl >/dev/null 2>&1; then
  hostnamectl --transient set-hostname "$1"
  [ "$(cat /proc/sys/kernel/hostname)" != "$1" ] || exit 0
fi
if command -v hostname >/dev/null 2>&1; then
  exec hostname "$1"
fi
echo "$1" >/proc/sys/kernel/hostname`

// setLiveName sets the current name, and returns the name that the host then has. It returns an error if
// that is not the configured name.
func (n *Hostname) setLiveName(ctx context.Context, h host.Host) (string, error) {
	if _, err := remotecmd.Shell(setLive, n.Name).Run(ctx, h); err != nil {
		return "", fmt.Errorf("%s on host %s has the new name, but the kernel does not: %w. Setting the name in the kernel requires root, "+
			"and in a container the capability CAP_SYS_ADMIN", file, h.Name(), err)
	}
	now, err := liveName(ctx, h)
	if err == nil && now != n.Name {
		err = fmt.Errorf("the name of host %s was set to %s, but is now %s: another program sets it, such as a DHCP client or cloud-init. Configure or remove that program, and apply again", h.Name(), n.Name, now)
	}
	return now, err
}

// liveName returns the current name from the kernel, in the form for the state.
func liveName(ctx context.Context, h host.Host) (string, error) {
	_, text, err := textedit.Read(ctx, h, live)
	switch {
	case errors.Is(err, host.ErrUnreachable) || errors.Is(err, host.ErrRefused):
		return "", err
	case err != nil:
		return "", fmt.Errorf("cannot read the current name of host %s from the kernel: %w", h.Name(), err)
	case text == nil:
		return "", fmt.Errorf("host %s has no %s: host names are only supported on Linux with /proc mounted", h.Name(), live)
	}
	return address.Shown(strings.TrimSpace(string(text))), nil
}
