package hostname

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Hostname manages the name of a Linux host: the static name in `/etc/hostname` and
// the current name of the running system.
//
// On create, the name is set, whatever it was before: there is nothing to import
// first. Every plan detects drift of both and shows it as `name` for the file and as
// `live_name` for the running system. An update fails if one of them was changed after
// the plan was made: a new plan shows that change. On destroy, the name is not
// changed.
//
// `/etc/hosts` is not changed. If programs have to resolve the name of the host there
// (`127.0.1.1` on Debian), manage that line as well.
type Hostname struct {
	// Host whose name to manage: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. A change of `name` does not change this value. Changing
	// this forces a new resource. The name of the old host is not changed.
	Host *string

	// Name of the host: up to 64 letters, digits, dashes and dots. Can be a short name
	// such as `web1`, which most systems use, or a fully qualified one such as
	// `web1.example.com`.
	Name string
}

// Output is the state of the name of a host.
type Output struct {
	Host *string `tf:",computed"`

	Name string

	// Current name of the running system. Differs from `name` if it was changed by hand,
	// until the next apply.
	LiveName string
}

// Identity identifies the name of a host.
type Identity struct {
	// Host whose name is managed: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`.
	Host string
}

var (
	_ runtime.TypedResource[Hostname, *Output, *lifecycle.Scope]        = (*Hostname)(nil)
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

// SchemaVersion implements [runtime.TypedResource].
func (*Hostname) SchemaVersion() int { return 0 }

// ReplaceFields implements [runtime.TypedResource].
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
		return Identity{}, fmt.Errorf("use the host, such as local or root@192.0.2.7:22: %w", err)
	}
	return Identity{Host: id}, nil
}
