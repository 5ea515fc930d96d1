package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/states/statefile"
)

// engineRun is a case that runs on an engine: configurations are HCL, some values come
// from other resources, and the state is encoded and decoded as a state file.
type engineRun struct {
	*checker
	s      *subject
	engine *engine.Engine
	state  *states.State
	// text is the current configuration in HCL.
	text string
	runs int
	// ended is set if the provider's process ended in a run.
	ended bool
}

// failureText is the error message of the resource that fails on purpose.
const failureText = "this resource fails on purpose"

// runOnEngine runs the steps with one object on an engine, and destroys the object.
func (w *checker) runOnEngine(ctx context.Context, s *subject, steps []step) error {
	if w.Reset != nil {
		if err := w.Reset(ctx); err != nil {
			return err
		}
	}
	h := &engineRun{checker: w, s: s, engine: w.newEngine(s), state: states.NewState()}
	err := h.steps(ctx, steps)
	if err == nil {
		err = h.destroy(ctx)
	}
	if h.ended && w.shared != nil {
		w.restart(ctx, w.shared)
	}
	if err != nil && h.state.HasResources() {
		_ = h.destroy(ctx) // the first error is returned instead
	}
	return err
}

// newEngine returns an engine with the provider. The provider's type is the prefix of the resource
// type's name.
func (w *checker) newEngine(s *subject) *engine.Engine {
	addr := addrs.Provider{Hostname: "example.test", Namespace: "conformance", Type: s.localName()}
	return engine.New(engine.Options{Flavor: w.Flavor, Providers: map[addrs.Provider]engine.Factory{
		addr: func(ctx context.Context) (provider.Interface, error) {
			if w.shared != nil {
				return unclosed{w.shared}, nil
			}
			return w.Provider(ctx)
		},
	}, Observe: func(engine.Call) { w.calls.Add(1) }})
}

func (s *subject) localName() string {
	name, _, _ := strings.Cut(s.name, "_")
	return name
}

// unclosed is an instance that is used for more than one run.
type unclosed struct{ provider.Interface }

// Close does nothing.
func (unclosed) Close() error { return nil }

