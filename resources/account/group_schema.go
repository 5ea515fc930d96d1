package account

import (
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Group manages a local group: its GID and, optionally, its members.
//
// Every plan detects drift of the GID and the members if they are set, and the next
// apply repairs it in place. An update fails if it would replace a GID that was changed
// after the plan was made: a new plan shows that change.
//
// On create, an existing group is adopted if it is as configured. Any other group with
// this name is an error: import it to see the differences in a plan. Groups that are
// not in `/etc/group`, such as those from LDAP, cannot be managed.
//
// On destroy, the group is deleted. The primary group of a user cannot be deleted.
//
// The provider must run as root on the host, with the tools of the shadow suite or of
// busybox. With those of busybox, as on Alpine, a change of `gid` is an error: install
// the package shadow first.
type Group struct {
	// Host to manage the group on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the group: up to 32 letters, digits, dots, dashes and underscores, not
	// starting with a dot or a dash, and not only digits. The last character can also be a
	// dollar sign. Changing this forces a new resource.
	Name string

	// GID of the group. If unset, the host chooses the GID of a new group, and the GID of
	// an existing group is not changed. Changing this does not change files that have
	// the old GID as their group.
	GID *int64

	// Names of all members of the group: other members are removed. Users whose primary
	// group is this one do not have to be listed. If unset, the members are not
	// changed. Manage a membership either here or with `groups` of `posix_user`: if
	// both are set, each reverts the changes of the other.
	Members []string `tf:",optional,set"`

	// Whether to create a system group: a new group gets a GID from the system range,
	// unless `gid` is set. Has no effect on an existing group. Defaults to `false`.
	System *bool
}

// GroupOutput is the state of a managed group.
type GroupOutput struct {
	Host    *string `tf:",computed"`
	Name    string
	GID     *int64   `tf:",computed,keep"`
	Members []string `tf:",computed,set,keep"`
}

var (
	_ runtime.Defaulter                                                   = (*Group)(nil)
	_ runtime.Constrainer                                                 = (*Group)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                            = (*Group)(nil)
	_ runtime.InputEquivalencer[Group]                                    = (*Group)(nil)
	_ runtime.ResourcePlanModifier[Group, *GroupOutput, *lifecycle.Scope] = (*Group)(nil)
	_ runtime.Identifier[address.Named, *GroupOutput, *lifecycle.Scope]   = (*Group)(nil)
	_ runtime.ImportIDParser[address.Named]                               = (*Group)(nil)
)

// GroupResource returns the registration of posix_group.
func GroupResource() runtime.ResourceRegistration {
	return lifecycle.Resource[Group, *GroupOutput]()
}

// Constraints implements [runtime.Constrainer].
func (*Group) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", CheckName),
		runtime.Range[int64]("gid", 0, maxID),
		runtime.Each(runtime.Check("members", "must be a user name", CheckName)),
	}
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Group) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults implements [runtime.Defaulter].
func (g *Group) Defaults() { g.System = new(false) }

// EquivalentInput implements [runtime.InputEquivalencer]. A change of system, which is only
// used by a create, does not change an existing group.
func (*Group) EquivalentInput(field string, _, _ Group) bool {
	return field == "system"
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update does not change
// outputs that are not configured.
func (*Group) ModifyResourcePlan(runtime.ResourcePlanRequest[Group, *GroupOutput, *lifecycle.Scope], *runtime.ResourcePlanResponse) error {
	return nil
}

// Identity implements [runtime.Identifier].
func (*Group) Identity(_ *lifecycle.Scope, out *GroupOutput) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Group) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, CheckName)
}

// groupKey returns the key that identifies a group on its host.
func groupKey(name string) lifecycle.Key { return lifecycle.NameKey(group, name) }
