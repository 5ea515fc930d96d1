package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Suffixes of the names of vertices. A vertex with actionsSuffix plans the actions of a
// resource block. Those with beforeActions and afterActions invoke the actions of a change.
const (
	actionsSuffix = " (actions)"
	beforeActions = " (actions before)"
	afterActions  = " (actions after)"
)

// sortedInvocations sorts invocations in place, by object, trigger, action and event, and returns
// them.
func sortedInvocations(all []*plans.ActionInvocation) []*plans.ActionInvocation {
	slices.SortStableFunc(all, func(a, b *plans.ActionInvocation) int {
		return cmp.Or(cmp.Compare(a.Trigger.String(), b.Trigger.String()), cmp.Compare(a.TriggerIndex, b.TriggerIndex),
			cmp.Compare(a.ActionIndex, b.ActionIndex), cmp.Compare(b.Event, a.Event)) // before_… events come first
	})
	return all
}

// action adds the vertex of an action block. The vertex validates the block or evaluates the
// configuration of each instance, triggered or not, after the vertices of the declarations that
// the block refers to.
func (b *builder) action(config *configs.Config, r *configs.Resource) *vertex {
	name := prefixed(config.Path, r.Addr.String())
	provider, configured := b.providerOf(config, r.ProviderConfigRef, r.Addr.Absolute(config.Path.UnkeyedInstance()).String())
	schema := b.schemaOf(r, provider)
	v := b.graph.add(name, nil)
	b.graph.connect(v, configured)
	if schema == nil {
		return v
	}
	action := &block{walk: b.walk, config: config, resource: r, provider: provider, schema: schema}
	b.actions[name] = action
	v.run = action.validate
	if b.op != validating {
		v.run = func() tfdiags.Diagnostics {
			nodes, diags := action.expandAll()
			for _, n := range nodes {
				_, moreDiags := n.actionConfig()
				diags = append(diags, moreDiags...)
			}
			return diags
		}
	}
	b.needsBody(v, config, r.Config, schema.Body)
	b.needsExpr(v, config, r.Count)
	b.needsExpr(v, config, r.ForEach)
	return v
}

// needsActions makes the vertex of a block wait, in a plan, for the references in conditions of
// triggers with an event before a change. In an apply, it makes the vertex wait for the actions to
// invoke before changes, and for the references in the conditions of their triggers. The resources
// that these conditions and actions refer to become dependencies of the objects of the block.
func (b *builder) needsActions(bl *block, v *vertex) {
	gate := b.graph.add(v.name+" (triggers)", nil)
	switch b.op {
	case planning:
		for _, trigger := range bl.resource.Managed.ActionTriggers {
			if slices.ContainsFunc(trigger.Events, isBefore) {
				b.needsExpr(gate, bl.config, trigger.Condition)
			}
		}
	case applying:
		for _, i := range b.triggered[v.name] {
			if isBefore(i.Event) {
				b.needsExpr(gate, bl.config, bl.resource.Managed.ActionTriggers[i.TriggerIndex].Condition)
				b.graph.connect(gate, b.graph.get(i.Action.ConfigResource().String()))
			}
		}
	case validating:
	}
	b.graph.connect(v, gate)
}

func isBefore(event string) bool { return strings.HasPrefix(event, "before_") }

// planActions adds the vertex that plans the actions that changes of a block trigger, in a
// normal plan.
func (b *builder) planActions(bl *block, planned *vertex) {
	triggers := bl.resource.Managed.ActionTriggers
	if b.op != planning || b.opts.Mode != plans.NormalMode || b.opts.beforeDestroy || b.importing() {
		return
	}
	if len(triggers) == 0 {
		return
	}
	v := b.graph.add(planned.name+actionsSuffix, func() tfdiags.Diagnostics {
		var diags tfdiags.Diagnostics
		for _, c := range b.changes.ofResource(bl.addr()) {
			if !b.objects.has(c.Addr) { // a deleted object triggers nothing
				continue
			}
			for i := range triggers {
				diags = append(diags, b.planTrigger(bl, c, i)...)
			}
		}
		return diags
	})
	b.graph.connect(v, planned)
	for _, trigger := range triggers {
		b.needsExpr(v, bl.config, trigger.Condition)
		for _, ref := range trigger.Actions {
			b.graph.connect(v, b.graph.get(prefixed(bl.config.Path, ref.Action.Resource.String())))
		}
	}
}

