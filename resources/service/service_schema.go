package service

import (
	"time"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Service manages a service: whether it runs, whether it starts at boot, and its
// restart when its configuration changes. The resource supports systemd (including
// timers, sockets and other units), OpenRC, and System V init scripts as on Debian and
// Devuan. The service manager of the host is detected.
//
// The service itself must be installed, for example by a `posix_package` or a
// `posix_systemd_unit` that this resource depends on. On create, the service is put
// into the configured state, regardless of its previous state: no import is required. If a
// create fails, Terraform stores the service in the state only if the create changed
// it. `enabled`, `running` and `masked` are not changed if they are unset. Every plan
// detects drift of those that are set.
//
// A service counts as running if it is active or activating, if it waits, as timers
// and sockets do, or if it is of type oneshot with `RemainAfterExit=yes` and has
// finished. A service that has crashed, or that waits until systemd restarts it, does not
// count as running. A start waits until the service reports that it is ready; a service
// that cannot report this is checked again one second later. If the service does
// not run then, the apply fails with the last lines of its log. Before a start, systemd reloads
// units that have changed.
//
// If the service manager does not run, as in an image build, services can be enabled,
// disabled and masked; `running = true` is an error.
//
// On destroy, the service is stopped, disabled and unmasked where the resource
// configured the opposite. Set `on_destroy = "leave"` for services that must keep
// running, such as sshd.
//
// The provider must run as root on the host to change a service. User services
// (`systemctl --user`) are not supported. The resource is tested with OpenRC 0.45, with
// init scripts, and with systemd 252, all on Debian 12.
type Service struct {
	// Host to manage the service on: a key of the provider's `hosts`, an alias from the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the service, such as `nginx`. For systemd, a name without a suffix is a
	// service: `nginx` and `nginx.service` are equivalent. Other units have a suffix,
	// such as `fstrim.timer`. Instances of a template are named like `getty@tty1`.
	// Changing this forces a new resource.
	Name Name

	// Whether the service starts at boot. For systemd, only the `[Install]` section of the
	// unit itself counts. `true` is an error for a unit without that section: other
	// units start it. If unset, the current setting is kept.
	Enabled *bool

	// Whether the service runs. Cannot be `true` for a service of type oneshot without
	// `RemainAfterExit=yes`. If unset, a running service keeps running and a stopped
	// service stays stopped.
	Running *bool

	// Whether the unit is masked. A masked unit can be neither enabled nor started, not even
	// as a dependency of another unit. Masking does not stop a service: also set `running =
	// false`. Only supported by systemd. If unset, the current setting is kept.
	Masked *bool

	// OpenRC runlevel in which to enable the service, such as `boot`. If unset, the
	// service is enabled in `default`, and counts as enabled in any runlevel. Changing
	// this to another runlevel also disables the service in the previous one. Only
	// supported by OpenRC.
	Runlevel *string

	// Map of arbitrary strings. If a value is changed, added or removed, a running service
	// is restarted or reloaded, as set in `on_change`. Use values that change with the
	// files that the service reads, such as `posix_file.config.sha256`: Terraform then
	// also applies the files before the service. On create, a running service is also
	// restarted or reloaded if there are triggers, since the files that it has read are
	// unknown. Adding `triggers` to an existing or imported resource, or removing them, does
	// not count as a change.
	//
	// A digest does not change when an apply repairs drift of the file, so the service is
	// not restarted, although it may have read the drifted content. To restart it in
	// that case as well, add the `id` of a `terraform_data` resource with `lifecycle {
	// replace_triggered_by = [posix_file.config.sha256] }` to the triggers.
	Triggers map[string]string `tf:",optional"`

	// Operation to run when `triggers` change: `restart`, `reload`, or
	// `reload-or-restart`, which restarts a service that cannot reload. Defaults to
	// `restart`.
	OnChange string

	// What to do on destroy: `stop` reverts `running = true`, `enabled = true` and
	// `masked = true`; `leave` keeps the service as it is. Takes effect once applied.
	// Defaults to `stop`.
	OnDestroy string

	// Timeouts of the operations. Default to five minutes for create, update and delete,
	// and one minute for read.
	Timeouts *runtime.Timeouts
}

// Output is the state of a managed service.
type Output struct {
	Host    *string `tf:",computed"`
	Name    Name
	Enabled *bool
	Running *bool
	Masked  *bool

	// Service manager of the host: `systemd`, `openrc` or `sysv`.
	Manager string

	// Status as reported by the service manager, such as `active (running)` or `started`.
	// May change between plans. Null if the service manager does not run.
	Status *string `tf:",volatile"`
}

var (
	_ runtime.Defaulter                                                = (*Service)(nil)
	_ runtime.Constrainer                                              = (*Service)(nil)
	_ runtime.TimeoutDeclarer                                          = (*Service)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                         = (*Service)(nil)
	_ runtime.InputEquivalencer[Service]                               = (*Service)(nil)
	_ runtime.ResourcePlanModifier[Service, *Output, *lifecycle.Scope] = (*Service)(nil)
	_ runtime.Identifier[address.Named, *Output, *lifecycle.Scope]     = (*Service)(nil)
	_ runtime.ImportIDParser[address.Named]                            = (*Service)(nil)
)

// Resource returns the registration of posix_service.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Service, *Output]()
}

// The values of on_change and on_destroy. tryRestart is only a mode of the action.
const (
	restart         = "restart"
	reload          = "reload"
	reloadOrRestart = "reload-or-restart"
	tryRestart      = "try-restart"

	onDestroyStop  = "stop"
	onDestroyLeave = "leave"
)

// Defaults implements [runtime.Defaulter].
func (s *Service) Defaults() { s.OnChange, s.OnDestroy = restart, onDestroyStop }

// OperationTimeouts implements [runtime.TimeoutDeclarer].
func (*Service) OperationTimeouts() runtime.OperationTimeouts {
	const long = 5 * time.Minute
	return runtime.OperationTimeouts{Create: long, Read: time.Minute, Update: long, Delete: long}
}

// Constraints implements [runtime.Constrainer].
func (*Service) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.OneOf("on_change", restart, reload, reloadOrRestart),
		runtime.OneOf("on_destroy", onDestroyStop, onDestroyLeave),
		runtime.Pattern("runlevel", `^[A-Za-z0-9_][A-Za-z0-9_.-]*$`, "the name of a runlevel, such as `default` or `boot`"),
	}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Service) ReplaceFields() []string { return []string{"host", "name"} }

// EquivalentInput implements [runtime.InputEquivalencer].
func (*Service) EquivalentInput(field string, prior, current Service) bool {
	return field == "name" && prior.Name.short() == current.Name.short()
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. Updates only change
// configured attributes and the volatile status.
func (*Service) ModifyResourcePlan(runtime.ResourcePlanRequest[Service, *Output, *lifecycle.Scope], *runtime.ResourcePlanResponse) error {
	return nil
}

// Identity implements [runtime.Identifier].
func (*Service) Identity(_ *lifecycle.Scope, out *Output) address.Named {
	return address.Named{Host: out.Host, Name: out.Name.short()}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Service) ParseImportID(id string) (address.Named, error) {
	named, err := address.ParseNamed(id, checkName)
	named.Name = Name(named.Name).short()
	return named, err
}
