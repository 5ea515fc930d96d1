package command

import (
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Command manages whatever commands can make, read, change and remove: each is the
// text of a program, which runs on the host.
//
// `create` makes the object, `delete` removes it, and `update` runs when anything
// of what the object is made from has changed: `create` or `update` themselves,
// `triggers`, the environment, the input, the interpreter or the directory. Without
// `update`, a change of these makes a new object: `delete` with the old values,
// then `create`. A change of anything else is recorded, and nothing is run for it
// but `read`.
//
// `read` is the look for drift. It runs after `create` and `update`, and in every
// plan; when it prints something else than it did then, the plan shows the
// difference, and the apply runs `update`, or without one makes a new object. What
// it prints should say how the object is, and nothing that changes by itself.
//
// A command fails by its exit code, or by taking longer than `timeout`. An object of
// which `create` has failed is tainted: the next apply runs `delete` and creates it
// anew, so let `delete` succeed where there is nothing, or only a part.
//
// `read`, `update` and `delete` find in the variable `POSIX_COMMAND_STDOUT` what the
// last `create` or `update` has printed, where that is up to 64 KiB: the number of
// something that was started, say.
//
// The text of a command can be seen in the host's list of processes while it runs.
// Give secrets to it by `sensitive_environment`, `environment_wo` or `stdin_wo`.
type Command struct {
	// The host that the commands run on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default. Changing it makes a new object.
	Host *string

	// The command that makes the object. It also runs when the object was there
	// before, so let it cope with what it finds.
	ToCreate string `tf:"create"`

	// The command that says how the object is. It must end with exit code 0, or with
	// one of `absent_exit_codes`. It gets the environment, but neither input nor
	// `environment_wo`, and runs as it was applied last. When unset, no drift is seen
	// and the host is not asked anything while planning.
	ToRead *string `tf:"read"`

	// The command that changes an object that exists to what it is to be now. When
	// unset, a new object is made instead.
	ToUpdate runtime.Value[string] `tf:"update"`

	// The command that removes the object, as it was applied last. It gets the
	// environment, but neither input nor `environment_wo`. When unset, the object is
	// forgotten and left as it is.
	ToDelete *string `tf:"delete"`

	// Any texts by name that, when they change, run `update`, or make a new object
	// where there is none.
	Triggers map[string]string `tf:",optional"`

	Settings
	Discretion

	// Environment variables for `create` and `update` that are never stored in plan or
	// state. Their values may be ephemeral.
	EnvironmentWO map[string]string `tf:"environment_wo,optional,writeonly"`

	// Any text that changes when `environment_wo` is to count as changed.
	EnvironmentWOVersion *string

	// What `create` and `update` read on standard input. When unset, that is empty.
	Stdin *string

	// The same, never stored in plan or state. It may be ephemeral.
	StdinWO *string `tf:"stdin_wo,writeonly"`

	// Any text that changes when `stdin_wo` is to count as changed.
	StdinWOVersion *string

	// The exit codes with which `create`, `update` and `delete` succeed. The default
	// is `[0]`.
	AllowedExitCodes []int64 `tf:",set"`

	// The exit codes with which `read` says that the object does not exist any more,
	// such as `[2]` for getent; the plan then creates it. Without any, the object never
	// is absent.
	AbsentExitCodes []int64 `tf:",optional,set"`
}

// Output is what is known of an object that exists.
type Output struct {
	Host *string `tf:",computed"`

	// A name for the object, made up when it is created, or the one that it was
	// imported by. Commands find it in the variable `POSIX_COMMAND_ID`.
	ID string

	// What `read` prints, without the newlines at the end. Null without `read`, and
	// with `sensitive_output`.
	Observed *string

	// The same, and not shown; null without `sensitive_output`.
	SensitiveObserved *string `tf:",sensitive"`

	Printed
}

var (
	_ runtime.TypedResource[Command, *Output, *target.Hosts]        = (*Command)(nil)
	_ runtime.Defaulter                                             = (*Command)(nil)
	_ runtime.Constrainer                                           = (*Command)(nil)
	_ runtime.InputValidator[*target.Hosts]                         = (*Command)(nil)
	_ runtime.Replacer[Command]                                     = (*Command)(nil)
	_ runtime.ResourcePlanModifier[Command, *Output, *target.Hosts] = (*Command)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                          = (*Command)(nil)
	_ runtime.Identifier[Identity, *Output, *target.Hosts]          = (*Command)(nil)
	_ runtime.Mover                                                 = (*Command)(nil)
)

// Resource is the registration of the resource type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Command, *Output, *target.Hosts]()
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Command) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource]. Which fields need a new object
// depends on the object: see [Command.ReplaceOn].
func (*Command) ReplaceFields() []string { return nil }

// Defaults is part of [runtime.Defaulter].
func (c *Command) Defaults() {
	c.defaults(&c.AllowedExitCodes)
	c.SensitiveOutput = new(false)
}

// Constraints is part of [runtime.Constrainer].
func (*Command) Constraints() []runtime.Constraint {
	all := append(rules("create", "read", "update", "delete"), environmentRules("sensitive_environment", "environment_wo")...)
	return append(all,
		target.HostRule(),
		runtime.RequiredTogether("environment_wo", "environment_wo_version"),
		runtime.RequiredTogether("stdin_wo", "stdin_wo_version"),
		runtime.AtMostOneOf("stdin", "stdin_wo"),
		runtime.Each(runtime.Range("absent_exit_codes", 1, 255)),
	)
}
