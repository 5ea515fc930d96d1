package scenarios_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/states/statefile"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// TestEngine compares the recorded outcomes with those of the engine. Scenarios with
// identities are compared for Terraform only if they have an outcome of Terraform.
func TestEngine(t *testing.T) {
	t.Parallel()
	for _, s := range all(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			compare(t, s, engine.OpenTofu)
			if s.DiffersInTerraform() || !s.NeedsIdentity() {
				compare(t, s, engine.Terraform)
			}
		})
	}
}

// messageLine matches a message in an outcome.
var messageLine = regexp.MustCompile(`(?m)^  says .*\n`)

func compare(t *testing.T, s *Scenario, flavor engine.Flavor) {
	t.Helper()
	want := s.Outcome(flavor == engine.Terraform)
	got := s.Text(inProcess{flavor}.run(t, s))
	got = Unaddressed(got, want)
	if s.Crashes && flavor == engine.OpenTofu {
		got = messageLine.ReplaceAllString(got, "")
	}
	if flavor == engine.Terraform {
		want, got = Unordered(want), Unordered(got)
	}
	diff := cmp.Diff(want, got)
	switch {
	case s.Engine != "" && diff == "":
		t.Errorf("the outcome as %s is the recorded one, but the scenario has a reason why it differs: %s", flavor, s.Engine)
	case s.Engine == "" && diff != "":
		t.Errorf("outcome as %s (-recorded +engine):\n%s", flavor, diff)
	}
}

// inProcess runs scenarios with the engine.
type inProcess struct{ flavor engine.Flavor }

func (e inProcess) run(t *testing.T, s *Scenario) []Outcome {
	t.Helper()
	state := states.NewState()
	if s.Prior != "" {
		text, err := PriorState(s)
		if err != nil {
			t.Fatal(err)
		}
		file, err := statefile.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		state = file.State
	}
	var out []Outcome
	for _, step := range s.Steps {
		var r *run
		r, state = e.step(t, state, step)
		if step.Command[0] == "apply" { // the command shows the results of checks only after the apply
			r.outcome.Messages = slices.DeleteFunc(r.outcome.Messages, func(m Message) bool { return m.Summary == "Check block assertion known after apply" })
		}
		out = append(out, r.outcome)
	}
	return out
}

// step runs one step, and returns the run and the state afterwards.
func (e inProcess) step(t *testing.T, prior *states.State, step Step) (*run, *states.State) {
	t.Helper()
	server := newServer(t, step)
	addr, err := addrs.ParseProviderSourceString(ProviderSource, "")
	if err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, engine: engine.New(engine.Options{Flavor: e.flavor, Providers: map[addrs.Provider]engine.Factory{
		addr: func(context.Context) (provider.Interface, error) { return tfprotov6.NewClient(server) },
	}})}
	state := r.step(prior, step, configs.Options{Terraform: e.flavor == engine.Terraform})
	finish(t, server, &r.outcome)
	var text bytes.Buffer
	if err := statefile.Write(statefile.New(state, "scenario", 1), &text); err != nil {
		t.Fatal(err)
	}
	r.outcome.hold(t, text.Bytes())
	return r, state
}

// run is the execution of one step.
type run struct {
	t       *testing.T
	engine  *engine.Engine
	outcome Outcome
	config  *configs.Config
	plan    *plans.Plan
}

// step runs a step as the command does, records its messages and planned changes, and returns the
// state afterwards.
func (r *run) step(prior *states.State, step Step, opts configs.Options) *states.State {
	ctx := r.t.Context()
	config, problems := configs.Load(configs.Files(step.Files), ".", opts)
	if r.record(tfdiags.Diagnostics{}.Append(problems)) {
		return prior
	}
	if step.Command[0] != "import" && r.record(r.engine.Validate(ctx, config)) { // the import command does not validate
		return prior
	}
	plan, diags := r.engine.Plan(ctx, config, prior, r.options(step.Command))
	r.config, r.plan = config, plan
	if step.Command[0] != "import" {
		for _, c := range plan.Changes {
			if action := actionOf(c); action != "" {
				r.outcome.Plans = append(r.outcome.Plans, action+" "+c.Addr.String())
			}
		}
	}
	switch failed := r.record(diags); {
	case failed || step.Command[0] == "plan":
		return prior
	case step.Command[0] == "import": // the command does not apply
		return plan.PriorState
	}
	state, diags := r.engine.Apply(ctx, config, plan)
	r.record(diags)
	return state
}

// record records diagnostics and reports whether there are errors.
func (r *run) record(diags tfdiags.Diagnostics) bool {
	for _, d := range diags {
		severity := "error"
		if d.Severity == diag.Warning {
			severity = "warning"
		}
		r.outcome.Messages = append(r.outcome.Messages, NewMessage(severity, d.Address, d.Summary, d.Detail))
	}
	r.outcome.Failed = r.outcome.Failed || diags.HasErrors()
	return diags.HasErrors()
}

// options parses the options of a command.
func (r *run) options(command []string) engine.PlanOptions {
	r.t.Helper()
	opts := engine.PlanOptions{Variables: map[string]cty.Value{}}
	words := command[1:]
	switch command[0] {
	case "destroy":
		opts.Mode = plans.DestroyMode
	case "refresh":
		opts.Mode = plans.RefreshOnlyMode
	case "import":
		opts.Imports, words = []engine.ImportTarget{{Addr: r.instance(words[0]), ID: words[1]}}, nil
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "-refresh":
			opts.SkipRefresh = value == "false"
		case "-target":
			opts.Targets = append(opts.Targets, value)
		case "-replace":
			opts.ForceReplace = append(opts.ForceReplace, r.instance(value))
		case "-var":
			name, text, _ := strings.Cut(value, "=")
			opts.Variables[name] = cty.StringVal(text)
		default:
			r.t.Fatalf("unknown option %s", word)
		}
	}
	return opts
}

func (r *run) instance(text string) addrs.AbsResourceInstance {
	r.t.Helper()
	addr, err := addrs.ParseAbsResourceInstanceStr(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return addr
}

// actionOf returns the word that the command prints for a change, or "" if it prints none.
func actionOf(c *plans.ResourceInstanceChange) string {
	switch {
	case c.Action == plans.NoOp && c.Importing != nil:
		return "import"
	case c.Action == plans.NoOp && c.Moved():
		return "move"
	case c.Action == plans.NoOp:
		return ""
	case c.Action.IsReplace():
		return "replace"
	case c.Action == plans.Forget:
		return "remove"
	}
	return strings.ToLower(c.Action.String())
}
