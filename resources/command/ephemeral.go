package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Secret runs a command while a run needs what it prints, and stores nothing of
// it: neither the plan nor the state has the output. It runs once for the plan and
// once more for the apply.
//
// With `close`, what the command has made for the run ends with it, as a token that
// is withdrawn.
type Secret struct {
	// The host that the command runs on: a name in the provider's `hosts`, an alias in the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. When unset, it is
	// the provider's `default_host`, which is `local` by default.
	Host *string

	// The text of the command.
	Command string

	// The text of a command that runs when nothing needs the output any more. It reads
	// on standard input what the first has printed there, and has the same settings.
	// It does not run when the first has failed.
	ToClose *string `tf:"close"`

	Settings

	// What the command reads on standard input. When unset, that is empty.
	Stdin *string

	// The exit codes with which the commands succeed; any other is an error. The
	// default is `[0]`.
	AllowedExitCodes []int64 `tf:",set"`
}

// SecretOutput is what a command has to say for the time of a run.
type SecretOutput struct {
	Host *string `tf:",computed"`

	// What the command has printed on standard output: text of up to 1 MiB, without the
	// newlines at the end, as `$(…)` is in a shell.
	Stdout string `tf:",sensitive"`

	// The same for standard error.
	Stderr *string `tf:",sensitive"`

	// The exit code.
	ExitCode int64
}

// Session is what a secret is closed with. It travels through the memory of the
// client alone.
type Session struct {
	Host     string
	Close    string
	Stdin    string
	Settings Settings
	Allowed  []int64
}

var (
	_ runtime.TypedEphemeral[*SecretOutput, Session, *target.Hosts] = (*Secret)(nil)
	_ runtime.EphemeralCloser[Session, *target.Hosts]               = (*Secret)(nil)
	_ runtime.Defaulter                                             = (*Secret)(nil)
	_ runtime.Constrainer                                           = (*Secret)(nil)
)

// EphemeralResource is the registration of the ephemeral resource type.
func EphemeralResource() runtime.EphemeralRegistration {
	return runtime.MakeEphemeral[Secret, *SecretOutput, Session, *target.Hosts]()
}

// Defaults is part of [runtime.Defaulter].
func (s *Secret) Defaults() { s.defaults(&s.AllowedExitCodes) }

// Constraints is part of [runtime.Constrainer].
func (*Secret) Constraints() []runtime.Constraint {
	return append(rules("command", "close"), target.HostRule())
}

// Open is part of [runtime.TypedEphemeral].
func (s *Secret) Open(ctx context.Context, hosts *target.Hosts) (*SecretOutput, runtime.Lease[Session], error) {
	var lease runtime.Lease[Session]
	h, err := hosts.Find(s.Host)
	if err != nil {
		return nil, lease, err
	}
	r, err := s.discreet("command", s.Command, s.Stdin).tell(ctx, h, s.AllowedExitCodes)
	if err != nil {
		return nil, lease, err
	}
	p := r.printed(ctx)
	if s.ToClose != nil {
		lease.Session = Session{Host: h.Name(), Close: *s.ToClose, Stdin: *p.Stdout, Settings: s.Settings, Allowed: s.AllowedExitCodes}
	}
	return &SecretOutput{Host: new(h.Name()), Stdout: *p.Stdout, Stderr: p.Stderr, ExitCode: *p.ExitCode}, lease, nil
}

// discreet is a run for which whatever is given may be a secret, as nothing of it
// is stored, and so may what it prints on standard output.
func (s *Settings) discreet(attribute, text string, stdin *string) *job {
	return &job{
		Settings: s, attribute: attribute, text: text, env: s.Environment, stdin: stdin, shows: showsStderr,
		secrets: secrets(variables{"environment", s.Environment}, stdin),
	}
}

// Close is part of [runtime.EphemeralCloser].
func (*Secret) Close(ctx context.Context, hosts *target.Hosts, session Session) error {
	if session.Close == "" {
		return nil
	}
	h, err := hosts.Find(&session.Host)
	if err != nil {
		return err
	}
	_, err = session.Settings.discreet("close", session.Close, &session.Stdin).succeed(ctx, h, session.Allowed)
	return err
}
