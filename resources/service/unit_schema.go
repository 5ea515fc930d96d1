package service

import (
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// SystemdUnit manages a systemd unit file in `/etc/systemd/system`, or a drop-in that
// changes settings of an existing unit, such as one from a package. systemd reloads its
// units after each change. To enable and start the unit, and to restart it after a
// change, use a `posix_service` that depends on this resource.
//
// The provider checks the syntax of new content before it is written. On the host,
// `systemd-analyze verify` checks the settings during the plan, if the content is known
// and the host can be reached, and again during the apply, before the file is written. A
// unit that systemd would reject is an error. Settings that systemd would ignore, and
// programs and units that do not exist (yet), are warnings in the plan. If a unit file was
// not verified and systemd cannot load it, the apply writes the file and then fails.
//
// The file is owned by root. Every plan detects drift of its content, mode, owner and
// group, and a change that systemd has not loaded. The next apply repairs the file and
// reloads the units. An update fails if it would replace content that was changed after
// the plan was made: a new plan shows that change.
//
// On create, an existing file with the same content is adopted. A file with
// different content is an error: import it to see in a plan what would change. On
// destroy, the file is removed, and so is the directory of a drop-in if it is then
// empty; a unit from a package gets its original settings back. Running services are not
// stopped: let the `posix_service` depend on this resource, so that the service is
// stopped first.
//
// If systemd is installed but does not run, as in an image build, the file is written
// and nothing is reloaded. The provider must run as root on the host.
type SystemdUnit struct {
	// Host to manage the unit on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the unit with its suffix, such as `app.service`, `backup.timer` or the
	// template `worker@.service`. Changing this forces a new resource.
	Name UnitName

	// Name of the drop-in without its suffix, such as `10-limits` for
	// `/etc/systemd/system/app.service.d/10-limits.conf`. If unset, the file is the unit
	// file itself. Changing this forces a new resource.
	DropIn *DropInName

	// Content of the file; `provider::posix::systemd_unit` creates it from an object.
	// Each line must be a section in brackets, a setting or its continuation, a comment, or
	// empty. Do not include secrets: all users of the host can read the settings of a unit,
	// regardless of the mode of its file.
	Content string

	// Permissions as three or four octal digits. Defaults to `0644`.
	Mode host.Mode

	// Whether to check new content with `systemd-analyze verify`, if the host has it.
	// Defaults to `true`.
	Verify *bool
}

// UnitOutput is the state of a managed unit file.
type UnitOutput struct {
	Host    *string `tf:",computed"`
	Name    UnitName
	DropIn  *DropInName
	Content string
	Mode    host.Mode

	// Path of the file.
	Path string

	// Owner of the file. If it differs from `root`, the next apply changes it back.
	Owner string

	// Group of the file. If it differs from `root`, the next apply changes it back.
	Group string

	// Whether the unit file or a drop-in of the unit has changed since systemd last loaded
	// the unit, or the file is a unit file that systemd cannot load. If `true`, the next
	// apply reloads the units, and fails if systemd still cannot load the unit file.
	ReloadNeeded bool
}

// UnitIdentity identifies a unit file.
type UnitIdentity struct {
	// Host of the unit: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host` on import.
	Host *string
	// Name of the unit, with its suffix.
	Name string
	// Name of the drop-in. Empty or unset for the unit file itself.
	DropIn *string
}

var (
	_ runtime.Defaulter                                                        = (*SystemdUnit)(nil)
	_ runtime.Constrainer                                                      = (*SystemdUnit)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                                 = (*SystemdUnit)(nil)
	_ runtime.InputEquivalencer[SystemdUnit]                                   = (*SystemdUnit)(nil)
	_ runtime.ResourcePlanModifier[SystemdUnit, *UnitOutput, *lifecycle.Scope] = (*SystemdUnit)(nil)
	_ runtime.Identifier[UnitIdentity, *UnitOutput, *lifecycle.Scope]          = (*SystemdUnit)(nil)
	_ runtime.ImportIDParser[UnitIdentity]                                     = (*SystemdUnit)(nil)
	_ runtime.Importer[UnitIdentity, *UnitOutput, *lifecycle.Scope]            = (*SystemdUnit)(nil)
)

// UnitResource returns the registration of posix_systemd_unit.
func UnitResource() runtime.ResourceRegistration {
	return lifecycle.Resource[SystemdUnit, *UnitOutput]()
}

// Defaults implements [runtime.Defaulter].
func (u *SystemdUnit) Defaults() {
	u.Mode = 0o644
	u.Verify = new(true)
}

// Constraints implements [runtime.Constrainer].
func (*SystemdUnit) Constraints() []runtime.Constraint {
	return []runtime.Constraint{address.HostRule(), runtime.Check("content", "", checkUnitText)}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*SystemdUnit) ReplaceFields() []string { return []string{"host", "name", "drop_in"} }

// EquivalentInput implements [runtime.InputEquivalencer]. The value of verify
// determines whether an update is verified, so its values are not equivalent.
func (*SystemdUnit) EquivalentInput(field string, prior, current SystemdUnit) bool {
	return field == "mode" && prior.Mode == current.Mode
}

// root is the owner and group of unit files.
const root = "root"

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update also restores
// owner and group, and reloads the units.
func (*SystemdUnit) ModifyResourcePlan(req runtime.ResourcePlanRequest[SystemdUnit, *UnitOutput, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is := req.PriorOutputs
	if is.Owner != root {
		resp.MarkOutputUnknown("owner")
	}
	if is.Group != root {
		resp.MarkOutputUnknown("group")
	}
	if is.ReloadNeeded {
		resp.MarkOutputUnknown("reload_needed")
	}
	return nil
}

// Identity implements [runtime.Identifier].
func (*SystemdUnit) Identity(_ *lifecycle.Scope, out *UnitOutput) UnitIdentity {
	id := UnitIdentity{Host: out.Host, Name: string(out.Name), DropIn: new("")}
	if out.DropIn != nil {
		id.DropIn = new(string(*out.DropIn))
	}
	return id
}
