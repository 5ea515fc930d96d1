package hostname

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Hostname manages the name of a host that runs Linux: the one that it starts with,
// which is in /etc/hostname, and the one that it has now.
//
// A host always has a name, so there is nothing to import first: creating the
// resource sets the name, whatever it was. A change made by hand of either shows in
// the next plan, as `name` for the file and as `live_name` for the running system.
// Destroying the resource leaves the name as it is.
//
// /etc/hosts is not changed. Where programs have to find the address of the own name
// there (`127.0.1.1` on Debian), write the line beside it.
type Hostname struct {
	// The host that gets the name: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default. It goes on being called
	// that in the configuration. Changing it forgets the old host's name and sets the
	// new one's.
	Host *string

	// The name: up to 64 letters, digits, dashes and dots. It may be a short name, as
	// `web1`, or a fully qualified one, as `web1.example.com`; of most systems it is short.
	Name string
}

// Output is what is known of a host that has a name.
type Output struct {
	Host *string `tf:",computed"`

	Name string

	// The name that the running system has. It differs from `name` where it was changed
	// by hand, until the next apply.
	LiveName string
}

// Identity tells the name of one host from that of another.
type Identity struct {
	// The host: a name in the provider's configuration, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`.
	Host string
}

var (
	_ runtime.TypedResource[Hostname, *Output, *target.Hosts]        = (*Hostname)(nil)
	_ runtime.Constrainer                                            = (*Hostname)(nil)
	_ runtime.InputValidator[*target.Hosts]                          = (*Hostname)(nil)
	_ runtime.ResourcePlanModifier[Hostname, *Output, *target.Hosts] = (*Hostname)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                           = (*Hostname)(nil)
	_ runtime.Identifier[Identity, *Output, *target.Hosts]           = (*Hostname)(nil)
	_ runtime.ImportIDParser[Identity]                               = (*Hostname)(nil)
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Hostname, *Output, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*Hostname) Constraints() []runtime.Constraint {
	return []runtime.Constraint{target.HostRule(), runtime.Check("name", "", check)}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Hostname) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Hostname) ReplaceFields() []string { return []string{"host"} }

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (n *Hostname) ModifyResourcePlan(req runtime.ResourcePlanRequest[Hostname, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	if req.PriorOutputs.LiveName != req.CurrentInputs.Name {
		resp.MarkOutputUnknown("live_name")
	}
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (n *Hostname) PlanOutputs(_ context.Context, hosts *target.Hosts, plan *runtime.OutputPlan) error {
	h, err := hosts.Find(n.Host)
	if err != nil {
		return err
	}
	plan.Set("host", h.Name())
	plan.Set("live_name", n.Name)
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Hostname) Identity(_ *target.Hosts, out *Output) Identity { return Identity{Host: *out.Host} }

// ParseImportID is part of [runtime.ImportIDParser].
func (*Hostname) ParseImportID(id string) (Identity, error) {
	if err := target.CheckHost(id); err != nil {
		return Identity{}, fmt.Errorf("write the host whose name it is, as local or root@192.0.2.7:22: %w", err)
	}
	return Identity{Host: id}, nil
}