// triggeredEvents returns the events of a change.
func triggeredEvents(action plans.Action) []string {
	switch {
	case action == plans.Create || action.IsReplace():
		return []string{"before_create", "after_create"}
	case action == plans.Update:
		return []string{"before_update", "after_update"}
	default:
		return nil
	}
}

// planTrigger plans the actions of one trigger for a change.
func (b *builder) planTrigger(bl *block, c *plans.ResourceInstanceChange, index int) tfdiags.Diagnostics {
	trigger := bl.resource.Managed.ActionTriggers[index]
	var nodes []*node
	for _, ref := range trigger.Actions {
		n, diags := b.actionNode(bl.config, ref, c.Addr.Module)
		if diags.HasErrors() {
			return diags
		}
		nodes = append(nodes, n)
	}
	events := slices.DeleteFunc(triggeredEvents(c.Action), func(event string) bool { return !slices.Contains(trigger.Events, event) })
	if len(events) == 0 {
		return nil
	}
	if trigger.Condition != nil {
		wanted, diags := b.triggerCondition(bl.config, c.Addr, trigger)
		if diags.HasErrors() || !wanted {
			return diags
		}
	}
	var diags tfdiags.Diagnostics
	for i, n := range nodes {
		config, moreDiags := n.plan(trigger.Actions[i].Range)
		diags = append(diags, moreDiags...)
		if moreDiags.HasErrors() {
			continue
		}
		for _, event := range events {
			b.invocations.add(&plans.ActionInvocation{
				Action: n.addr, Provider: n.provider.addr, Trigger: c.Addr, Event: event, TriggerIndex: index, ActionIndex: i, Config: config,
			})
		}
	}
	return diags
}

// triggerCondition evaluates the condition of a trigger. The condition must be known and not null.
// If the trigger has an event before a change, the condition cannot refer to each, count or self.
func (b *builder) triggerCondition(config *configs.Config, addr addrs.AbsResourceInstance, trigger *configs.ActionTrigger) (bool, tfdiags.Diagnostics) {
	condition := trigger.Condition
	if slices.ContainsFunc(trigger.Events, isBefore) {
		for _, ref := range condition.Variables() {
			if name := map[string]string{"each": "Each", "count": "Count", "self": "Self"}[ref.RootName()]; name != "" {
				return false, errorAt(ref.SourceRange(), name+" reference not allowed", "The condition of an action_trigger with an event before the change cannot refer to "+ref.RootName()+".")
			}
		}
	}
	v, diags := b.scope(addr.Module, config).repeated(b.objects.repetition(addr)).expr(condition, cty.Bool)
	v, _ = v.Unmark()
	switch {
	case diags.HasErrors():
	case !v.IsKnown():
		diags = append(diags, errorAt(condition.Range(), "Condition must be known", "The condition of an action_trigger has an unknown value.")...)
	case v.IsNull():
		diags = append(diags, errorAt(condition.Range(), "Invalid condition", "The condition of an action_trigger must not be null.")...)
	default:
		return v.True(), diags
	}
	return false, diags.WithAddress(addr.String())
}

// actionNode returns the node of an instance of an action.
func (b *builder) actionNode(config *configs.Config, ref configs.ActionReference, module addrs.ModuleInstance) (*node, tfdiags.Diagnostics) {
	action := b.actions[prefixed(config.Path, ref.Action.Resource.String())]
	addr := ref.Action.Absolute(module)
	if action == nil || !b.objects.has(addr) {
		return nil, errorAt(ref.Range, "Reference to non-existent action instance", "There is no "+addr.String()+".")
	}
	return action.instanceNode(addr)
}

