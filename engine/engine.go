package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// Flavor selects Terraform or OpenTofu where they differ.
type Flavor int

const (
	// OpenTofu is the default.
	OpenTofu Flavor = iota
	// Terraform is Terraform 1.14 or later.
	Terraform
)

// String returns the flavor's name.
func (f Flavor) String() string {
	if f == Terraform {
		return "Terraform"
	}
	return "OpenTofu"
}

// Factory returns a new instance of a provider. The instance is not configured.
type Factory func(ctx context.Context) (provider.Interface, error)

// Options configure an engine.
type Options struct {
	Flavor Flavor
	// Providers are the providers that configurations may use. One instance is created
	// for the schema, one for each provider configuration of each walk, and, in Terraform
	// and in a validation, one for function calls.
	Providers map[addrs.Provider]Factory
	// Parallelism is the number of objects that are processed concurrently; 0 means 10.
	Parallelism int
	// Observe, if not nil, is called after each call of a provider except Stop and Close.
	// It is called from many goroutines.
	Observe func(Call)
}

// Call is a call of a provider, as reported to Options.Observe.
type Call struct {
	// RPC is the protocol's name of the call. Object is its subject: an address, a
	// provider or the name of a function.
	RPC, Object string
	Took        time.Duration
}

// PlanOptions configure a plan.
type PlanOptions struct {
	Mode        plans.Mode
	SkipRefresh bool
	// Variables are the values of the root module's variables; the engine converts them
	// to the types of the variables. A variable without a value has its default.
	Variables    map[string]cty.Value
	ForceReplace []addrs.AbsResourceInstance
	// Targets limit the plan to objects and their dependencies; empty means all. A
	// target is the address of a module, a resource or an instance.
	Targets []string
	// Imports are objects to import as by the import command: import blocks then have no
	// effect, and the result is the plan's PriorState.
	Imports []ImportTarget
	// GenerateConfig generates resource blocks for imports whose targets have none.
	GenerateConfig bool

	// beforeDestroy is set for the refresh before a destroy: failed conditions are warnings,
	// and nothing is imported.
	beforeDestroy bool
}

// ImportTarget is an object to import, by its ID or by its identity.
type ImportTarget struct {
	Addr     addrs.AbsResourceInstance
	ID       string
	Identity cty.Value
}

// Validate checks a configuration on its own, without the values of variables and without a state.
func (e *Engine) Validate(ctx context.Context, config *configs.Config) tfdiags.Diagnostics {
	w := e.newWalk(ctx, validating, config)
	w.previous = states.NewState()
	w.state = states.NewState().SyncWrapper()
	return w.run(nil)
}

// Plan returns the changes that make a state match the configuration. prior may be nil and
// is not changed. With errors, the plan has at most the changes found so far.
func (e *Engine) Plan(ctx context.Context, config *configs.Config, prior *states.State, opts PlanOptions) (*plans.Plan, tfdiags.Diagnostics) {
	prior = cmp.Or(prior, states.NewState())
	if opts.Mode == plans.DestroyMode && !opts.SkipRefresh && !prior.Empty() {
		return e.planDestroyRefreshed(ctx, config, prior, opts)
	}
	w := e.newPlanWalk(ctx, config, prior, opts)
	plan := &plans.Plan{Mode: opts.Mode, Timestamp: w.started, Variables: opts.Variables, Targets: opts.Targets}
	diags := w.run(func(b *builder) {
		if !w.destroying() {
			return
		}
		b.keepOnly(func(v *vertex) bool {
			block, ok := b.blocks[v.name]
			_, deletion := b.deleted[v]
			return ok && block.Resource.Mode != addrs.EphemeralResourceMode || deletion
		})
	})
	if !diags.HasErrors() && opts.Mode != plans.DestroyMode && !w.importing() {
		state := w.state.Lock()
		w.dropDataWithoutConfig(state)
		w.state.Unlock()
	}
	w.moveProblems = append(w.moveProblems, w.stillDeclared()...)
	invalid := w.moveProblems.HasErrors() // the plan then has no changes
	if invalid {                          // an invalid move may be the cause of all other errors
		diags = nil
	}
	diags = append(diags, w.moveProblems...)
	if opts.Mode == plans.NormalMode && !(invalid && w.options.Flavor == Terraform) {
		unused := w.unusedImports()
		if unused.HasErrors() && w.options.Flavor == OpenTofu { // OpenTofu then reports no other errors
			invalid, diags = true, nil
		}
		diags = append(diags, unused...)
	}
	if len(opts.Targets) > 0 && !opts.beforeDestroy {
		diags = diags.Warnf("", "Resource targeting is in effect", "The plan has targets, so it may not contain all changes of the configuration. Plan without targets to see the others.")
	}
	if !diags.HasErrors() {
		diags = append(diags, w.blockedMoves...)
	}
	plan.PrevRunState, plan.PriorState = w.previous, w.snapshot()
	plan.Changes = w.changes.all()
	plan.Drift = w.drift.all()
	plan.Outputs = w.outputChanges()
	if w.destroying() {
		w.skipOutputConditions()
	}
	plan.Actions = sortedInvocations(w.invocations.items())
	plan.FunctionResults = w.functions.results
	plan.Checks = mergedChecks(w.checks.items())
	if invalid {
		plan.Changes, plan.Drift, plan.Outputs, plan.Actions = nil, nil, nil, nil
	}
	if !diags.HasErrors() && !opts.beforeDestroy {
		diags = append(diags, e.checkOrder(ctx, config, plan)...)
	}
	plan.Errored = diags.HasErrors()
	return plan, diags
}

