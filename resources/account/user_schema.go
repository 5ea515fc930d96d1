package account

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// User manages a local user: UID, groups, home directory, shell, password and expiry
// date.
//
// Every plan detects drift of each configured attribute, and the next apply repairs it
// in place. Attributes that are not set are not changed. An update fails if it would
// replace a value that was changed after the plan was made: a new plan shows that
// change. This does not apply to `group` and `groups`.
//
// On create, an existing user is adopted if it is as configured. Any other user with
// this name is an error: import it to see the differences in a plan. Users that are not
// in `/etc/passwd`, such as those from LDAP, cannot be managed.
//
// On destroy, the user is deleted. The home directory is kept unless `remove_home` is
// set. A group with the same name that was created together with the user is also
// deleted, unless the tools keep it, for example because it has other members. A group
// that existed before is kept. To manage the group with `posix_group`, create it before
// the user, and set `group` to its name.
//
// The provider must run as root on the host, with the tools of the shadow suite. These tools
// delete a user, and change `uid` and `home`, only while no process of the user runs. The
// tools of busybox, as on Alpine, can create and delete users, create a missing home
// directory, and change supplementary groups and passwords. Any other change with them is
// an error, and so is a create with a date in `expires`: install the package shadow first.
type User struct {
	// Host to manage the user on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the user: up to 32 letters, digits, dots, dashes and underscores, not
	// starting with a dot or a dash, and not only digits. The last character can also be a
	// dollar sign. Changing this forces a new resource: the old user is deleted.
	Name string

	// UID of the user. If unset, the host chooses the UID of a new user, and the UID of
	// an existing user is not changed. Changing this also changes the owner of the
	// files in the home directory and of the user's mailbox, but of no other files.
	UID *int64

	// Primary group, as a group name or GID. If unset, a new user gets the group of the
	// same name, which is created if it does not exist, and the primary group of an
	// existing user is not changed.
	Group *string

	// Names of all supplementary groups of the user: the user is removed from other
	// groups. The primary group does not have to be listed. If unset, the groups are not
	// changed. Manage a membership either here or with `members` of `posix_group`.
	Groups []string `tf:",optional,set"`

	// Full name of the user, or another comment (the GECOS field). If unset, it is empty
	// for a new user, and not changed for an existing user.
	Comment *string

	// Absolute path of the home directory. If unset, the host chooses the path for a new
	// user, usually below `/home`, and the path of an existing user is not changed.
	Home *string

	// Whether to create a missing home directory from `/etc/skel`, including one that is
	// removed later. An existing directory is not changed, including its owner and mode;
	// manage those with `posix_directory`. Set to `false` for most system accounts.
	// Defaults to `true`.
	CreateHome *bool

	// Whether to move the home directory with its content when `home` changes, provided
	// that the user owns it and nothing exists at the new path. It is an error if a file
	// system is mounted below the directory, or if that cannot be determined. Defaults to
	// `false`: the old directory is kept.
	MoveHome *bool

	// Whether to delete the home directory with its content on destroy, and also the mail of
	// the user if the host has the shadow suite. Both are kept if the directory has a
	// different owner, if it is or contains the home directory of another user, if a file
	// system is mounted below it, or if that cannot be determined. Takes effect once
	// applied. Defaults to `false`.
	RemoveHome *bool

	// Absolute path of the login shell, such as `/bin/bash`, or `/usr/sbin/nologin` to
	// prevent interactive logins. If unset, the host chooses the shell of a new user, and
	// the shell of an existing user is not changed.
	Shell *string

	// Whether to create a system account: a new user gets a UID from the system range unless
	// `uid` is set, and never expires unless `expires` is set. Has no effect on an existing
	// user. Defaults to `false`.
	System *bool

	// Whether the password is locked, so that no password is accepted. Logins with an SSH
	// key may still work; to close an account completely, set `expires` to a date in the
	// past. For a user without a password, `false` lets sshd accept keys if it does not
	// use PAM, as on Alpine. If unset, most hosts lock a new user without a password, and
	// a managed password is not locked.
	Locked *bool

	// Hash of the password, as created by `mkpasswd` or `openssl passwd -6`. It is stored
	// in the state; use `password_hash_wo` to avoid that. Not read on import.
	PasswordHash *string `tf:",sensitive"`

	// Hash of the password, never stored in the plan or the state. Can be an
	// ephemeral value. It is set when `password_hash_wo_version` changes, and when the
	// user no longer has the password that was last set. To detect drift, a salted digest
	// of it is kept in the private part of the state.
	PasswordHashWO *string `tf:"password_hash_wo,writeonly"`

	// Arbitrary string; change it to set `password_hash_wo` again.
	PasswordHashWOVersion *string

	// Date from which the account is disabled, such as `2030-12-31`, or `never`. If
	// unset, the host chooses the date for a new user, usually `never`, and the date of an
	// existing user is not changed.
	Expires *string
}