// plan evaluates the configuration of an action and calls the provider to plan it
// (docs/checks.md §18). It returns the configuration to store, with null for ephemeral values.
// where is the reference in the trigger.
func (n *node) plan(where hcl.Range) (cty.Value, tfdiags.Diagnostics) {
	config, diags := n.actionConfig()
	if diags.HasErrors() {
		return config, diags
	}
	unmarked, _ := config.UnmarkDeep()
	resp := call(n.ctx, n.Engine, "PlanAction", n.text, n.provider.PlanAction, provider.PlanActionRequest{
		ActionType: n.addr.Resource.Resource.Type, Config: unmarked, ClientCapabilities: capabilities,
	})
	diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	stored, _ := cty.Transform(config, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.HasMark(lang.Ephemeral) {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	return stored, append(diags, n.actionDiags("Failed to plan action", where, resp.Diagnostics)...)
}

// actionConfig evaluates the configuration of an action.
func (n *node) actionConfig() (cty.Value, tfdiags.Diagnostics) {
	v, diags := n.scope().body(n.block.Config, n.schema.Body)
	return v, append(diags, n.refuseEphemeral(v)...)
}

// actionDiags converts diagnostics of an action. Errors get the given summary and source
// range; their own summary becomes part of the detail.
func (n *node) actionDiags(summary string, where hcl.Range, d diag.Diagnostics) tfdiags.Diagnostics {
	out := n.providerDiags(d)
	for i := range out {
		if out[i].Severity == diag.Error {
			out[i].Detail = strings.TrimSuffix(out[i].Summary+": "+out[i].Detail, ": ")
			out[i].Summary, out[i].Subject, out[i].Address = summary, &where, ""
		}
	}
	return out
}

// invokeActions adds the vertices that invoke the actions of a change. The change waits for
// its before_… actions, and its after_… actions wait until the object is created or updated.
// Objects that use the changed object do not wait for its after_… actions.
func (b *builder) invokeActions(s *step) {
	if s.create == nil {
		return
	}
	var before, after []*plans.ActionInvocation
	for _, i := range b.triggered[s.change.Addr.String()] {
		if isBefore(i.Event) {
			before = append(before, i)
		} else {
			after = append(after, i)
		}
	}
	if v := b.invoked(s, before, beforeActions); v != nil {
		b.graph.connect(s.create, v)
		b.graph.connect(s.delete, v)
	}
	if v := b.invoked(s, after, afterActions); v != nil {
		b.graph.connect(v, s.create)
	}
}

// indexInvocations returns the planned invocations by object, and by resource block.
func indexInvocations(all []*plans.ActionInvocation) map[string][]*plans.ActionInvocation {
	index := map[string][]*plans.ActionInvocation{}
	for _, i := range all {
		object, block := i.Trigger.String(), i.Trigger.ConfigResource().String()
		index[object] = append(index[object], i)
		if block != object {
			index[block] = append(index[block], i)
		}
	}
	return index
}

// invoked adds the vertex that invokes the actions one after the other, up to the first
// error. It returns nil if there are none.
func (b *builder) invoked(s *step, all []*plans.ActionInvocation, suffix string) *vertex {
	if len(all) == 0 {
		return nil
	}
	v := b.graph.add(s.change.Addr.String()+suffix, func() tfdiags.Diagnostics {
		var diags tfdiags.Diagnostics
		for _, i := range all {
			if diags = append(diags, b.invoke(i)...); diags.HasErrors() {
				break
			}
		}
		return diags
	})
	for _, i := range all {
		b.graph.connect(v, b.graph.get(i.Action.ConfigResource().String()))
	}
	return v
}

// invoke evaluates the configuration of an action and calls the provider to invoke the action
// (docs/checks.md §18).
func (b *builder) invoke(i *plans.ActionInvocation) tfdiags.Diagnostics {
	config := b.config.Descendant(i.Trigger.Module.Module())
	ref := config.Module.Resources[i.Trigger.Resource.Resource].Managed.ActionTriggers[i.TriggerIndex].Actions[i.ActionIndex]
	n, diags := b.actionNode(config, ref, i.Trigger.Module)
	if diags.HasErrors() {
		return diags
	}
	return n.withSlot(func() tfdiags.Diagnostics {
		config, diags := n.actionConfig()
		if diags.HasErrors() {
			return diags
		}
		unmarked, _ := config.UnmarkDeep()
		if !unmarked.IsWhollyKnown() {
			return append(diags, errorAt(ref.Range, "Action configuration unknown during apply", "The configuration of "+n.text+" has values that are still unknown during the apply.")...)
		}
		// The events are read inside of the call, which measures the duration and recovers panics.
		invoke := func(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
			resp := n.provider.InvokeAction(ctx, req)
			if resp.Events == nil {
				resp.Diagnostics = notStreamed(resp.Diagnostics, "InvokeAction", "events")
				return resp
			}
			for event := range resp.Events {
				if done, ok := event.(provider.ActionCompleted); ok {
					resp.Diagnostics = append(resp.Diagnostics, done.Diagnostics...)
				}
			}
			return resp
		}
		resp := call(n.ctx, n.Engine, "InvokeAction", n.text, invoke, provider.InvokeActionRequest{
			ActionType: n.addr.Resource.Resource.Type, Config: unmarked, ClientCapabilities: capabilities,
		})
		return append(diags, n.actionDiags("Error when invoking action", ref.Range, resp.Diagnostics)...)
	})
}