// newPlanWalk returns a walk that plans, and does not change prior.
func (e *Engine) newPlanWalk(ctx context.Context, config *configs.Config, prior *states.State, opts PlanOptions) *walk {
	w := e.newWalk(ctx, planning, config)
	w.opts, w.variables = opts, opts.Variables
	w.previous = prior.DeepCopy()
	w.state = w.previous.DeepCopy().SyncWrapper()
	return w
}

// planDestroyRefreshed returns the plan of a destroy. As core does, it makes a normal
// plan first, which reads objects and data sources that provider configurations may need, and
// drops the changes of the normal plan.
func (e *Engine) planDestroyRefreshed(ctx context.Context, config *configs.Config, prior *states.State, opts PlanOptions) (*plans.Plan, tfdiags.Diagnostics) {
	normal := opts
	normal.Mode, normal.beforeDestroy = plans.NormalMode, true
	first, diags := e.Plan(ctx, config, prior, normal)
	if diags.HasErrors() {
		first.Mode, first.Changes, first.Outputs = plans.DestroyMode, nil, nil
		return first, diags
	}
	opts.SkipRefresh = true
	plan, diags := e.Plan(ctx, config, first.PriorState, opts)
	plan.PrevRunState, plan.Drift = first.PrevRunState, first.Drift
	return plan, diags
}

// Apply applies a plan. It returns the resulting state even if there are errors. A plan with
// Errored set is not applied.
func (e *Engine) Apply(ctx context.Context, config *configs.Config, plan *plans.Plan) (*states.State, tfdiags.Diagnostics) {
	if plan.Errored {
		return plan.PriorState, tfdiags.Diagnostics{}.Errorf("", "Cannot apply incomplete plan", "The plan has errors. Plan again and apply the new plan.")
	}
	w := e.applyWalk(ctx, config, plan)
	diags := w.run((*builder).applySteps)
	state := w.snapshot()
	w.finish(state, diags.HasErrors())
	if len(plan.Targets) > 0 {
		diags = diags.Warnf("", "Applied changes may be incomplete", "The plan has targets, so some changes of the configuration may be missing. Plan without targets to see them.")
	}
	return state, diags
}

// applyWalk returns the walk that applies a plan.
func (e *Engine) applyWalk(ctx context.Context, config *configs.Config, plan *plans.Plan) *walk {
	w := e.newWalk(ctx, applying, config)
	w.plan, w.variables, w.started = plan, plan.Variables, plan.Timestamp
	w.functions.results = maps.Clone(plan.FunctionResults)
	w.opts = PlanOptions{Mode: plan.Mode, Variables: plan.Variables, Targets: plan.Targets}
	w.previous = plan.PriorState
	w.state = plan.PriorState.DeepCopy().SyncWrapper()
	for _, c := range plan.Changes {
		w.changes.add(c)
	}
	return w
}

// applySteps adds the steps of an apply to its graph. In a destroy, it disables the vertices
// that the steps do not need; otherwise, in OpenTofu, the ephemeral resources that nothing needs.
func (b *builder) applySteps() {
	b.steps()
	switch {
	case b.destroying():
		b.keepOnly(isStep)
	case b.options.Flavor == OpenTofu: // OpenTofu opens only the needed ephemeral resources again
		b.keepOnly(func(v *vertex) bool { return b.blocks[v.name].Resource.Mode != addrs.EphemeralResourceMode })
	}
}

// checkOrder returns an error if the changes of a plan wait for each other. Only
// deletions can add cycles to those that the plan reports.
func (e *Engine) checkOrder(ctx context.Context, config *configs.Config, plan *plans.Plan) tfdiags.Diagnostics {
	if !slices.ContainsFunc(plan.Changes, func(c *plans.ResourceInstanceChange) bool { return c.Action == plans.Delete || c.Action.IsReplace() }) {
		return nil
	}
	w := e.applyWalk(ctx, config, plan)
	b, _ := w.build((*builder).applySteps) // the plan has the same diagnostics
	diags := w.providers.close()
	if b == nil {
		return diags
	}
	if c := b.graph.cycle(); c != nil {
		diags = append(diags, cycleError(c)...)
	}
	return diags
}

// finish removes obsolete data, outputs and empty resources from the state after an apply.
func (w *walk) finish(state *states.State, failed bool) {
	switch {
	case w.destroying() && len(w.targets) > 0: // the remaining objects may need the data and outputs
	case w.destroying() && !failed:
		for _, m := range state.Modules {
			maps.DeleteFunc(m.Resources, func(r addrs.Resource, _ *states.Resource) bool { return r.Mode == addrs.DataResourceMode })
		}
		clear(state.RootModule().OutputValues)
	case !w.destroying():
		for name := range state.RootModule().OutputValues {
			if w.config.Module.Outputs[name] == nil {
				state.RootModule().RemoveOutputValue(name)
			}
		}
		w.dropDataWithoutConfig(state)
	}
	state.PruneResourceHusks()
}

