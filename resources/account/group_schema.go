package account

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Group manages a local group: its number and, where that is wanted, who is in it.
// Drift of both is found by every plan and repaired in place. It takes root on the
// host, and the tools of the shadow suite or of busybox.
//
// A group that exists already is adopted when the resource is created if it is as
// configured. Any other is an error: import it, so that a plan shows what would
// change. A group of another service, as LDAP, is not managed. The primary group of
// a user cannot be destroyed.
type Group struct {
	// The host that the group is on: a name in the provider's `hosts`, an alias in the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset, it
	// is the provider's `default_host`, which is `local` by default. Changing it makes
	// a new group.
	Host *string

	// The name of the group: up to 32 letters, digits, dots, dashes and underscores.
	// Changing it makes a new group.
	Name string

	// The number of the group. When unset, the host chooses one for a new group, and
	// that of one that exists is left alone. Files that belong to the group by its old
	// number are not changed with it.
	GID *int64

	// The users that are members of the group, all of them: others are removed. Users
	// whose primary group it is need not be named. When unset, who is a member is
	// left alone. A membership is either managed here or by the `groups` of
	// posix_user: those who set both see each undo the other.
	Members []string `tf:",optional,set"`

	// Whether a new group gets a number of those for systems, which are low. It has no
	// effect on a group that exists. The default is false.
	System *bool
}

// GroupOutput is what is known of a group that exists.
type GroupOutput struct {
	Host    *string `tf:",computed"`
	Name    string
	GID     *int64   `tf:",computed"`
	Members []string `tf:",computed,set"`
}

var (
	_ runtime.TypedResource[Group, *GroupOutput, *target.Hosts]        = (*Group)(nil)
	_ runtime.Defaulter                                                = (*Group)(nil)
	_ runtime.Constrainer                                              = (*Group)(nil)
	_ runtime.InputValidator[*target.Hosts]                            = (*Group)(nil)
	_ runtime.InputEquivalencer[Group]                                 = (*Group)(nil)
	_ runtime.ResourcePlanModifier[Group, *GroupOutput, *target.Hosts] = (*Group)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                             = (*Group)(nil)
	_ runtime.Identifier[target.Named, *GroupOutput, *target.Hosts]    = (*Group)(nil)
	_ runtime.ImportIDParser[target.Named]                             = (*Group)(nil)
)

// GroupResource is the registration of posix_group.
func GroupResource() runtime.ResourceRegistration {
	return runtime.MakeResource[Group, *GroupOutput, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*Group) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("name", "", CheckName),
		runtime.Range[int64]("gid", 0, maxID),
		runtime.Each(runtime.Check("members", "must be a user name", CheckName)),
	}
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Group) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Group) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults is part of [runtime.Defaulter].
func (g *Group) Defaults() { g.System = new(false) }

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when a
// group is created never changes one that exists.
func (*Group) EquivalentInput(_ context.Context, field string, _, _ Group) bool {
	return field == "system"
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. No output ever
// changes by an update: all are configured, or are what is there.
func (*Group) ModifyResourcePlan(req runtime.ResourcePlanRequest[Group, *GroupOutput, *target.Hosts], _ *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, groupPlace(req.PriorInputs.Name))
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (g *Group) PlanOutputs(_ context.Context, hosts *target.Hosts, plan *runtime.OutputPlan) error {
	h, err := hosts.Find(g.Host)
	if err == nil {
		plan.Set("host", h.Name())
	}
	return err
}

// Identity is part of [runtime.Identifier].
func (*Group) Identity(_ *target.Hosts, out *GroupOutput) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Group) ParseImportID(id string) (target.Named, error) { return target.ParseNamed(id, CheckName) }

// groupPlace is the place of a group among what is remembered.
func groupPlace(name string) target.Path { return target.Name(group, name) }
