package guard

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateActionConfig is part of [provider.Interface].
func (g *guarded) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateAction, req.ActionType, g.inner.ValidateActionConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidateAction, g.load(ctx).actions.of(req.ActionType), resp.Diagnostics, crash)
	return resp
}

// PlanAction is part of [provider.Interface]. The rules for actions are in
// actionrules.go.
func (g *guarded) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	resp, crash := ask(ctx, g, rpcPlanAction, req.ActionType, g.inner.PlanAction, req)
	t := g.load(ctx).actions.of(req.ActionType)
	failed := resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcPlanAction, t, resp.Diagnostics, crash)
	if t == nil || resp.Deferred == nil || failed {
		return resp
	}
	r := newReport(rpcPlanAction, t)
	switch reason := resp.Deferred.Reason; {
	case !req.ClientCapabilities.DeferralAllowed:
		r.add(actionDeferred, nil, "%s of %s was put off for the reason %q.", rpcPlanAction, t.name, reason)
	case reason != provider.DeferredReasonProviderConfigUnknown:
		r.add(actionReason, nil, "%s of %s was put off for the reason %q.", rpcPlanAction, t.name, reason)
	}
	if r.broken() {
		resp.Deferred = nil
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
	return resp
}

// InvokeAction is part of [provider.Interface].
func (g *guarded) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	resp, crash := ask(ctx, g, rpcInvoke, req.ActionType, g.inner.InvokeAction, req)
	t := g.load(ctx).actions.of(req.ActionType)
	failed := resp.Diagnostics.HasErrors()
	resp.Diagnostics = g.messages(ctx, rpcInvoke, t, resp.Diagnostics, crash)
	switch {
	case crash != nil: // nothing came
	case resp.Events != nil:
		resp.Events = g.actionEvents(ctx, req.ActionType, t, resp.Events, failed)
	case t != nil && !failed:
		r := newReport(rpcInvoke, t)
		r.add(actionUnfinished, nil, "%s of %s answered neither events nor an error.", rpcInvoke, t.name)
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
	return resp
}

// actionEvents is the events of an action, of which the last one is always that
// of completion. It is held back until the provider has no more to say, for what
// there is to say about the stream goes with it.
func (g *guarded) actionEvents(
	ctx context.Context, name string, t *resourceType, events iter.Seq[provider.ActionEvent], failed bool,
) iter.Seq[provider.ActionEvent] {
	if t == nil {
		t = undeclared(name)
	}
	return func(yield func(provider.ActionEvent) bool) {
		r := newReport(rpcInvoke, t)
		var end provider.ActionCompleted
		completed, left := false, false
		crash := follow(ctx, g, rpcInvoke, t.name, events, func(event provider.ActionEvent) bool {
			if completed {
				r.add(actionAfterEnd, nil, "%s of %s sent %T after the action was completed.", rpcInvoke, t.name, event)
				return false
			}
			switch event := event.(type) {
			case provider.ActionProgress:
				if event.Message == "" {
					r.add(actionNoText, nil, "%s of %s sent a progress event with an empty message.", rpcInvoke, t.name)
				}
				left = !yield(event)
			case provider.ActionCompleted:
				end, completed = event, true
			default:
				r.add(actionStrange, nil, "%s of %s sent an event of the type %T.", rpcInvoke, t.name, event)
			}
			return !left
		})
		if left {
			return
		}
		if !completed && !failed && crash == nil {
			r.add(actionUnfinished, nil, "The events of %s ended, and the last one was no ActionCompleted.", t.name)
		}
		crash = with(crash, g.judging(ctx, rpcInvoke, t.name, func() { r.diagnostics(t, end.Diagnostics) }))
		end.Diagnostics = with(r.addTo(end.Diagnostics), crash)
		yield(end)
	}
}
