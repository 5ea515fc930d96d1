package service

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Service manages a service of a host: whether it runs, whether it is started when
// the machine boots, and that it is restarted when something that it reads has
// changed. It works with systemd, also for timers, sockets and other units, and with
// OpenRC; which of them the host has is found out.
//
// The service itself comes from elsewhere, as from a package or a
// `posix_systemd_unit`, on which this resource then depends. Creating the resource
// makes it as configured, whatever it was before; there is nothing to import first.
// What is not configured (`enabled`, `running`, `masked`) is left as it is.
//
// A service runs when it is started or starting, when it waits, as timers and sockets
// do, and when it is of the type oneshot with `RemainAfterExit=yes` and has done its work.
// One that has crashed, or that systemd starts again and again, does not run. Starting
// it waits until the service says that it is ready, or else looks again a second later: a service
// that does not stay up is an error, with the last lines of its log. Before it starts
// anything, systemd is made to read units again that have changed.
//
// In an image that is being built, where the manager does not run, services can be
// enabled, disabled and masked; `running = true` is an error there.
//
// By default, destroying the resource undoes what it says: it stops what `running = true`
// keeps running, disables what `enabled = true` enables, and unmasks. Set `on_destroy = "leave"` for services that
// have to survive that, such as the one through which the machine is reached.
//
// It is tested on OpenRC 0.45, and on what systemd 252 has answered on a virtual machine,
// both of Debian 12.
type Service struct {
	// The host that the service is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new object.
	Host *string

	// The name of the service, such as `nginx`. A name of systemd without an ending is that of a
	// service: `nginx` and `nginx.service` are the same; other units have their ending, as
	// `fstrim.timer`. An instance of a template has its name, as `getty@tty1`. Changing
	// it makes a new object.
	Name Name

	// Whether the service is started when the machine boots. Only what the unit itself
	// says under `[Install]` counts for systemd: a unit that has no such section
	// cannot be enabled, which is an error, since others start it. When unset, it is left as it is.
	Enabled *bool

	// Whether the service runs. It cannot be true for a service of the type oneshot that ends
	// when its work is done. When unset, it is left as it is.
	Running *bool

	// Whether systemd is kept from starting the service at all, be it by hand or
	// because something else needs it. Masking does not stop it: set `running = false`
	// as well. When unset, it is left as it is; a service that is masked can then
	// be neither enabled nor started. OpenRC has nothing of this kind.
	Masked *bool

	// The runlevel of OpenRC in which the service is enabled, such as `boot`. When
	// unset, a service is enabled in `default`, and counts as enabled in any. It is an
	// error for systemd.
	Runlevel *string

	// Any values; when one of them changes, or one is added or taken away, a service
	// that runs does what `on_change` says. Give it what changes with the files that
	// the service reads, such as `posix_file.config.sha256`, so that it comes after
	// them. When the resource is created while the service runs already, that counts as a change, as
	// nobody knows which files it has read; to set triggers for the first time, also
	// after an import, does not.
	Triggers map[string]string `tf:",optional"`

	// What a change of `triggers` does: `restart`, `reload`, or `reload-or-restart`,
	// which restarts a service that cannot reload. The default is `restart`.
	OnChange string

	// What destroying the resource does: `stop`, which also disables and unmasks, each
	// where the resource says the opposite, or `leave`, which does nothing. It must be
	// applied before it has an effect. The default is `stop`.
	OnDestroy string

	// How long the operations may take. Creating, updating and deleting have five
	// minutes by default, reading has one.
	Timeouts *runtime.Timeouts
}

// Output is what is known of a service that exists.
type Output struct {
	Host    *string `tf:",computed"`
	Name    Name
	Enabled *bool
	Running *bool
	Masked  *bool

	// What the service belongs to: `systemd` or `openrc`.
	Manager string

	// The state in the words of the manager, such as `active (running)` or `started`.
	// It changes by itself. Null where the manager does not run.
	Status *string `tf:",volatile"`
}

var (
	_ runtime.TypedResource[Service, *Output, *target.Hosts]        = (*Service)(nil)
	_ runtime.Defaulter                                             = (*Service)(nil)
	_ runtime.Constrainer                                           = (*Service)(nil)
	_ runtime.TimeoutDeclarer                                       = (*Service)(nil)
	_ runtime.InputValidator[*target.Hosts]                         = (*Service)(nil)
	_ runtime.InputEquivalencer[Service]                            = (*Service)(nil)
	_ runtime.ResourcePlanModifier[Service, *Output, *target.Hosts] = (*Service)(nil)
	_ runtime.Identifier[target.Named, *Output, *target.Hosts]      = (*Service)(nil)
	_ runtime.ImportIDParser[target.Named]                          = (*Service)(nil)
)

// Resource is the registration of posix_service.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Service, *Output, *target.Hosts]()
}

// The values of on_change and on_destroy.
const (
	restart         = "restart"
	reload          = "reload"
	reloadOrRestart = "reload-or-restart"
	tryRestart      = "try-restart"

	onDestroyStop  = "stop"
	onDestroyLeave = "leave"
)

// Defaults is part of [runtime.Defaulter].
func (s *Service) Defaults() { s.OnChange, s.OnDestroy = restart, onDestroyStop }

// OperationTimeouts is part of [runtime.TimeoutDeclarer].
func (*Service) OperationTimeouts() runtime.OperationTimeouts {
	const long = 5 * time.Minute
	return runtime.OperationTimeouts{Create: long, Read: time.Minute, Update: long, Delete: long}
}

// Constraints is part of [runtime.Constrainer].
func (*Service) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.OneOf("on_change", restart, reload, reloadOrRestart),
		runtime.OneOf("on_destroy", onDestroyStop, onDestroyLeave),
		runtime.Pattern("runlevel", `^[A-Za-z0-9_][A-Za-z0-9_.-]*$`, "the name of a runlevel, such as `default` or `boot`"),
	}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Service) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Service) ReplaceFields() []string { return []string{"host", "name"} }

// EquivalentInput is part of [runtime.InputEquivalencer].
func (*Service) EquivalentInput(_ context.Context, field string, prior, current Service) bool {
	return field == "name" && prior.Name.short() == current.Name.short()
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. What an update
// changes is configured, and the status is told by each look.
func (s *Service) ModifyResourcePlan(req runtime.ResourcePlanRequest[Service, *Output, *target.Hosts], _ *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.Name.place())
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Service) Identity(_ *target.Hosts, out *Output) target.Named {
	return target.Named{Host: out.Host, Name: out.Name.short()}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Service) ParseImportID(id string) (target.Named, error) {
	named, err := target.ParseNamed(id, checkName)
	named.Name = Name(named.Name).short()
	return named, err
}
