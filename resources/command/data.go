package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup runs a read-only command and returns its output. The command runs in every
// plan, or in the apply if something that it depends on has to be applied first.
//
// The text of the command is visible in the host's list of processes while it runs.
// Pass secrets with `sensitive_environment`. To read a secret, use the ephemeral
// resource of the same name, which stores nothing.
type Lookup struct {
	// Host to run the command on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Command to run. It should not change anything, since it runs in every plan.
	Command string

	Settings
	SensitiveSettings

	// Standard input of the command. Defaults to empty input.
	Stdin *string

	// Exit codes that mean success; others are an error. Defaults to `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

// LookupOutput is the output of the command.
type LookupOutput struct {
	Host *string `tf:",computed"`
	ProcessOutput
}

var (
	_ runtime.Defaulter   = (*Lookup)(nil)
	_ runtime.Constrainer = (*Lookup)(nil)
)

// DataSource returns the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (l *Lookup) Defaults() {
	l.defaults(&l.AllowedExitCodes)
	l.SensitiveOutput = new(false)
}

// Constraints implements [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return append(append(rules("command"), address.HostRule()), environmentRules("sensitive_environment")...)
}

// Read implements [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *lifecycle.Hosts) (*LookupOutput, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	env, err := l.environment(l.sensitiveVariables())
	if err != nil {
		return nil, err
	}
	j := &job{
		Settings: &l.Settings, attribute: "command", text: l.Command, env: env, stdin: l.Stdin, visible: l.visibility(),
		masked: secretValues(l.sensitiveVariables(), l.Stdin), excluded: l.excluded(),
	}
	r, err := j.runForOutput(ctx, h, l.AllowedExitCodes)
	if err != nil {
		return nil, err
	}
	return &LookupOutput{Host: new(h.Name()), ProcessOutput: r.output(ctx)}, nil
}
