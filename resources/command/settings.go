package command

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Settings has the inputs that determine how commands run.
type Settings struct {
	// Program that runs a command, with its arguments; the text of the command is
	// appended as the last argument. The program runs without a terminal, as the user
	// the provider runs as on the host; sudo in a command cannot prompt for a password,
	// and does not reuse a password that was entered in a terminal before. Defaults to
	// `["/bin/sh", "-c"]`.
	Interpreter []string

	// Environment variables, in addition to those of the host. On the host `local`,
	// commands get `PATH`, `HOME`, the locale and similar variables from the
	// provider's environment, and no others, since the others may contain secrets.
	Environment map[string]string `tf:",optional"`

	// Absolute path of the working directory. Over SSH, it defaults to the home directory
	// of the user the provider connects as, even with sudo; on the host `local`, to Terraform's
	// working directory.
	WorkingDirectory *string

	// Time limit for a command, such as `"90s"` or `"1h30m"`, including the connection to
	// the host. A command that exceeds it is killed with the processes it started, except
	// those that have left its process group, and fails. Defaults to no limit.
	Timeout *runtime.Duration
}

// SensitiveSettings has the inputs that hide sensitive input and output of commands
// whose output is stored.
type SensitiveSettings struct {
	// Additional environment variables whose values are marked as sensitive. They are
	// stored in the state.
	SensitiveEnvironment map[string]string `tf:",optional,sensitive"`

	// Whether the output is sensitive. If `true`, the output is only in the read-only
	// attributes that start with `sensitive_`, and the error of a command that fails does
	// not show it. Defaults to `false`.
	SensitiveOutput *bool
}

// ProcessOutput is the output and the exit code of a command.
type ProcessOutput struct {
	// Standard output. Trailing newlines are removed, as by `$(…)` in a shell. Null if
	// `sensitive_output` is `true`. The output must be UTF-8 text of up to 1 MiB without
	// sensitive or write-only values of four or more bytes: other output is an error
	// in a data source, and null with a warning in a resource.
	Stdout *string

	// Standard error, with the same requirements as `stdout`. Output that does not meet
	// them is null, with a warning.
	Stderr *string

	// Standard output, marked as sensitive. Null unless `sensitive_output` is `true`.
	SensitiveStdout *string `tf:",sensitive"`

	// Standard error, marked as sensitive. Null unless `sensitive_output` is `true`.
	SensitiveStderr *string `tf:",sensitive"`

	// Exit code of the command; 128 plus the number of the signal if a signal ended it.
	ExitCode *int64
}

// defaults sets the defaults of the settings and of the exit codes.
func (s *Settings) defaults(allowed *[]int64) {
	s.Interpreter = []string{"/bin/sh", "-c"}
	*allowed = []int64{0}
}

// rules returns the constraints of the settings, of the exit codes, and of the
// attributes with commands.
func rules(commands ...string) []runtime.Constraint {
	all := []runtime.Constraint{
		runtime.Length("interpreter", 1, 0),
		runtime.Each(runtime.Check("interpreter", "must not be blank", checkNotBlank)),
		runtime.Check("working_directory", "", address.CheckDirectory),
		runtime.Check("timeout", "must be greater than zero", checkPositive),
		runtime.Length("allowed_exit_codes", 1, 0),
		runtime.Each(runtime.Range("allowed_exit_codes", 0, 255)),
	}
	for _, field := range commands {
		all = append(all, runtime.Check(field, "must not be blank", checkNotBlank))
	}
	return append(all, environmentRules("environment")...)
}

// environmentRules returns the constraints of maps of environment variables.
func environmentRules(fields ...string) []runtime.Constraint {
	var rules []runtime.Constraint
	for _, field := range fields {
		rules = append(rules,
			runtime.Keys(runtime.Check(field, "must consist of ASCII letters, digits and underscores, and must not start with a digit", checkVariableName)))
	}
	return rules
}

var variableName = regexp.MustCompile("^[A-Za-z_][A-Za-z0-9_]*$")

// checkVariableName returns an error if name is not a valid variable name. The error has the name,
// because the path of a sensitive attribute is shown without its keys. A name is not secret.
func checkVariableName(name string) error {
	if !variableName.MatchString(name) {
		return fmt.Errorf("the variable name %q must consist of ASCII letters, digits and underscores, and must not start with a digit", name)
	}
	return nil
}

func checkPositive(d runtime.Duration) error {
	if d <= 0 {
		return errors.New("must be greater than zero; leave timeout unset for no limit")
	}
	return nil
}

var errNUL = errors.New("must not contain NUL bytes")

func checkNoNUL(text string) error {
	if strings.ContainsRune(text, 0) {
		return errNUL
	}
	return nil
}

func checkNotBlank(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("must not be blank")
	}
	return checkNoNUL(text)
}

// Names of the variables that the provider sets, and their prefix.
const (
	ownPrefix      = "POSIX_COMMAND_"
	idVariable     = ownPrefix + "ID"
	stdoutVariable = ownPrefix + "STDOUT"
)

// environment returns the variables of the settings and of more. Reserved names and values with NUL
// bytes are errors. A name in two attributes is an error of the second attribute.
func (s *Settings) environment(more ...variables) (map[string]string, error) {
	all := map[string]string{}
	from := map[string]string{}
	var errs []error
	for _, vars := range append([]variables{{"environment", s.Environment}}, more...) {
		for _, name := range slices.Sorted(maps.Keys(vars.values)) {
			if err := checkNoNUL(vars.values[name]); err != nil {
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s: %w", name, err))
			}
			switch other, twice := from[name]; {
			case vars.attribute != "" && strings.HasPrefix(name, ownPrefix):
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s: names that start with %s are reserved for the provider. Choose another name", name, ownPrefix))
			case twice:
				errs = append(errs, diag.AttributeErrorf(vars.attribute, "the variable %s is also in %s. Remove the variable from one of these attributes", name, other))
			}
			all[name], from[name] = vars.values[name], vars.attribute
		}
	}
	return all, errors.Join(errs...)
}

// variables has environment variables and the attribute with them.
type variables struct {
	attribute string // empty for variables that the provider sets
	values    map[string]string
}

// sensitive reports whether the output is sensitive.
func (d *SensitiveSettings) sensitive() bool { return d.SensitiveOutput != nil && *d.SensitiveOutput }

func (d *SensitiveSettings) visibility() visibility {
	if d.sensitive() {
		return visibleNone
	}
	return visibleAll
}

// sensitiveVariables returns the variables that are marked as sensitive.
func (d *SensitiveSettings) sensitiveVariables() variables {
	return variables{"sensitive_environment", d.SensitiveEnvironment}
}

// excluded returns the values that outputs must not contain, since only sensitive
// attributes may contain them.
func (d *SensitiveSettings) excluded() []string {
	if d.sensitive() {
		return nil
	}
	return secretValues(d.sensitiveVariables())
}

// secretValues returns the values of vars and the strings in more that are not nil.
func secretValues(vars variables, more ...*string) []string {
	all := slices.Collect(maps.Values(vars.values))
	for _, s := range more {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// formatCodes returns exit codes for a message, separated by commas.
func formatCodes(allowed []int64) string {
	codes := make([]string, len(allowed))
	for i, code := range allowed {
		codes[i] = fmt.Sprint(code)
	}
	return strings.Join(codes, ", ")
}
