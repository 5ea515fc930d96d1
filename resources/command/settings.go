package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Settings say how commands are run, whatever they are for.
type Settings struct {
	// The program that runs the commands, with its arguments; the text of a command
	// is added as the last one. The default is `["/bin/sh", "-c"]`.
	Interpreter []string

	// Environment variables of the commands, beside those that the host gives.
	Environment map[string]string `tf:",optional"`

	// The absolute path of the directory in which the commands run. When unset, the
	// host decides: over SSH that is the home directory of the user, on the host
	// `local` the directory of the run.
	WorkingDirectory *string

	// How long each of the commands may take, such as `"90s"` or `"1h30m"`. One that
	// takes longer is killed, with what it has started, and has failed. There is no
	// limit when unset.
	Timeout *runtime.Duration
}

// Discretion is what is not to be shown of commands, where there is a state that
// has it.
type Discretion struct {
	// More environment variables, whose values are not shown; the state has them.
	SensitiveEnvironment map[string]string `tf:",optional,sensitive"`

	// Whether what the commands print is not to be shown. It is then in
	// attributes that begin with `sensitive_` instead, and in no message about a
	// command that fails. The default is false.
	SensitiveOutput *bool
}

// Printed is what commands have printed.
type Printed struct {
	// What was printed on standard output, of a resource by the last `create` or
	// `update`: text of up to 1 MiB, without the newlines at the end, as `$(…)` is in a
	// shell. Null with `sensitive_output`, and where it has a sensitive or write-only
	// value in it.
	Stdout *string

	// The same for standard error.
	Stderr *string

	// The same as `stdout`, and not shown; null without `sensitive_output`.
	SensitiveStdout *string `tf:",sensitive"`

	// The same as `stderr`, and not shown; null without `sensitive_output`.
	SensitiveStderr *string `tf:",sensitive"`

	// The exit code that goes with it; 128 and the number of the signal where one
	// ended the command.
	ExitCode *int64
}

// defaults are those of the settings, and of the exit codes that go with them.
func (s *Settings) defaults(allowed *[]int64) {
	s.Interpreter = []string{"/bin/sh", "-c"}
	*allowed = []int64{0}
}

// rules are about the settings and the exit codes that go with them, and about the
// attributes with commands.
func rules(commands ...string) []runtime.Constraint {
	all := []runtime.Constraint{
		runtime.Length("interpreter", 1, 0),
		runtime.Each(runtime.Check("interpreter", "must not be blank", isText)),
		runtime.Check("working_directory", "", target.CheckDirectory),
		runtime.Check("timeout", "must be greater than zero", longerThanNothing),
		runtime.Length("allowed_exit_codes", 1, 0),
		runtime.Each(runtime.Range("allowed_exit_codes", 0, 255)),
	}
	for _, field := range commands {
		all = append(all, runtime.Check(field, "must not be blank", isText))
	}
	return append(all, environmentRules("environment")...)
}

// environmentRules are about maps of environment variables.
func environmentRules(fields ...string) []runtime.Constraint {
	var rules []runtime.Constraint
	for _, field := range fields {
		rules = append(rules,
			runtime.Keys(runtime.Pattern(field, "^[A-Za-z_][A-Za-z0-9_]*$", "letters, digits and `_`, and no digit first")))
	}
	return rules
}

func longerThanNothing(d runtime.Duration) error {
	if d <= 0 {
		return errors.New("a command needs some time; leave timeout out for no limit")
	}
	return nil
}

var errNUL = errors.New("it contains a NUL, which can be no part of a command or its environment")

func noNUL(text string) error {
	if strings.ContainsRune(text, 0) {
		return errNUL
	}
	return nil
}

func isText(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("there is no command in it")
	}
	return noNUL(text)
}

// Names of variables that the provider sets itself.
const (
	ownPrefix      = "POSIX_COMMAND_"
	idVariable     = ownPrefix + "ID"
	stdoutVariable = ownPrefix + "STDOUT"
)

// environment is all of it. A name that is there twice is an error at the second
// attribute.
func (s *Settings) environment(more ...variables) (map[string]string, error) {
	all := map[string]string{}
	from := map[string]string{}
	var errs []error
	for _, vars := range append([]variables{{"environment", s.Environment}}, more...) {
		for _, name := range slices.Sorted(maps.Keys(vars.values)) {
			if err := noNUL(vars.values[name]); err != nil {
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s: %w", name, err))
			}
			switch other, twice := from[name]; {
			case vars.attribute != "" && strings.HasPrefix(name, ownPrefix):
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s: names that begin with %s are the provider's", name, ownPrefix))
			case twice:
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s is in %s already. Remove it from one of them", name, other))
			}
			all[name], from[name] = vars.values[name], vars.attribute
		}
	}
	return all, errors.Join(errs...)
}

// variables are environment variables, with the attribute that they are from.
type variables struct {
	attribute string // empty for the provider's own
	values    map[string]string
}

// sensitive reports whether output must not be shown.
func (d *Discretion) sensitive() bool { return d.SensitiveOutput != nil && *d.SensitiveOutput }

func (d *Discretion) shows() shows {
	if d.sensitive() {
		return showsNothing
	}
	return showsAll
}

// variables are those that are not shown.
func (d *Discretion) variables() variables {
	return variables{"sensitive_environment", d.SensitiveEnvironment}
}

// hidden are the values that outputs may not have: those that are stored in
// sensitive attributes alone.
func (d *Discretion) hidden() []string {
	if d.sensitive() {
		return nil
	}
	return secrets(d.variables())
}

// secrets are values for the messages to leave out.
func secrets(vars variables, more ...*string) []string {
	all := slices.Collect(maps.Values(vars.values))
	for _, s := range more {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// codes are exit codes in a sentence.
func codes(allowed []int64) string {
	words := make([]string, len(allowed))
	for i, code := range allowed {
		words[i] = fmt.Sprint(code)
	}
	return strings.Join(words, ", ")
}
