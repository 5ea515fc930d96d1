package command

import (
	"cmp"
	"context"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (c *Command) Place() (*string, lifecycle.Key) { return c.Host, "" }

// ValidateInputs implements [runtime.InputValidator]. It does not contact the host: a
// plan without read needs no connection.
func (c *Command) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	c.Announce(ctx, scope)
	_, err := c.environment(c.sensitiveVariables(), variables{"environment_wo", c.EnvironmentWO})
	return err
}

// Announce implements [lifecycle.Announcer].
func (*Command) Announce(ctx context.Context, scope *lifecycle.Scope) {
	if runtime.PlansCreate(ctx) {
		scope.PlanAnyAccount() // the command may create any account
	}
}

// definition has the inputs that define an object. If one changes, update runs, or a
// new resource is forced.
type definition struct {
	create, update string
	triggers       map[string]string
	interpreter    []string
	environment    map[string]string
	sensitive      map[string]string
	directory      *string
	stdin          *string
	versions       [2]*string
}

// definingFields has the names of the inputs in definition, and of the outputs in which
// drift shows.
var definingFields = map[string]bool{
	"create": true, "update": true, "triggers": true, "interpreter": true, "environment": true, "sensitive_environment": true,
	"working_directory": true, "stdin": true, "environment_wo_version": true, "stdin_wo_version": true,
	"observed": true, "sensitive_observed": true,
}

// changed reports whether the definition of the object differs from the prior one.
// Removing update does not count.
func (c *Command) changed(prior *Command) bool {
	is, was := c.definition(), prior.definition()
	if _, set := c.ToUpdate.Get(); !set {
		was.update = ""
	}
	return runtime.Changed(was, is)
}

func (c *Command) definition() definition {
	update, _ := c.ToUpdate.Get()
	return definition{
		create: c.ToCreate, update: update, triggers: c.Triggers, interpreter: c.Interpreter, environment: c.Environment,
		sensitive: c.SensitiveEnvironment, directory: c.WorkingDirectory, stdin: c.Stdin,
		versions: [2]*string{c.EnvironmentWOVersion, c.StdinWOVersion},
	}
}

// isAdopted reports whether the object was imported or moved, not created: its state
// does not have the commands.
func (c *Command) isAdopted() bool { return c.ToCreate == "" }

// ReplaceOn implements [runtime.Replacer]. An adopted object is assumed to be as
// configured, so no change replaces it.
func (*Command) ReplaceOn(field string, prior, current Command) bool {
	switch {
	case prior.isAdopted():
		return false
	case field == "host":
		return true
	case field == "update":
		return false // an added update runs, and a removed one changes nothing
	default:
		return definingFields[field] && current.ToUpdate.IsNull()
	}
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*Command) ModifyResourcePlan(req runtime.ResourcePlanRequest[Command, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is, was := &req.CurrentInputs, &req.PriorInputs
	acts := !was.isAdopted() && (is.changed(was) || is.ToUpdate.IsUnknown() || req.PriorOutputs.drifted(req.AppliedOutputs))
	if acts {
		resp.MarkOutputUnknown("stdout", "stderr", "sensitive_stdout", "sensitive_stderr", "exit_code")
	}
	if acts || is.readChanged(was) {
		resp.MarkOutputUnknown("observed", "sensitive_observed")
	}
	if !acts {
		if err := is.checkPlainRead(was, req.PriorOutputs); err != nil {
			return err
		}
	}
	if is.sensitive() != was.sensitive() {
		resp.MarkOutputUnknown("stdout", "stderr", "sensitive_stdout", "sensitive_stderr", "observed", "sensitive_observed")
	}
	return nil
}

// readChanged reports whether read differs from the prior one. A new read has to run, so that
// later plans have an output to compare with.
func (c *Command) readChanged(prior *Command) bool { return runtime.Changed(prior.ToRead, c.ToRead) }

// PlanOutputs implements [runtime.OutputPlanner].
func (c *Command) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	null := []string{"sensitive_stdout", "sensitive_stderr", "sensitive_observed"}
	if c.sensitive() {
		null = []string{"stdout", "stderr", "observed"}
	}
	if c.ToRead == nil {
		null = append(null, "observed", "sensitive_observed")
	}
	for _, name := range null {
		plan.Set(name, nil)
	}
	return nil
}

// drifted reports whether the output of read differs from the last applied one.
func (o *Output) drifted(applied *Output) bool {
	return runtime.Changed(applied.observed(), o.observed())
}

// observed returns the output of read, from the plain or the sensitive attribute.
func (o *Output) observed() *string {
	return cmp.Or(o.SensitiveObserved, o.Observed)
}

// stdout returns the output of create or update, from the plain or the sensitive
// attribute.
func (o *Output) stdout() *string {
	return cmp.Or(o.SensitiveStdout, o.Stdout)
}