func (w *walk) dropDataWithoutConfig(state *states.State) {
	for _, m := range state.Modules {
		config := w.config.Descendant(m.Addr.Module())
		maps.DeleteFunc(m.Resources, func(r addrs.Resource, _ *states.Resource) bool {
			return r.Mode == addrs.DataResourceMode && (config == nil || config.Module.Resources[r] == nil)
		})
	}
}

// run builds the graph, calls arrange, which may change it, and walks it. Then it closes the
// ephemeral resources and the providers.
func (w *walk) run(arrange func(*builder)) tfdiags.Diagnostics {
	interrupt := w.ctx
	w.interrupted = interrupt.Err
	b, diags := w.build(arrange)
	if b == nil {
		return append(diags, w.providers.close()...)
	}
	stopped := make(chan struct{})
	finished := context.AfterFunc(interrupt, func() {
		defer close(stopped)
		w.providers.stop()
	})
	diags = append(diags, b.graph.walk(interrupt)...)
	diags = append(diags, b.diags...)
	if !finished() { // providers must not be closed while stop is running
		<-stopped
	}
	diags = append(diags, w.closeEphemerals(b.graph)...)
	return append(diags, w.providers.close()...)
}

// build builds the graph and calls arrange, which may change it. It returns no builder if
// the graph cannot be built.
func (w *walk) build(arrange func(*builder)) (*builder, tfdiags.Diagnostics) {
	diags := w.begin()
	if diags.HasErrors() {
		return nil, diags
	}
	b := &builder{walk: w, graph: newGraph(), blocks: map[string]addrs.ConfigResource{}, actions: map[string]*block{}, instanceGates: map[*vertex]instanceGate{}, deleted: map[*vertex]addrs.AbsResourceInstance{}, deletedNeeds: map[*vertex][]addrs.ConfigResource{}}
	if w.op == applying {
		b.triggered = indexInvocations(w.plan.Actions)
	}
	b.module(w.config)
	switch {
	case w.op != planning:
	case w.destroying():
		b.deletions()
	default:
		b.orphanBlocks()
		b.generatedBlocks()
	}
	b.orderFunctions()
	if b.diags.HasErrors() {
		return nil, append(diags, b.diags...)
	}
	diags = append(diags, b.diags...)
	b.diags = nil
	if w.op == applying && w.options.Flavor == OpenTofu {
		b.forgottenBlocks()
	}
	w.deps = b.findDependencies()
	b.importBlocks()
	if arrange != nil {
		arrange(b)
	}
	b.dropUnusedProviders()
	b.restrictToTargets()
	return b, diags
}

// begin loads the functions and parses the targets. In a plan, it also moves objects and adds the
// imports of the options.
func (w *walk) begin() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	// If a run is stopped, Stop is called on its providers; other calls are not canceled.
	w.ctx = context.WithoutCancel(w.ctx)
	w.loadFunctions()
	diags = append(diags, w.parseTargets()...)
	if w.op == planning {
		if problems := w.importsWithoutBlock(); problems.HasErrors() {
			return append(diags, problems...)
		}
		diags = append(diags, w.applyMoves()...)
		w.commandImports()
	}
	return diags
}

// keepOnly disables all vertices except the wanted ones and their dependencies.
func (b *builder) keepOnly(wanted func(*vertex) bool) {
	keep := b.needed(wanted)
	for _, v := range b.graph.order {
		if !keep[v] {
			v.run = nil
		}
	}
}

// needed returns the wanted vertices, their dependencies, and the actions that the
// changes of needed resource blocks trigger.
func (b *builder) needed(wanted func(*vertex) bool) map[*vertex]bool {
	keep := map[*vertex]bool{}
	var need func(v *vertex)
	need = func(v *vertex) {
		if v == nil || keep[v] {
			return
		}
		keep[v] = true
		for n := range v.needs {
			need(n)
		}
		need(b.graph.get(v.name + actionsSuffix))
	}
	for _, v := range b.graph.order {
		if wanted(v) {
			need(v)
		}
	}
	return keep
}

// mergedChecks returns one result for each instance, sorted by kind, object and instance: the worst
// status of its conditions, and their problems, sorted as in core.
func mergedChecks(all []plans.CheckResult) []plans.CheckResult {
	slices.SortFunc(all, func(a, b plans.CheckResult) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Instance, b.Instance))
	})
	var out []plans.CheckResult
	for _, r := range all {
		last := len(out) - 1
		if last < 0 || out[last].Kind != r.Kind || out[last].Instance != r.Instance {
			out = append(out, r)
			continue
		}
		out[last].Problems = append(out[last].Problems, r.Problems...)
		if worse(r.Status, out[last].Status) {
			out[last].Status = r.Status
		}
	}
	for _, r := range out {
		slices.Sort(r.Problems)
	}
	return out
}
