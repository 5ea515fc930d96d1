package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// Validate checks a configuration without knowing any variable or object.
func (e *Engine) Validate(ctx context.Context, config *configs.Config) tfdiags.Diagnostics {
	w := e.newWalk(ctx, validating, config)
	w.previous = states.NewState()
	w.state = states.NewState().SyncWrapper()
	return w.run(nil)
}

// Plan says what has to be done for the configuration to be true of a state, which
// is not changed. With errors the plan has what was found until then.
func (e *Engine) Plan(ctx context.Context, config *configs.Config, prior *states.State, opts PlanOptions) (*plans.Plan, tfdiags.Diagnostics) {
	if prior == nil {
		prior = states.NewState()
	}
	if opts.Mode == plans.DestroyMode && !opts.SkipRefresh && prior.HasResources() {
		return e.planDestroyRefreshed(ctx, config, prior, opts)
	}
	w := e.newWalk(ctx, planning, config)
	w.opts, w.variables = opts, opts.Variables
	w.previous = prior.DeepCopy()
	w.state = w.previous.DeepCopy().SyncWrapper()
	plan := &plans.Plan{Mode: opts.Mode, Timestamp: w.started, Variables: opts.Variables, ForceReplace: opts.ForceReplace, Targets: opts.Targets}
	diags := w.run(func(b *builder) {
		if !w.destroying() {
			return
		}
		b.keepOnly(func(v *vertex) bool { _, block := b.blocks[v.name]; return block || isOrphan(v) })
	})
	if !diags.HasErrors() && opts.Mode != plans.DestroyMode && !w.importing() {
		state := w.state.Lock()
		w.dropDataWithoutConfig(state)
		w.state.Unlock()
	}
	w.moveProblems = append(w.moveProblems, w.declaredStill()...)
	diags = append(diags, w.moveProblems...)
	if len(opts.Targets) > 0 && !opts.unconditional {
		diags = diags.Warnf("", "Resource targeting is in effect", "You are creating a plan with targets, so what it does may not be all that the configuration asks for. Plan without targets to see whether anything is left.")
	}
	if !diags.HasErrors() && opts.Mode == plans.NormalMode && len(opts.Targets) == 0 {
		diags = append(diags, w.unseenImports()...)
	}
	plan.PrevRunState, plan.PriorState = w.previous, w.snapshot()
	plan.Changes = w.changes.all()
	plan.Drift = w.drift.all()
	plan.Outputs = w.outputChanges()
	plan.Checks = w.checks.sorted()
	if w.moveProblems.HasErrors() { // then nothing of it is right
		plan.Changes, plan.Drift, plan.Outputs = nil, nil, nil
	}
	plan.Errored = diags.HasErrors()
	return plan, diags
}