func (h *engineRun) steps(ctx context.Context, steps []step) error {
	for _, step := range steps {
		var err error
		switch step.kind {
		case stepRun:
			err = h.run(ctx, step, false)
		case stepRunFails:
			err = h.run(ctx, step, true)
		default:
			err = h.importObject(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// files returns the configuration of a step. If fails is set, the configuration includes a
// resource that fails after the object was created or updated.
func (h *engineRun) files(s step, fails bool) string {
	var b strings.Builder
	name := h.s.localName()
	fmt.Fprintf(&b, "terraform {\n  required_providers {\n    %s = { source = \"example.test/conformance/%s\" }\n  }\n}\n", name, name)
	if h.Config != cty.NilVal {
		file := hclwrite.NewEmptyFile()
		lang.Writer{}.Body(file.Body().AppendNewBlock("provider", []string{name}).Body(), h.schema.Provider.Body, nil, h.Config)
		b.Write(file.Bytes())
	}
	w := &writer{s: h.s, showSensitive: true, unknown: set(s)}
	b.WriteString(w.render("this", s.config))
	if fails {
		fmt.Fprintf(&b, "resource \"terraform_data\" \"gate\" {\n  input = %d\n}\nresource \"terraform_data\" \"fails\" {\n  depends_on = [%s.this]\n"+
			"  lifecycle {\n    precondition {\n      condition     = terraform_data.gate.output < 0\n      error_message = %q\n    }\n  }\n}\n",
			h.runs, h.s.name, failureText)
	}
	return b.String()
}

func load(text string, flavor engine.Flavor) (*configs.Config, error) {
	config, diags := configs.Load(configs.Files{"main.tf": []byte(text)}, ".", configs.Options{Terraform: flavor == engine.Terraform})
	if diags.HasErrors() {
		return nil, fmt.Errorf("conformance: the generated configuration is not valid HCL: %w", diags)
	}
	return config, nil
}

// run plans and applies a configuration and checks that the next plan is empty. If fails
// is set, another resource fails in a first run, after which the object must be in the state
// and the next plan must not change it.
func (h *engineRun) run(ctx context.Context, s step, fails bool) error {
	h.runs++
	h.text = h.files(s, fails)
	diags, err := h.apply(ctx, engine.PlanOptions{})
	if err != nil {
		return err
	}
	if !fails {
		if diags.HasErrors() {
			return h.breaks("a run fails", diags)
		}
		return h.checkEmptyPlan(ctx)
	}
	if !diags.HasErrors() || !strings.Contains(diags.Error(), failureText) {
		return h.breaks("a run in which another resource fails did not end with its error", diags)
	}
	instance := h.state.ResourceInstance(h.addr())
	if !instance.HasCurrent() || instance.Current.Status != states.ObjectReady {
		return h.breaks("after another resource failed, the object is missing from the state or tainted", diags)
	}
	h.text = h.files(s, false)
	plan, diags := h.plan(ctx, engine.PlanOptions{})
	if diags.HasErrors() {
		return h.breaks("the plan after a run in which another resource failed is refused", diags)
	}
	for _, c := range plan.Changes {
		if c.Addr.Equal(h.addr()) && c.Action != plans.NoOp {
			return h.breaks(fmt.Sprintf("after another resource failed, the next plan has the action %s for the object", c.Action), nil)
		}
	}
	if diags, err = h.apply(ctx, engine.PlanOptions{}); err != nil || diags.HasErrors() {
		return h.breaks("the run after one in which another resource failed also fails", diags.Append(err))
	}
	return h.checkEmptyPlan(ctx)
}

func (h *engineRun) addr() addrs.AbsResourceInstance {
	return addrs.Resource{Mode: addrs.ManagedResourceMode, Type: h.s.name, Name: "this"}.
		Instance(addrs.NoKey).Absolute(addrs.RootModuleInstance)
}

func (h *engineRun) plan(ctx context.Context, options engine.PlanOptions) (*plans.Plan, tfdiags.Diagnostics) {
	config, err := load(h.text, h.Flavor)
	if err != nil {
		return nil, tfdiags.Diagnostics{}.Append(err)
	}
	if diags := h.engine.Validate(ctx, config); diags.HasErrors() {
		return nil, diags
	}
	return h.engine.Plan(ctx, config, h.state, options)
}

func (h *engineRun) apply(ctx context.Context, options engine.PlanOptions) (tfdiags.Diagnostics, error) {
	config, err := load(h.text, h.Flavor)
	if err != nil {
		return nil, err
	}
	plan, diags := h.plan(ctx, options)
	if diags.HasErrors() {
		return diags, nil
	}
	h.state, diags = h.engine.Apply(ctx, config, plan)
	return diags, nil
}

// checkEmptyPlan checks that the plan is empty, before and after the state is encoded and
// decoded as a state file.
func (h *engineRun) checkEmptyPlan(ctx context.Context) error {
	if err := h.empty(ctx, "after the run"); err != nil {
		return err
	}
	var file bytes.Buffer
	if err := statefile.Write(statefile.New(h.state, "conformance", 1), &file); err != nil {
		return h.breaks("the state file cannot be written: "+err.Error(), nil)
	}
	read, err := statefile.Read(&file)
	if err != nil {
		return h.breaks("the state file cannot be read: "+err.Error(), nil)
	}
	h.state = read.State
	return h.empty(ctx, "after the state was stored and read")
}

func (h *engineRun) empty(ctx context.Context, when string) error {
	plan, diags := h.plan(ctx, engine.PlanOptions{})
	if diags.HasErrors() {
		return h.breaks("the plan "+when+" is refused", diags)
	}
	for _, c := range plan.Changes {
		if c.Action == plans.NoOp {
			continue
		}
		var diffs []difference
		if c.Addr.Equal(h.addr()) {
			before, _ := c.Before.UnmarkDeep()
			after, _ := c.After.UnmarkDeep()
			diffs = h.s.differences(before, after)
		}
		err := h.breaks(fmt.Sprintf("the plan %s has the action %s for %s", when, c.Action, c.Addr), nil)
		if v, ok := errors.AsType[*violation](err); ok {
			v.differences = diffs
		}
		return err
	}
	return nil
}

// importObject removes the object from the state, imports it and, unless the type has
// StateOnly attributes, checks that the next plan is empty.
func (h *engineRun) importObject(ctx context.Context) error {
	instance := h.state.ResourceInstance(h.addr())
	if !instance.HasCurrent() {
		return nil
	}
	object, err := instance.Current.Decode(h.s.ty, h.s.identityTy)
	if err != nil {
		return h.breaks("the object in the state cannot be read: "+err.Error(), nil)
	}
	target := engine.ImportTarget{Addr: h.addr()}
	switch {
	case h.s.ImportID != nil:
		target.ID = h.s.ImportID(object.Value)
	case h.s.identity != nil:
		target.Identity = object.Identity
	default:
		return nil
	}
	h.state = h.state.DeepCopy()
	h.state.SyncWrapper().ForgetResourceInstanceAll(h.addr())
	diags, err := h.apply(ctx, engine.PlanOptions{Imports: []engine.ImportTarget{target}})
	if err != nil || diags.HasErrors() {
		return h.breaks("a run that imports the object fails", diags.Append(err))
	}
	if len(h.s.StateOnly) > 0 {
		return nil // the run may have set attributes that the provider cannot read
	}
	return h.empty(ctx, "after an import")
}

func (h *engineRun) destroy(ctx context.Context) error {
	diags, err := h.apply(ctx, engine.PlanOptions{Mode: plans.DestroyMode})
	if err != nil || diags.HasErrors() {
		return h.breaks("a run that destroys fails", diags.Append(err))
	}
	if h.state.HasResources() {
		return h.breaks("a run that destroys leaves something in the state", nil)
	}
	return nil
}

func (h *engineRun) breaks(what string, diags tfdiags.Diagnostics) error {
	law := lawEngine
	if how := diags.Crash(); how != diag.NoCrash {
		law, h.ended = crashLaw(how), h.ended || how == diag.ProcessEnded
	}
	if _, waived := h.Waive[law]; waived {
		return &rejection{op: planning}
	}
	if diags.HasErrors() {
		what += ":" + diags.Error()
	}
	return &violation{law: law, what: what}
}
