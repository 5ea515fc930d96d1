package service

import (
	"context"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// SystemdUnit manages a unit file of systemd in `/etc/systemd/system`, or a drop-in
// that changes some settings of a unit which comes from elsewhere, as from a package.
// After each change systemd reads its units again. To enable and start what is
// installed is left to `posix_service`, which depends on this resource.
//
// New content is checked before it is written, while planning already where the host can be
// asked: its form by the provider, and what it means to systemd by the host's own
// `systemd-analyze verify`. A unit that systemd would refuse is an error; settings
// that systemd would ignore, and programs and units that are not there (yet), are
// warnings.
//
// The file belongs to root. Drift of its content, mode and owner is repaired, and so is
// that systemd has not read it since it was changed.
//
// A file with the same content that exists already is adopted when the resource is
// created; one with other content is an error: import it, so that a plan shows what would
// change. Destroying the resource removes the file; a unit that came with a package has
// its old settings back then. It does not stop what runs: let the `posix_service`
// depend on this resource, so that it is stopped before.
//
// Where systemd is installed and does not run, as in an image that is being built,
// the file is installed, and nothing needs to be read again.
type SystemdUnit struct {
	// The host that the unit is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new unit.
	Host *string

	// The name of the unit with its ending, such as `app.service`, `backup.timer` or the
	// template `worker@.service`. Changing it makes a new unit.
	Name UnitName

	// The name of a drop-in without its ending, such as `10-limits`, for
	// `/etc/systemd/system/app.service.d/10-limits.conf`. When unset, the file is that of
	// the unit itself. Changing it makes a new file.
	DropIn *DropInName

	// The text of the file, which `provider::posix::systemd_unit` can write from an
	// object. Each line is a section in brackets, a setting or a comment. What it says
	// can be read by every user of the host, whatever the mode is: it is no place for
	// secrets.
	Content string

	// The permissions as three or four octal digits. The default is `0644`.
	Mode host.Mode

	// Whether `systemd-analyze verify` judges new content, where the host has it. The
	// default is true.
	Verify *bool
}

// UnitOutput is what is known of a unit file that exists.
type UnitOutput struct {
	Host    *string `tf:",computed"`
	Name    UnitName
	DropIn  *DropInName
	Content string
	Mode    host.Mode

	// The path of the file.
	Path string

	// The user that owns the file. It is root, or else an update makes it so.
	Owner string

	// The group of the file. It is root, or else an update makes it so.
	Group string

	// Whether systemd has not read the file since it was changed. If so, an update
	// makes it read its units again.
	ReloadNeeded bool
}

// UnitIdentity tells one unit file from another.
type UnitIdentity struct {
	// The host: a name in the provider's configuration, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. For import it can
	// be left out; it is then the provider's default host.
	Host *string
	// The name of the unit, with its ending.
	Name string
	// The name of the drop-in. It is empty, or left out, for the file of the unit itself.
	DropIn *string
}

var (
	_ runtime.TypedResource[SystemdUnit, *UnitOutput, *target.Hosts]        = (*SystemdUnit)(nil)
	_ runtime.Defaulter                                                     = (*SystemdUnit)(nil)
	_ runtime.Constrainer                                                   = (*SystemdUnit)(nil)
	_ runtime.InputValidator[*target.Hosts]                                 = (*SystemdUnit)(nil)
	_ runtime.InputEquivalencer[SystemdUnit]                                = (*SystemdUnit)(nil)
	_ runtime.ResourcePlanModifier[SystemdUnit, *UnitOutput, *target.Hosts] = (*SystemdUnit)(nil)
	_ runtime.Identifier[UnitIdentity, *UnitOutput, *target.Hosts]          = (*SystemdUnit)(nil)
	_ runtime.ImportIDParser[UnitIdentity]                                  = (*SystemdUnit)(nil)
	_ runtime.Importer[UnitIdentity, *UnitOutput, *target.Hosts]            = (*SystemdUnit)(nil)
)

// UnitResource is the registration of posix_systemd_unit.
func UnitResource() runtime.ResourceRegistration {
	return runtime.MakeResource[SystemdUnit, *UnitOutput, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (u *SystemdUnit) Defaults() {
	u.Mode = 0o644
	u.Verify = new(true)
}

// Constraints is part of [runtime.Constrainer].
func (*SystemdUnit) Constraints() []runtime.Constraint {
	return []runtime.Constraint{target.HostRule(), runtime.Check("content", "", checkUnitText)}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*SystemdUnit) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*SystemdUnit) ReplaceFields() []string { return []string{"host", "name", "drop_in"} }

// EquivalentInput is part of [runtime.InputEquivalencer]. Every update is verified or
// not as verify is configured, so its values are not equivalent.
func (*SystemdUnit) EquivalentInput(_ context.Context, field string, prior, current SystemdUnit) bool {
	return field == "mode" && prior.Mode == current.Mode
}

// root is who owns unit files.
const root = "root"

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. What nobody
// configures has to be as it should, too.
func (*SystemdUnit) ModifyResourcePlan(req runtime.ResourcePlanRequest[SystemdUnit, *UnitOutput, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.path())
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

// Identity is part of [runtime.Identifier].
func (*SystemdUnit) Identity(_ *target.Hosts, out *UnitOutput) UnitIdentity {
	id := UnitIdentity{Host: out.Host, Name: string(out.Name), DropIn: new("")}
	if out.DropIn != nil {
		id.DropIn = new(string(*out.DropIn))
	}
	return id
}
