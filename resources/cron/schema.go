package cron

import (
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Cron manages a cron job: a file in `/etc/cron.d` with the schedule, the user and
// the command.
//
// Every plan detects drift of the content, the mode, the owner and the group of the file.
// Other lines in the file are also drift. The next apply repairs the drift. An update
// fails if the job or `unexpected_lines` changed after the plan was made and the file does
// not have the configured content: a new plan shows that change.
//
// On create, a file with the same content is adopted. Any other file with this name is
// an error: import it to see in a plan what would change, or choose a different name.
// Only a text file with exactly one command, which follows the variables and has no
// input after a percent sign, can be imported. On destroy, the file is removed.
//
// The provider must run as root on the host, and the host needs a cron daemon that
// reads `/etc/cron.d`, as on Debian, Fedora and most other distributions. The
// cron daemon of busybox, as on Alpine, does not read it: manage a user's crontab in
// `/etc/crontabs` with `posix_file_block` instead.
type Cron struct {
	// Host to run the command on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the file: up to 200 letters, digits, dashes and underscores. Some cron
	// implementations ignore files with other names. Changing this forces a new
	// resource.
	Name string

	// When to run the command: minute, hour, day of the month, month and day of the week,
	// such as `30 4 * * mon-fri`, or one of `@reboot`, `@yearly`, `@annually`,
	// `@monthly`, `@weekly`, `@daily`, `@midnight` and `@hourly`. A field is a list of
	// values and ranges, with an optional step after a range or `*`, such as
	// `0-30/10,45`. If both the day of the month and the day of the week are
	// restricted, the command runs when either matches. Times are in the local time of
	// the host.
	Schedule Schedule

	// Name of the user to run the command as. The user must exist at apply time: cron
	// skips jobs of unknown users.
	User string

	// Command to run, as it is passed to the shell; do not escape percent signs. Must
	// be one line of up to 900 bytes, where a percent sign counts as two. Must not
	// start with a blank, nor contain `\\` or `\%`, which cron implementations
	// interpret differently.
	Command string

	// Environment variables for the command and for cron itself, such as `MAILTO`,
	// `SHELL` and `PATH`, but not `LOGNAME` and `USER`, which cron sets. Values are not
	// expanded, and are readable by all users of the host. Defaults to none.
	Environment map[string]string
}

// Output is the state of a managed cron job.
type Output struct {
	Host        *string `tf:",computed"`
	Name        string
	Schedule    Schedule
	User        string
	Command     string
	Environment map[string]string

	// Path of the file.
	Path address.Path
	// Whether the file contains exactly one job, in the form that the provider writes,
	// and nothing else. If `false`, for example because a line was added by hand, the
	// next apply restores the file.
	Intact bool
	// Lines of the file that the provider did not write, such as comments, other jobs, and
	// variables or commands in another form. The next apply removes them. In these lines,
	// `…` replaces `command`, the values of variables in `environment`, and the commands
	// and values of jobs and variables that are commented out.
	UnexpectedLines []string
	// Permissions of the file. If they differ from `0644`, the next apply changes them
	// back.
	Mode host.Mode
	// Owner of the file. If it differs from `root`, the next apply changes it back.
	Owner string
	// Group of the file. If it differs from `root`, the next apply changes it back.
	Group string
}

var (
	_ runtime.Defaulter                                             = (*Cron)(nil)
	_ runtime.Constrainer                                           = (*Cron)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                       = (*Cron)(nil)
	_ runtime.ResourcePlanModifier[Cron, *Output, *lifecycle.Scope] = (*Cron)(nil)
	_ runtime.Identifier[address.Named, *Output, *lifecycle.Scope]  = (*Cron)(nil)
	_ runtime.ImportIDParser[address.Named]                         = (*Cron)(nil)
	_ runtime.SemanticEqualer[Schedule]                             = Schedule("")
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Cron, *Output]()
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (*Cron) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults implements [runtime.Defaulter].
func (c *Cron) Defaults() { c.Environment = map[string]string{} }

// Constraints implements [runtime.Constrainer].
func (*Cron) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", dropin.CheckName),
		runtime.Check("schedule", "", checkSchedule),
		runtime.Check("user", "", checkUser),
		runtime.Check("command", "", checkCommand),
		runtime.Check("environment", "", checkEnvironment),
	}
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. It marks the outputs that
// differ from those of a newly written file as unknown, because an update repairs them.
func (*Cron) ModifyResourcePlan(req runtime.ResourcePlanRequest[Cron, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is := req.PriorOutputs
	req.PriorInputs.file().PlanRepair(dropin.Access{Mode: is.Mode, Owner: is.Owner, Group: is.Group}, resp)
	if !is.Intact {
		resp.MarkOutputUnknown("intact")
	}
	if is.UnexpectedLines == nil || len(is.UnexpectedLines) > 0 { // nil in older states
		resp.MarkOutputUnknown("unexpected_lines")
	}
	return nil
}

// Identity implements [runtime.Identifier].
func (*Cron) Identity(_ *lifecycle.Scope, out *Output) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Cron) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, dropin.CheckName)
}
