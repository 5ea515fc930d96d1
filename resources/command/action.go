package command

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Action runs a command on a host, for example to migrate a database, to reload a
// configuration or to purge a cache.
//
// Up to 200 lines of the command's output are shown while it runs, and are not stored.
// If the command fails, the error includes the end of its output.
//
// The state does not record that the command ran. To manage an object with commands, use
// the resource of the same name.
type Action struct {
	// Host to run the command on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Command to run. It is visible in the host's list of processes while it runs: pass
	// secrets with `environment_wo` or `stdin_wo`.
	Command string

	Settings

	// Environment variables that are never stored in a plan. Values of four or more
	// bytes are masked in the output. Values can be ephemeral.
	EnvironmentWO map[string]string `tf:"environment_wo,optional,writeonly"`

	// Standard input of the command. Lines of four or more bytes are masked in the
	// output. Defaults to empty input.
	Stdin *string

	// Standard input of the command, never stored in a plan. Lines of four or more
	// bytes are masked in the output. Can be an ephemeral value.
	StdinWO *string `tf:"stdin_wo,writeonly"`

	// Whether to hide the output of the command, even if it fails. Defaults to `false`.
	SensitiveOutput *bool

	// Exit codes that mean success; others are an error. Defaults to `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

var (
	_ runtime.Defaulter                        = (*Action)(nil)
	_ runtime.Constrainer                      = (*Action)(nil)
	_ runtime.InputValidator[*lifecycle.Hosts] = (*Action)(nil)
)

// ActionType returns the registration of the action type.
func ActionType() runtime.ActionRegistration { return runtime.MakeAction[Action, *lifecycle.Hosts]() }

// Defaults implements [runtime.Defaulter].
func (a *Action) Defaults() {
	a.defaults(&a.AllowedExitCodes)
	a.SensitiveOutput = new(false)
}

// Constraints implements [runtime.Constrainer].
func (*Action) Constraints() []runtime.Constraint {
	all := append(rules("command"), environmentRules("environment_wo")...)
	return append(all, address.HostRule(), runtime.AtMostOneOf("stdin", "stdin_wo"))
}

// ValidateInputs implements [runtime.InputValidator]. It does not contact the host.
func (a *Action) ValidateInputs(_ context.Context, hosts *lifecycle.Hosts) error {
	if _, err := hosts.Find(a.Host); err != nil {
		return err
	}
	_, err := a.environment(variables{"environment_wo", a.EnvironmentWO})
	return err
}

// Invoke implements [runtime.TypedAction].
func (a *Action) Invoke(ctx context.Context, hosts *lifecycle.Hosts, report func(message string)) error {
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
		Settings: &a.Settings, attribute: "command", text: a.Command, env: env, stdin: cmp.Or(a.StdinWO, a.Stdin),
		masked: secretValues(hidden, a.StdinWO, a.Stdin), report: report,
	}
	if a.SensitiveOutput != nil && *a.SensitiveOutput {
		j.visible, j.report = visibleNone, nil
	}
	begun := time.Now()
	r, err := j.runChecked(ctx, h, a.AllowedExitCodes)
	if err != nil {
		return err
	}
	report(fmt.Sprintf("the command on host %s ended with exit code %d after %s", h.Name(), r.ExitCode, time.Since(begun).Round(time.Millisecond)))
	return nil
}
