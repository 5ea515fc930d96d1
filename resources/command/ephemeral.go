package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Secret runs a command and returns its output without storing it: the output is
// neither in the plan nor in the state. The command runs once during the plan, unless
// something that it depends on has to be applied first, and once during the apply.
//
// `close` cleans up when the output is no longer needed, for example by revoking a
// token. Terraform and OpenTofu do not close an ephemeral resource if anything that
// depends on it fails, so limit the lifetime of a token.
//
// The text of a command is visible in the host's list of processes while it runs. Pass
// secrets with `environment` or `stdin`: their values are not stored either.
type Secret struct {
	// Host to run the command on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`.
	Host *string

	// Command to run.
	Command string

	// Command to run when the output is no longer needed. It runs with the same settings as
	// `command`, and its standard input is `stdout`. It does not run if `command`
	// fails, if the standard output of `command` does not meet the requirements of
	// `stdout`, or if a resource, provider or output that depends on this ephemeral
	// resource fails.
	ToClose *string `tf:"close"`

	Settings

	// Standard input of the command. Defaults to empty input.
	Stdin *string

	// Exit codes that mean success for `command` and `close`. Defaults to `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

// SecretOutput is the output of the command for the current run.
type SecretOutput struct {
	Host *string `tf:",computed"`

	// Standard output, which must be UTF-8 text of up to 1 MiB. Trailing newlines are
	// removed, as by `$(…)` in a shell.
	Stdout string `tf:",sensitive"`

	// Standard error, with the same requirements as `stdout`. Output that does not meet
	// them is null, with a warning.
	Stderr *string `tf:",sensitive"`

	// Exit code of the command.
	ExitCode int64
}

// Session has the data that Close needs. It is kept in the memory of the client only.
type Session struct {
	Host     string
	Close    string
	Stdin    string
	Settings Settings
	Allowed  []int64
}

var (
	_ runtime.EphemeralCloser[Session, *lifecycle.Hosts] = (*Secret)(nil)
	_ runtime.Defaulter                                  = (*Secret)(nil)
	_ runtime.Constrainer                                = (*Secret)(nil)
)

// EphemeralResource returns the registration of the ephemeral resource type.
func EphemeralResource() runtime.EphemeralRegistration {
	return runtime.MakeEphemeral[Secret, *SecretOutput, Session, *lifecycle.Hosts]()
}

// Defaults implements [runtime.Defaulter].
func (s *Secret) Defaults() { s.defaults(&s.AllowedExitCodes) }

// Constraints implements [runtime.Constrainer].
func (*Secret) Constraints() []runtime.Constraint {
	return append(rules("command", "close"), address.HostRule())
}

// Open implements [runtime.TypedEphemeral].
func (s *Secret) Open(ctx context.Context, hosts *lifecycle.Hosts) (*SecretOutput, runtime.Lease[Session], error) {
	var lease runtime.Lease[Session]
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, lease, err
	}
	r, err := s.secretJob("command", s.Command, s.Stdin).runForOutput(ctx, h, s.AllowedExitCodes)
	if err != nil {
		return nil, lease, err
	}
	p := r.output(ctx)
	if s.ToClose != nil {
		lease.Session = Session{Host: h.Name(), Close: *s.ToClose, Stdin: *p.Stdout, Settings: s.Settings, Allowed: s.AllowedExitCodes}
	}
	return &SecretOutput{Host: new(h.Name()), Stdout: *p.Stdout, Stderr: p.Stderr, ExitCode: *p.ExitCode}, lease, nil
}

// secretJob returns a run whose environment, input and standard output may contain
// secrets: messages show only standard error, with the values of the environment and the input masked.
func (s *Settings) secretJob(attribute, text string, stdin *string) *job {
	return &job{
		Settings: s, attribute: attribute, text: text, env: s.Environment, stdin: stdin, visible: visibleStderr,
		masked: secretValues(variables{"environment", s.Environment}, stdin),
	}
}

// Close implements [runtime.EphemeralCloser].
func (*Secret) Close(ctx context.Context, hosts *lifecycle.Hosts, session Session) error {
	if session.Close == "" {
		return nil
	}
	h, err := hosts.Find(&session.Host)
	if err != nil {
		return err
	}
	_, err = session.Settings.secretJob("close", session.Close, &session.Stdin).runChecked(ctx, h, session.Allowed)
	return err
}
