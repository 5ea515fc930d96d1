package account

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// User manages a local user: number, groups, home directory, shell, password and
// the date on which the account expires. Drift of each is found by every plan and
// repaired in place; what is not set is left alone. It takes root on the host, and
// the tools of the shadow suite. Those of busybox, as on Alpine, can create and
// delete users and change groups and passwords; for the rest an error says that the
// package shadow is needed.
//
// A user that exists already is adopted when the resource is created if it is as
// configured. Any other is an error: import it, so that a plan shows what would
// change. A user of another service, as LDAP, is not managed.
type User struct {
	// The host that the user is on: a name in the provider's `hosts`, an alias in the
	// SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset, it
	// is the provider's `default_host`, which is `local` by default. Changing it makes
	// a new user.
	Host *string

	// The name of the user: up to 32 letters, digits, dots, dashes and underscores.
	// Changing it makes a new user and deletes the old one.
	Name string

	// The number of the user. When unset, the host chooses one for a new user, and that
	// of one that exists is left alone. Changing it gives the files in the home
	// directory to the new number, and no others.
	UID *int64

	// The primary group, by name or number. When unset, a new user gets the group of
	// its own name, which is made where there is none, and the group of one that
	// exists is left alone.
	Group *string

	// The names of the other groups that the user is in, all of them: from others the
	// user is removed. The primary one need not be named. When unset, they are left
	// alone. A membership is either managed here or by the `members` of posix_group.
	Groups []string `tf:",optional,set"`

	// The full name of the user, or what else is said of the account (the GECOS field).
	// When unset, it is empty for a new user, and left alone for one that exists.
	Comment *string

	// The absolute path of the home directory. When unset, the host chooses it for a
	// new user, mostly below `/home`, and that of one that exists is left alone.
	Home *string

	// Whether to make the home directory where it is missing, with what is in
	// `/etc/skel`; also when it is removed later. A directory that is there is left as
	// it is, with its owner and mode, which posix_directory can manage. The default is
	// true. For users that no person works as, false is mostly right.
	CreateHome *bool

	// Whether to move the home directory with what is in it when `home` changes, where
	// it is the user's and there is nothing at the new path. The default is false: the
	// old one is left.
	MoveHome *bool

	// Whether to delete the home directory, with everything in it, and the mail of the
	// user when the resource is destroyed. It is left where it belongs to somebody
	// else. It must be applied before it has an effect. The default is false.
	RemoveHome *bool

	// The absolute path of the program that runs when the user logs in, such as
	// `/bin/bash`, or `/usr/sbin/nologin` for none. When unset, the host chooses it for
	// a new user, and that of one that exists is left alone.
	Shell *string

	// Whether a new user gets a number of those for systems, which are low and never
	// expire. It has no effect on a user that exists. The default is false.
	System *bool

	// Whether the password is locked, so that none fits. Logging in with a key may
	// still work: to close an account altogether, set `expires` to a day that is past.
	// False for a user without a password lets sshd take keys where it does not ask PAM,
	// as on Alpine. When unset, a new user without a password is locked by most hosts,
	// and a managed password is not locked.
	Locked *bool

	// The hash of the password, as `mkpasswd` or `openssl passwd -6` make it. It is
	// stored in the state; `password_hash_wo` is not. It is not read by an import.
	PasswordHash *string `tf:",sensitive"`

	// The hash of the password, never stored in plan or state; to find drift, a salted
	// digest of it is kept in the private part of the state. It may come from an
	// ephemeral value. It is set when `password_hash_wo_version` changes, and when the
	// user no longer has the one that was set last.
	PasswordHashWO *string `tf:"password_hash_wo,writeonly"`

	// Any text that changes when `password_hash_wo` is to be set again.
	PasswordHashWOVersion *string

	// The day from which on nobody can log in to the account, as `2030-12-31`, or
	// `never`. When unset, it is never for a new user, and left alone for one that
	// exists.
	Expires *string
}

// UserOutput is what is known of a user that exists.
type UserOutput struct {
	Host         *string `tf:",computed"`
	Name         string
	UID          *int64   `tf:",computed"`
	Group        *string  `tf:",computed"`
	Groups       []string `tf:",computed,set"`
	Comment      *string  `tf:",computed"`
	Home         *string  `tf:",computed"`
	CreateHome   *bool
	Shell        *string `tf:",computed"`
	Locked       *bool
	PasswordHash *string `tf:",sensitive"`
	Expires      *string `tf:",computed"`

	// Whether the user still has the password that was last set from
	// `password_hash_wo`; when not, an update sets it again. Null for other users.
	PasswordHashWOIntact *bool `tf:"password_hash_wo_intact"`
}

var (
	_ runtime.TypedResource[User, *UserOutput, *target.Hosts]        = (*User)(nil)
	_ runtime.Defaulter                                              = (*User)(nil)
	_ runtime.Constrainer                                            = (*User)(nil)
	_ runtime.InputValidator[*target.Hosts]                          = (*User)(nil)
	_ runtime.InputEquivalencer[User]                                = (*User)(nil)
	_ runtime.ResourcePlanModifier[User, *UserOutput, *target.Hosts] = (*User)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                           = (*User)(nil)
	_ runtime.Identifier[target.Named, *UserOutput, *target.Hosts]   = (*User)(nil)
	_ runtime.ImportIDParser[target.Named]                           = (*User)(nil)
)

// UserResource is the registration of posix_user.
func UserResource() runtime.ResourceRegistration {
	return runtime.MakeResource[User, *UserOutput, *target.Hosts]()
}

// Constraints is part of [runtime.Constrainer].
func (*User) Constraints() []runtime.Constraint { return userRules() }

// SchemaVersion is part of [runtime.TypedResource].
func (*User) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*User) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults is part of [runtime.Defaulter].
func (u *User) Defaults() {
	u.CreateHome = new(true)
	u.MoveHome = new(false)
	u.RemoveHome = new(false)
	u.System = new(false)
}

// EquivalentInput is part of [runtime.InputEquivalencer]. What only matters when a
// user is created never changes one that exists.
func (*User) EquivalentInput(_ context.Context, field string, _, _ User) bool {
	return field == "system"
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. All outputs are
// configured, or are what is there, but for what tells of a secret.
func (*User) ModifyResourcePlan(req runtime.ResourcePlanRequest[User, *UserOutput, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, userPlace(req.PriorInputs.Name))
	intact, is := req.PriorOutputs.PasswordHashWOIntact, new(true)
	if !req.CurrentInputs.secret() {
		is = nil
	}
	if runtime.Changed(intact, is) {
		resp.MarkOutputUnknown("password_hash_wo_intact")
	}
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (u *User) PlanOutputs(_ context.Context, hosts *target.Hosts, plan *runtime.OutputPlan) error {
	h, err := hosts.Find(u.Host)
	if err != nil {
		return err
	}
	plan.Set("host", h.Name())
	if u.secret() {
		plan.Set("password_hash_wo_intact", true)
	} else {
		plan.Set("password_hash_wo_intact", nil)
	}
	return nil
}

// Identity is part of [runtime.Identifier].
func (*User) Identity(_ *target.Hosts, out *UserOutput) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*User) ParseImportID(id string) (target.Named, error) { return target.ParseNamed(id, CheckName) }

// userPlace is the place of a user among what is remembered.
func userPlace(name string) target.Path { return target.Name("user", name) }