// planDestroyRefreshed plans as if nothing were to be destroyed first, as core
// does: it reads what is there, data sources too, which provider configurations may
// need. Its changes are dropped.
func (e *Engine) planDestroyRefreshed(ctx context.Context, config *configs.Config, prior *states.State, opts PlanOptions) (*plans.Plan, tfdiags.Diagnostics) {
	normal := opts
	normal.Mode, normal.unconditional = plans.NormalMode, true
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

// Apply makes a plan true. The state is what is there afterwards, with errors too.
func (e *Engine) Apply(ctx context.Context, config *configs.Config, plan *plans.Plan) (*states.State, tfdiags.Diagnostics) {
	if plan.Errored {
		return plan.PriorState, tfdiags.Diagnostics{}.Errorf("", "Cannot apply incomplete plan", "The plan has errors. Plan again and apply that.")
	}
	w := e.newWalk(ctx, applying, config)
	w.plan, w.variables, w.started = plan, plan.Variables, plan.Timestamp
	w.opts = PlanOptions{Mode: plan.Mode, Variables: plan.Variables, Targets: plan.Targets}
	w.previous = plan.PriorState
	w.state = plan.PriorState.DeepCopy().SyncWrapper()
	for _, c := range plan.Changes {
		w.changes.add(c)
	}
	diags := w.run(func(b *builder) {
		b.steps()
		switch {
		case w.destroying():
			b.keepOnly(isStep)
		case e.options.Flavor == OpenTofu: // which opens again only what is needed
			b.keepOnly(func(v *vertex) bool { return b.blocks[v.name].Resource.Mode != addrs.EphemeralResourceMode })
		}
	})
	state := w.snapshot()
	w.finish(state, diags.HasErrors())
	if len(plan.Targets) > 0 {
		diags = diags.Warnf("", "Applied changes may be incomplete", "The plan was made with targets, so what the configuration asks for may not be done. Plan without targets to see whether anything is left.")
	}
	return state, diags
}

// finish drops what an apply leaves of things that are gone.
func (w *walk) finish(state *states.State, failed bool) {
	switch {
	case w.destroying() && len(w.targets) > 0: // what is left may need them
	case w.destroying() && !failed:
		for _, m := range state.Modules {
			for key, r := range m.Resources {
				if r.Addr.Resource.Mode == addrs.DataResourceMode {
					delete(m.Resources, key)
				}
			}
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
		for key, r := range m.Resources {
			if r.Addr.Resource.Mode == addrs.DataResourceMode && (config == nil || config.Module.Resources[r.Addr.Resource] == nil) {
				delete(m.Resources, key)
			}
		}
	}
}

// run builds the graph, lets arrange add to it, and walks it.
func (w *walk) run(arrange func(*builder)) tfdiags.Diagnostics {
	interrupt := w.ctx
	w.interrupted = interrupt.Err
	diags := w.begin()
	if diags.HasErrors() {
		return append(diags, w.providers.close()...)
	}
	b := &builder{walk: w, graph: newGraph(), blocks: map[string]addrs.ConfigResource{}}
	b.module(w.config)
	if w.op == planning {
		b.orphanBlocks()
		b.generatedBlocks()
	}
	b.orderFunctions()
	if b.diags.HasErrors() {
		return append(append(diags, b.diags...), w.providers.close()...)
	}
	diags = append(diags, b.diags...)
	b.diags = nil
	w.shape = findShape(b.graph, b.blocks, b.createFirst)
	if w.op == planning && !w.destroying() {
		b.importBlocks()
	}
	if arrange != nil {
		arrange(b)
	}
	b.restrictToTargets()
	told := make(chan struct{})
	finished := context.AfterFunc(interrupt, func() {
		defer close(told)
		w.providers.stop()
	})
	diags = append(diags, b.graph.walk(interrupt)...)
	diags = append(diags, b.diags...)
	if !finished() { // none is closed while it is told to stop
		<-told
	}
	diags = append(diags, w.closeEphemerals()...)
	return append(diags, w.providers.close()...)
}

// begin evaluates what is needed before there is a graph.
func (w *walk) begin() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	// Whoever stops a run asks providers to end what they do; no call is cut off.
	w.ctx = context.WithoutCancel(w.ctx)
	w.loadFunctions()
	diags = append(diags, w.parseTargets()...)
	if w.op == planning {
		diags = append(diags, w.applyMoves()...)
		w.commandImports()
	}
	return diags
}

// keepOnly leaves the vertices that are wanted, and all that these need, and makes
// the others do nothing.
func (b *builder) keepOnly(wanted func(*vertex) bool) {
	keep := b.needed(wanted)
	for _, v := range b.graph.order {
		if !keep[v] {
			v.run = nil
		}
	}
}

// needed are the vertices that are wanted, and all that these need.
func (b *builder) needed(wanted func(*vertex) bool) map[*vertex]bool {
	keep := map[*vertex]bool{}
	var need func(v *vertex)
	need = func(v *vertex) {
		if keep[v] {
			return
		}
		keep[v] = true
		for n := range v.needs {
			need(n)
		}
	}
	for _, v := range b.graph.order {
		if wanted(v) {
			need(v)
		}
	}
	return keep
}

// all are the changes in the order of their addresses.
func (s *changeSet) all() []*plans.ResourceInstanceChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Values(s.m))
	slices.SortFunc(out, func(a, b *plans.ResourceInstanceChange) int {
		return cmp.Or(cmp.Compare(a.Addr.String(), b.Addr.String()), cmp.Compare(a.DeposedKey, b.DeposedKey))
	})
	return out
}

func (c *checkResults) sorted() []plans.CheckResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.all), func(a, b plans.CheckResult) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Instance, b.Instance))
	})
}
