package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place is part of [lifecycle.Object].
func (c *Command) Place() (*string, lifecycle.Key) { return c.Host, "" }

// ValidateInputs is part of [runtime.InputValidator]. It does not access the host: without
// read, a plan needs no connection.
func (c *Command) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if runtime.PlansCreate(ctx) {
		scope.PlanAnyAccount() // the command may create users
	}
	_, err := c.environment(c.variables(), variables{"environment_wo", c.EnvironmentWO})
	return err
}

// matter has the attributes that an object is created from. A change of one needs update or
// a new object.
type matter struct {
	create, update string
	triggers       map[string]string
	interpreter    []string
	environment    map[string]string
	sensitive      map[string]string
	directory      *string
	stdin          *string
	versions       [2]*string
}

// matters lists the attributes of matter, and the outputs that show drift.
var matters = map[string]bool{
	"create": true, "update": true, "triggers": true, "interpreter": true, "environment": true, "sensitive_environment": true,
	"working_directory": true, "stdin": true, "environment_wo_version": true, "stdin_wo_version": true,
	"observed": true, "sensitive_observed": true,
}

// differs reports whether an attribute of matter changed. Removing update is not a change
// of the object.
func (c *Command) differs(prior *Command) bool {
	is, was := c.matter(), prior.matter()
	if _, set := c.ToUpdate.Get(); !set {
		was.update = ""
	}
	return runtime.Changed(was, is)
}

func (c *Command) matter() matter {
	update, _ := c.ToUpdate.Get()
	return matter{
		create: c.ToCreate, update: update, triggers: c.Triggers, interpreter: c.Interpreter, environment: c.Environment,
		sensitive: c.SensitiveEnvironment, directory: c.WorkingDirectory, stdin: c.Stdin,
		versions: [2]*string{c.EnvironmentWOVersion, c.StdinWOVersion},
	}
}

// adopted reports whether an object was imported or moved: its state does not have its
// commands.
func (c *Command) adopted() bool { return c.ToCreate == "" }

// ReplaceOn is part of [runtime.Replacer]. An adopted object is assumed to be as
// configured, and only recorded.
func (*Command) ReplaceOn(field string, prior, current Command) bool {
	switch {
	case prior.adopted():
		return false
	case field == "host":
		return true
	case field == "update":
		return false // the value is recorded, or not needed
	default:
		return matters[field] && current.ToUpdate.IsNull()
	}
}

// ModifyResourcePlan is part of [runtime.ResourcePlanModifier].
func (*Command) ModifyResourcePlan(req runtime.ResourcePlanRequest[Command, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is, was := &req.CurrentInputs, &req.PriorInputs
	acts := !was.adopted() && (is.differs(was) || is.ToUpdate.IsUnknown() || req.PriorOutputs.drifted(req.AppliedOutputs))
	if acts {
		resp.MarkOutputUnknown("stdout", "stderr", "sensitive_stdout", "sensitive_stderr", "exit_code")
	}
	if acts || is.observes(was) {
		resp.MarkOutputUnknown("observed", "sensitive_observed")
	}
	if is.sensitive() != was.sensitive() {
		resp.MarkOutputUnknown("stdout", "stderr", "sensitive_stdout", "sensitive_stderr", "observed", "sensitive_observed")
	}
	return nil
}

// observes reports whether read must run although nothing else does, so that later plans
// have an output to compare with.
func (c *Command) observes(prior *Command) bool { return runtime.Changed(prior.ToRead, c.ToRead) }

// PlanOutputs is part of [runtime.OutputPlanner].
func (c *Command) PlanOutputs(_ context.Context, scope *lifecycle.Scope, plan *runtime.OutputPlan) error {
	h := scope.Host
	plan.Set("host", h.Name())
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

// drifted reports whether the output of read differs from that after the last create or
// update.
func (o *Output) drifted(applied *Output) bool {
	return runtime.Changed(applied.observed(), o.observed())
}

// observed returns the output of read, from either attribute.
func (o *Output) observed() *string {
	if o.SensitiveObserved != nil {
		return o.SensitiveObserved
	}
	return o.Observed
}

// stdout returns the output of create or update, from either attribute.
func (o *Output) stdout() *string {
	if o.SensitiveStdout != nil {
		return o.SensitiveStdout
	}
	return o.Stdout
}
