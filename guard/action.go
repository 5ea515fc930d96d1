package guard

import (
	"context"
	"iter"
	"sync"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcInvokeAction = "InvokeAction"

var planActionRules = []Rule{
	{
		ID: "ACTION-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "Terraform rejects the response and drops the rest of it.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise leave Deferred nil, and return an error if the action cannot be planned.",
		Source: "§18, Terraform: \"Invalid deferral\"",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "ACTION-002", Subject: SubjectResponse, Title: "is deferred for a reason that actions do not have",
		Why:    "An action may wait only for the configuration of the provider.",
		Fix:    "Use the reason DeferredReasonProviderConfigUnknown, or return an error.",
		Source: "§18, Terraform: \"Invalid deferred reason\"",
		when:   succeeded, check: func(x *exchange) {
			if x.deferred != nil && x.mayDefer && x.deferred.Reason != provider.DeferredReasonProviderConfigUnknown {
				x.add(nil, "%s of %s was deferred with the reason %q.", x.rpc, x.typeName, x.deferred.Reason)
			}
		},
	},
}

var planActionCall = call[provider.PlanActionRequest, provider.PlanActionResponse]{
	rpc: "PlanAction", family: actions, rules: planActionRules, pool: new(sync.Pool),
	invoke:      provider.Interface.PlanAction,
	diagnostics: func(resp *provider.PlanActionResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.PlanActionRequest, resp *provider.PlanActionResponse) {
		x.mayDefer, x.deferred = req.ClientCapabilities.DeferralAllowed, resp.Deferred
	},
}

// PlanAction implements [provider.Interface].
func (g *guarded) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	return run(ctx, g, &planActionCall, req.ActionType, req)
}

// invokeActionRules are the rules for InvokeAction. The response of their exchanges is that
// of the call, an event, or nil at the end of the events. For the response of the call, the
// request is that of the call; otherwise, it is an *invocation.
var invokeActionRules = []Rule{
	{
		ID: "ACTION-003", Subject: SubjectResponse, Title: "ended without a completion event",
		Why:    "Terraform treats an action that just stops as successful.",
		Fix:    "Send ActionCompleted as the last event, with an error if the action failed.",
		Source: "§18 and §22, neither engine: treated as success",
		when:   succeeded, check: func(x *exchange) {
			switch resp := x.response.(type) {
			case *provider.InvokeActionResponse:
				if resp.Events == nil {
					x.add(nil, "%s of %s returned neither events nor an error.", x.rpc, x.typeName)
				}
			case nil:
				if !x.request.(*invocation).completed {
					x.add(nil, "The last event of %s was not ActionCompleted.", x.typeName)
				}
			}
		},
	},
	{
		ID: "ACTION-004", Subject: SubjectResponse, Title: "continues after the action was completed",
		Why:    "Clients do not read further events, so an error in them is lost.",
		Fix:    "Send ActionCompleted once, as the last event.",
		Source: "§18 and §21, neither engine",
		check: func(x *exchange) {
			if event, ok := x.response.(*provider.ActionEvent); ok && x.request.(*invocation).completed {
				x.add(nil, "%s of %s sent %T after ActionCompleted.", x.rpc, x.typeName, *event)
			}
		},
	},
	{
		ID: "ACTION-005", Subject: SubjectResponse, Title: "has an event of an unknown type",
		Why:    "Terraform crashes on an event of an unknown type.",
		Fix:    "Send ActionProgress and ActionCompleted as values, neither nil nor pointers.",
		Source: "§18, Terraform panics",
		check: func(x *exchange) {
			event, ok := x.response.(*provider.ActionEvent)
			if !ok || x.request.(*invocation).completed {
				return
			}
			switch (*event).(type) {
			case provider.ActionProgress, provider.ActionCompleted:
			default:
				x.add(nil, "%s of %s sent an event of type %T.", x.rpc, x.typeName, *event)
			}
		},
	},
	{
		ID: "ACTION-006", Subject: SubjectResponse, Title: "reports progress without a text",
		Why:    "The user sees an empty line.",
		Fix:    "Describe what has been done, or send nothing.",
		Source: "neither engine: shown as it is", Severity: diag.Warning,
		check: func(x *exchange) {
			if event, ok := x.response.(*provider.ActionEvent); ok && *event == (provider.ActionProgress{}) && !x.request.(*invocation).completed {
				x.add(nil, "%s of %s sent a progress event with an empty message.", x.rpc, x.typeName)
			}
		},
	},
}

var invokeActionCall = call[provider.InvokeActionRequest, provider.InvokeActionResponse]{
	rpc: rpcInvokeAction, family: actions, rules: invokeActionRules, pool: new(sync.Pool),
	invoke:      provider.Interface.InvokeAction,
	diagnostics: func(resp *provider.InvokeActionResponse) *diag.Diagnostics { return &resp.Diagnostics },
	repair:      func(*exchange, *provider.InvokeActionRequest, *provider.InvokeActionResponse) {},
}

// InvokeAction implements [provider.Interface].
func (g *guarded) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	resp := run(ctx, g, &invokeActionCall, req.ActionType, req)
	if resp.Events != nil {
		t := g.load(ctx).types[actions].of(req.ActionType)
		if t == nil {
			t = undeclared(req.ActionType)
		}
		resp.Events = g.actionEvents(ctx, t, resp.Events, resp.Diagnostics.HasErrors())
	}
	return resp
}

// invocation is the state of one action's stream of events.
type invocation struct{ completed bool }

// actionEvents returns the checked events of an action. Unless the receiver stops first,
// the last event is ActionCompleted. It is sent after all events that are read from the
// provider, because it has the diagnostics about them.
func (g *guarded) actionEvents(
	ctx context.Context, t *resourceType, events iter.Seq[provider.ActionEvent], failed bool,
) iter.Seq[provider.ActionEvent] {
	return func(yield func(provider.ActionEvent) bool) {
		var state invocation
		var end provider.ActionCompleted
		x := newExchange(rpcInvokeAction, t)
		x.request = &state
		stopped := false
		crash := follow(ctx, g, rpcInvokeAction, t.name, events, func(event provider.ActionEvent) bool {
			x.response = &event
			x.check(invokeActionRules)
			if state.completed {
				return false
			}
			switch event := event.(type) {
			case provider.ActionProgress:
				stopped = !yield(event)
			case provider.ActionCompleted:
				end, state.completed = event, true
			}
			return !stopped
		})
		if stopped {
			return
		}
		if x.response = nil; !failed && crash == nil {
			x.has = succeeded
			x.check(invokeActionRules)
		}
		x.diagnostics = end.Diagnostics
		crash = with(crash, g.checking(ctx, rpcInvokeAction, t.name, x.checkDiagnostics))
		end.Diagnostics = with(x.addTo(end.Diagnostics), crash)
		yield(end)
	}
}
