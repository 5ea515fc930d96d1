package command

import (
	"context"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Action runs a command that is to have run: a cache that is emptied, a migration, a
// reload. What it prints is shown while it runs, line by line, up to 200 lines, and is kept
// nowhere. A command that fails is an error, with the end of what it has printed.
//
// Nothing remembers that it has run. What a command makes and is to keep is a resource of
// the same name.
type Action struct {
	// The host that the command runs on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The text of the command. It can be seen in the host's list of processes while it
	// runs; give secrets to it by `environment_wo` or `stdin_wo`.
	Command string

	Settings

	// Environment variables that are never stored in a plan, nor shown where the command
	// prints them. Their values may be ephemeral.
	EnvironmentWO map[string]string `tf:"environment_wo,optional,writeonly"`

	// What the command reads on standard input. When unset, that is empty.
	Stdin *string

	// The same, never stored in a plan, nor shown. It may be ephemeral.
	StdinWO *string `tf:"stdin_wo,writeonly"`

	// Whether nothing of what the command prints is to be shown, also when it fails. The
	// default is false.
	SensitiveOutput *bool

	// The exit codes with which the command succeeds; any other is an error. The
	// default is `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

var (
	_ runtime.TypedAction[*target.Hosts]    = (*Action)(nil)
	_ runtime.Defaulter                     = (*Action)(nil)
	_ runtime.Constrainer                   = (*Action)(nil)
	_ runtime.InputValidator[*target.Hosts] = (*Action)(nil)
)

// ActionType is the registration of the action type.
func ActionType() runtime.ActionRegistration { return runtime.MakeAction[Action, *target.Hosts]() }

// Defaults is part of [runtime.Defaulter].
func (a *Action) Defaults() {
	a.defaults(&a.AllowedExitCodes)
	a.SensitiveOutput = new(false)
}

// Constraints is part of [runtime.Constrainer].
func (*Action) Constraints() []runtime.Constraint {
	all := append(rules("command"), environmentRules("environment_wo")...)
	return append(all, target.HostRule(), runtime.AtMostOneOf("stdin", "stdin_wo"))
}

// ValidateInputs is part of [runtime.InputValidator]. It looks at nothing on the host.
func (a *Action) ValidateInputs(_ context.Context, hosts *target.Hosts) error {
	if _, err := hosts.Find(a.Host); err != nil {
		return err
	}
	_, err := a.environment(variables{"environment_wo", a.EnvironmentWO})
	return err
}

// Invoke is part of [runtime.TypedAction].
func (a *Action) Invoke(ctx context.Context, hosts *target.Hosts, report func(message string)) error {
	h, err := hosts.Find(a.Host)
	if err != nil {
		return err
	}
	hidden := variables{"environment_wo", a.EnvironmentWO}
	env, err := a.environment(hidden)
	if err != nil {
		return err
	}
	j := &job{
		Settings: &a.Settings, attribute: "command", text: a.Command, env: env, stdin: a.Stdin,
		secrets: secrets(hidden, a.StdinWO), report: report,
	}
	if a.StdinWO != nil {
		j.stdin = a.StdinWO
	}
	if a.SensitiveOutput != nil && *a.SensitiveOutput {
		j.shows, j.report = showsNothing, nil
	}
	begun := time.Now()
	r, err := j.succeed(ctx, h, a.AllowedExitCodes)
	if err != nil {
		return err
	}
	report(fmt.Sprintf("the command on host %s has ended with exit code %d after %s", h.Name(), r.ExitCode, time.Since(begun).Round(time.Millisecond)))
	return nil
}