// UserOutput is the state of a managed user.
type UserOutput struct {
	Host         *string `tf:",computed"`
	Name         string
	UID          *int64   `tf:",computed,keep"`
	Group        *string  `tf:",computed,keep"`
	Groups       []string `tf:",computed,set,keep"`
	Comment      *string  `tf:",computed,keep"`
	Home         *string  `tf:",computed,keep"`
	CreateHome   *bool
	Shell        *string `tf:",computed,keep"`
	Locked       *bool
	PasswordHash *string `tf:",sensitive"`
	Expires      *string `tf:",computed,keep"`

	// Whether the user still has the password last set from `password_hash_wo`. If
	// `false`, the next apply sets it again. Null if `password_hash_wo` is not used.
	PasswordHashWOIntact *bool `tf:"password_hash_wo_intact"`
}

var (
	_ runtime.Defaulter                                                 = (*User)(nil)
	_ runtime.Constrainer                                               = (*User)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                          = (*User)(nil)
	_ runtime.InputEquivalencer[User]                                   = (*User)(nil)
	_ runtime.ResourcePlanModifier[User, *UserOutput, *lifecycle.Scope] = (*User)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                           = (*User)(nil)
	_ runtime.Identifier[address.Named, *UserOutput, *lifecycle.Scope]  = (*User)(nil)
	_ runtime.ImportIDParser[address.Named]                             = (*User)(nil)
)

// UserResource returns the registration of posix_user.
func UserResource() runtime.ResourceRegistration {
	return lifecycle.Resource[User, *UserOutput]()
}

// Constraints implements [runtime.Constrainer].
func (*User) Constraints() []runtime.Constraint { return userRules() }

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*User) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults implements [runtime.Defaulter].
func (u *User) Defaults() {
	u.CreateHome = new(true)
	u.MoveHome = new(false)
	u.RemoveHome = new(false)
	u.System = new(false)
}

// EquivalentInput implements [runtime.InputEquivalencer]. A change of the attribute
// system, which is only used by a create, does not change an existing user.
func (*User) EquivalentInput(field string, _, _ User) bool {
	return field == "system"
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update does not change
// outputs that are not configured, except for password_hash_wo_intact. The option keep of the
// outputs has the same effect in plans with unknown inputs. Without it, the path of a file in the home
// directory would become unknown, and the file would be replaced.
func (*User) ModifyResourcePlan(req runtime.ResourcePlanRequest[User, *UserOutput, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	intact, is := req.PriorOutputs.PasswordHashWOIntact, new(true)
	if !req.CurrentInputs.writeOnly() {
		is = nil
	}
	if runtime.Changed(intact, is) {
		resp.MarkOutputUnknown("password_hash_wo_intact")
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner].
func (u *User) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	if u.writeOnly() {
		plan.Set("password_hash_wo_intact", true)
	} else {
		plan.Set("password_hash_wo_intact", nil)
	}
	return nil
}

// Identity implements [runtime.Identifier].
func (*User) Identity(_ *lifecycle.Scope, out *UserOutput) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*User) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, CheckName)
}

// userKey returns the key that identifies a user on its host.
func userKey(name string) lifecycle.Key { return lifecycle.NameKey("user", name) }
