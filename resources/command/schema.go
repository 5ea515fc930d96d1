package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Command manages an object through commands that create, read, update and delete it.
// Each command is a script that `interpreter`, by default `/bin/sh`, runs on the host.
//
// `create` creates the object, `delete` deletes it, and `update` runs when an input of
// the object changes: the text of `create` or `update`, `triggers`, the environment,
// standard input, the interpreter or the working directory. Without `update`, such a
// change forces a new resource: `delete` runs with the old values, then `create` with the
// new ones. If `update` is removed, or any other attribute except `host` changes, only
// the state is updated; a changed `read` also runs.
//
// `read` detects drift. It runs after `create` and `update`, and in every plan. If its
// output differs from that in the state, the plan shows the difference, and the apply
// runs `update`, or replaces the object if there is no `update`. `read` should print the
// state of the object, and nothing that differs from run to run, such as a timestamp.
//
// A command fails if its exit code is not allowed, or if it runs longer than `timeout`.
// If `create` or the `read` after it fails, the object is tainted: the next apply runs
// `delete` and `create`, or only `create` if `read` reports that the object does not
// exist. `delete` should therefore also succeed if the object or a part of it does not
// exist.
//
// The standard output of the last `create` or `update`, for example the ID of the
// object, is passed to `read`, `update` and `delete` in the environment variable
// `POSIX_COMMAND_STDOUT`, if it was stored, is at most 64 KiB and has no NUL bytes. The
// attributes `stdout`, `stderr` and `exit_code` are the results of the last `create` or
// `update`.
//
// The text of a command is visible in the host's list of processes while it runs.
// Pass secrets with `sensitive_environment`, `environment_wo` or `stdin_wo`.
type Command struct {
	// Host to run the commands on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Command that creates the object. It also runs, and should succeed, if the object
	// already exists.
	ToCreate string `tf:"create"`

	// Command that prints the state of the object. It must exit with code 0, or with one
	// of `absent_exit_codes`. It gets the environment, but neither standard input nor
	// `environment_wo`. It must not print values of `environment_wo` or `stdin_wo` or,
	// unless `sensitive_output` is `true`, of `sensitive_environment`: print a digest
	// instead. A plan runs the last applied command with the last applied settings. If
	// unset, drift is not detected and planning does not contact the host.
	ToRead *string `tf:"read"`

	// Command that updates an existing object in place. If unset, changes force a new
	// resource.
	ToUpdate runtime.Value[string] `tf:"update"`

	// Command that deletes the object. It gets the environment, but neither standard
	// input nor `environment_wo`. Changes to it and to its settings take effect once
	// applied. If unset, destroy removes the object from the state and runs nothing.
	ToDelete *string `tf:"delete"`

	// Map of arbitrary strings. A change runs `update`, or forces a new resource if there
	// is no `update`.
	//
	// A digest such as `posix_file.config.sha256` does not change when an apply repairs
	// drift of the file, so `update` does not run. To replace the object in that case,
	// set `replace_triggered_by = [posix_file.config.sha256]` in the `lifecycle` block
	// of this resource: Terraform and OpenTofu then compare the digest found on the host
	// with the planned one.
	Triggers map[string]string `tf:",optional"`

	Settings
	SensitiveSettings

	// Environment variables for `create` and `update` that are never stored in the plan
	// or the state. Values can be ephemeral.
	EnvironmentWO map[string]string `tf:"environment_wo,optional,writeonly"`

	// Arbitrary string; change it to mark `environment_wo` as changed.
	EnvironmentWOVersion *string

	// Standard input of `create` and `update`. Defaults to empty input.
	Stdin *string

	// Standard input of `create` and `update` that is never stored in the plan or the
	// state. Can be an ephemeral value.
	StdinWO *string `tf:"stdin_wo,writeonly"`

	// Arbitrary string; change it to mark `stdin_wo` as changed.
	StdinWOVersion *string

	// Exit codes that mean success for `create`, `update` and `delete`. Defaults to
	// `[0]`.
	AllowedExitCodes []int64 `tf:",set"`

	// Exit codes of `read` that mean the object no longer exists, such as `[2]` for
	// getent; the next apply then creates it. If unset, the object is never considered
	// absent.
	AbsentExitCodes []int64 `tf:",optional,set"`
}

// Output is the state of a managed object.
type Output struct {
	Host *string `tf:",computed"`

	// ID of the object, generated on create, given on import, or kept in a move from
	// another resource type. It is passed to commands in the environment variable
	// `POSIX_COMMAND_ID`.
	ID string `tf:",keep"`

	// Output of `read`, without trailing newlines. Null without `read`, and if
	// `sensitive_output` is `true`.
	Observed *string

	// Output of `read`, marked as sensitive. Null unless `sensitive_output` is `true`.
	SensitiveObserved *string `tf:",sensitive"`

	ProcessOutput
}

var (
	_ runtime.Defaulter                                                = (*Command)(nil)
	_ runtime.Constrainer                                              = (*Command)(nil)
	_ runtime.InputValidator[*lifecycle.Scope]                         = (*Command)(nil)
	_ runtime.Replacer[Command]                                        = (*Command)(nil)
	_ runtime.ResourcePlanModifier[Command, *Output, *lifecycle.Scope] = (*Command)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                          = (*Command)(nil)
	_ runtime.Identifier[Identity, *Output, *lifecycle.Scope]          = (*Command)(nil)
	_ runtime.Mover                                                    = (*Command)(nil)
)

// Resource returns the registration of the resource type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Command, *Output]()
}

// ReplaceFields implements [runtime.ReplaceDeclarer]. Which fields force a new
// resource depends on the object: see [Command.ReplaceOn].
func (*Command) ReplaceFields() []string { return nil }

// Defaults implements [runtime.Defaulter].
func (c *Command) Defaults() {
	c.defaults(&c.AllowedExitCodes)
	c.SensitiveOutput = new(false)
}

// Constraints implements [runtime.Constrainer].
func (*Command) Constraints() []runtime.Constraint {
	all := append(rules("create", "read", "update", "delete"), environmentRules("sensitive_environment", "environment_wo")...)
	return append(all,
		address.HostRule(),
		runtime.RequiredTogether("environment_wo", "environment_wo_version"),
		runtime.RequiredTogether("stdin_wo", "stdin_wo_version"),
		runtime.AtMostOneOf("stdin", "stdin_wo"),
		runtime.Each(runtime.Range("absent_exit_codes", 1, 255)),
	)
}

// Identity identifies an object. An object made by commands has no name on the host, so
// the ID is generated.
type Identity struct {
	// The `id` of the object. On import, any ID that no other object has: the host is not
	// contacted, and the object is assumed to be as configured.
	ID string
}

// Identity implements [runtime.Identifier].
func (*Command) Identity(_ *lifecycle.Scope, out *Output) Identity { return Identity{ID: out.ID} }

// Moves implements [runtime.Mover]. An object that provisioners have made is moved
// without being created again.
func (*Command) Moves() []runtime.Move {
	type old struct{ ID string }
	adopt := func(_ context.Context, o old) (Command, *Output, error) {
		var c Command
		c.Defaults()
		return c, &Output{ID: o.ID}, nil
	}
	return []runtime.Move{
		runtime.MoveFrom("hashicorp/null", "null_resource", adopt),
		runtime.MoveFrom("builtin/terraform", "terraform_data", adopt),
	}
}
