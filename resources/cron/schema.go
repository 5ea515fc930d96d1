package cron

import (
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Cron manages a command that the host runs at times: one file in `/etc/cron.d`, which
// says when, as whom and what. Drift of each of these, of the file's mode and owner, and
// whatever else somebody writes into the file, is found by every plan and repaired.
//
// A file that says the same already is adopted when the resource is created; one that
// says something else is an error. A cron that reads `/etc/cron.d` has to be installed,
// as those of Debian, Fedora and most other systems. That of busybox, which Alpine
// has, does not: use `posix_file_block` there, for the crontab of a user in
// `/etc/crontabs`.
type Cron struct {
	// The host that runs the command: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new file.
	Host *string

	// The name of the file: letters, digits, dashes and underscores. cron does not
	// read files with other names. Changing it makes a new file.
	Name string

	// When the command runs: minute, hour, day of the month, month and day of the week,
	// as `30 4 * * mon-fri`, or one of `@reboot`, `@yearly`, `@annually`, `@monthly`,
	// `@weekly`, `@daily`, `@midnight` and `@hourly`. A field is a list of values and
	// ranges, with a step behind a range or a star, as `0-30/10,45`. Where both days are
	// restricted, it runs when one of them fits. The times are those of the host's clock.
	Schedule Schedule

	// The user whom the command runs as, by name. It has to exist when this is applied:
	// cron passes over what is for a user whom it does not know.
	User string

	// The command, as the shell gets it: a percent sign is one, and needs no backslash.
	// It is one line, and has up to 900 bytes.
	Command string

	// Variables of the environment of the command, and of cron itself, such as `MAILTO`,
	// `SHELL` and `PATH`. Nothing in the values is expanded. Everybody on the host may read
	// them. The default is none.
	Environment map[string]string
}

// Output is what is known of a file that exists.
type Output struct {
	Host        *string `tf:",computed"`
	Name        string
	Schedule    Schedule
	User        string
	Command     string
	Environment map[string]string

	// The path of the file.
	Path target.Path
	// Whether the file has what is shown here and nothing else. When it has not, as
	// somebody has written more into it, an update makes it so.
	Intact bool
	// The permissions of the file, which are to be `0644`.
	Mode host.Mode
	// The user who owns the file, who is to be `root`.
	Owner string
	// The group of the file, which is to be `root`.
	Group string
}

var (
	_ runtime.TypedResource[Cron, *Output, *target.Hosts]        = (*Cron)(nil)
	_ runtime.Defaulter                                          = (*Cron)(nil)
	_ runtime.Constrainer                                        = (*Cron)(nil)
	_ runtime.InputValidator[*target.Hosts]                      = (*Cron)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                       = (*Cron)(nil)
	_ runtime.ResourcePlanModifier[Cron, *Output, *target.Hosts] = (*Cron)(nil)
	_ runtime.Identifier[target.Named, *Output, *target.Hosts]   = (*Cron)(nil)
	_ runtime.ImportIDParser[target.Named]                       = (*Cron)(nil)
	_ runtime.SemanticEqualer[Schedule]                          = Schedule("")
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Cron, *Output, *target.Hosts]()
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Cron) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Cron) ReplaceFields() []string { return []string{"host", "name"} }

// Defaults is part of [runtime.Defaulter].
func (c *Cron) Defaults() { c.Environment = map[string]string{} }

// Constraints is part of [runtime.Constrainer].
func (*Cron) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("name", "", dropin.CheckName),
		runtime.Check("schedule", "", checkSchedule),
		runtime.Check("user", "", checkUser),
		runtime.Check("command", "", checkCommand),
		runtime.Check("environment", "", checkEnvironment),
	}
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier]. Outputs change by an
// update only where they are not what they have to be.
func (*Cron) ModifyResourcePlan(req runtime.ResourcePlanRequest[Cron, *Output, *target.Hosts], resp *runtime.ResourcePlanResponse) error {
	req.Config.RememberPrior(req.PriorInputs.Host, req.PriorInputs.path())
	is := req.PriorOutputs
	resp.MarkOutputUnknown(dropin.Access{Mode: is.Mode, Owner: is.Owner, Group: is.Group}.Unlike(req.PriorInputs.file().Wanted())...)
	if !is.Intact {
		resp.MarkOutputUnknown("intact")
	}
	return nil
}

// Identity is part of [runtime.Identifier].
func (*Cron) Identity(_ *target.Hosts, out *Output) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Cron) ParseImportID(id string) (target.Named, error) {
	return target.ParseNamed(id, dropin.CheckName)
}
