package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lookup runs a command that changes nothing, and has what it prints. It runs in
// every plan.
//
// The text of a command can be seen in the host's list of processes while it runs.
// Give secrets to it by `sensitive_environment`, and have secrets from it by the
// ephemeral resource of the same name, which stores nothing.
type Lookup struct {
	// The host that the command runs on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The text of the command. It should change nothing: it runs whenever there is a
	// plan.
	Command string

	Settings
	Discretion

	// What the command reads on standard input. When unset, that is empty.
	Stdin *string

	// The exit codes with which the command succeeds; any other is an error. The
	// default is `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

// LookupOutput is what a command has to say.
type LookupOutput struct {
	Host *string `tf:",computed"`
	Printed
}

var (
	_ runtime.TypedDataSource[*LookupOutput, *target.Hosts] = (*Lookup)(nil)
	_ runtime.Defaulter                                     = (*Lookup)(nil)
	_ runtime.Constrainer                                   = (*Lookup)(nil)
)

// DataSource is the registration of the data source type.
func DataSource() runtime.DataSourceRegistration {
	return runtime.MakeDataSource[Lookup, *LookupOutput, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (l *Lookup) Defaults() {
	l.defaults(&l.AllowedExitCodes)
	l.SensitiveOutput = new(false)
}

// Constraints is part of [runtime.Constrainer].
func (*Lookup) Constraints() []runtime.Constraint {
	return append(append(rules("command"), target.HostRule()), environmentRules("sensitive_environment")...)
}

// Read is part of [runtime.TypedDataSource].
func (l *Lookup) Read(ctx context.Context, hosts *target.Hosts) (*LookupOutput, error) {
	h, err := hosts.Find(l.Host)
	if err != nil {
		return nil, err
	}
	env, err := l.environment(l.variables())
	if err != nil {
		return nil, err
	}
	j := &job{
		Settings: &l.Settings, attribute: "command", text: l.Command, env: env, stdin: l.Stdin, shows: l.shows(),
		secrets: secrets(l.variables(), l.Stdin), hidden: l.hidden(),
	}
	r, err := j.tell(ctx, h, l.AllowedExitCodes)
	if err != nil {
		return nil, err
	}
	return &LookupOutput{Host: new(h.Name()), Printed: r.printed(ctx)}, nil
}
