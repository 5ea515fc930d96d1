package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// PlanResourceChange is part of [provider.Interface]. Its rules are in
// planrules.go.
func (g *guarded) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	resp, crash := ask(ctx, g, rpcPlan, req.TypeName, g.inner.PlanResourceChange, req)
	if crash != nil {
		return unplanned(&req, crash)
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcPlan, req.TypeName, func() { judgePlan(t, &req, &resp) }); crash != nil {
		return unplanned(&req, with(resp.Diagnostics, crash))
	}
	return resp
}

// judgePlan follows the order of both engines: deferral, the provider's own
// errors, the planned object, replacement, identity. An object that is put off
// is not judged, for nobody will act on it.
func judgePlan(t *resourceType, req *provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
	r := newReport(rpcPlan, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if resp.Deferred != nil && !failed && !req.ClientCapabilities.DeferralAllowed {
		r.add(planDeferred, nil, "%s of %s was put off for the reason %q.", rpcPlan, t.name, resp.Deferred.Reason)
	}
	if resp.LegacyTypeSystem {
		r.add(planLegacy, nil, "%s of %s set LegacyTypeSystem.", rpcPlan, t.name)
	}
	if !failed && r.lawfulSchema(t) {
		switch {
		case resp.Deferred != nil:
		case req.ProposedNewState.IsNull():
			r.destroyed(t, resp)
		default:
			r.planned(t, req, resp)
		}
		r.plannedIdentity(t, req, resp)
		if resp.Deferred == nil && len(req.PriorPrivate) > 0 && resp.PlannedPrivate == nil {
			r.add(planPrivateLost, nil, "%s of private data came with the request, and %s of %s planned none.", diag.Count(len(req.PriorPrivate), "byte"), rpcPlan, t.name)
		}
	}
	if r.broken() {
		*resp = unplanned(req, resp.Diagnostics)
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

func (r *report) destroyed(t *resourceType, resp *provider.PlanResourceChangeResponse) {
	if !resp.PlannedState.IsNull() {
		r.add(planDestroyed, nil, "The object of %s was to be destroyed, and %s planned %s.", t.name, rpcPlan, describe(resp.PlannedState, true))
	}
}

// planned judges the planned object of a create or an update. As in both
// engines a plan that is wrong by itself is not compared with anything.
func (r *report) planned(t *resourceType, req *provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
	planned := resp.PlannedState
	if planned.IsNull() {
		r.add(planNull, nil, "%s of %s planned null for an object that is configured.", rpcPlan, t.name)
		return
	}
	if !t.state.conforms(planned) {
		if len(secrets(t.schema, planned)) > 0 {
			r.secrets(t, planned, planSecret)
		} else {
			r.misfits(t, planned, planMisfit)
		}
		return
	}
	switch found := t.state.flawsInPlan(planned); {
	case found&holdsSecret != 0:
		r.secrets(t, planned, planSecret)
		return
	case found&holdsMark != 0:
		r.misfits(t, planned, planMisfit)
		return
	}
	if errs := objchange.AssertPlanValid(t.schema, req.PriorState, req.Config, planned); len(errs) > 0 {
		for _, err := range errs {
			r.unlawfulPlan(t, req, planned, err)
		}
		return
	}
	if !req.PriorState.IsNull() { // a create has nothing to replace, so clients ignore the paths
		for _, path := range resp.RequiresReplace {
			path = sendable(r.starred(path))
			if valueAt(req.PriorState, path) == cty.NilVal && valueAt(planned, path) == cty.NilVal {
				r.add(planReplacePath, path, "%s of %s requires replacement for %q.", rpcPlan, t.name, diag.FormatPath(r.shownPart(path)))
			}
		}
	}
}

// unlawfulPlan finds the rule that a violation is about.
func (r *report) unlawfulPlan(t *resourceType, req *provider.PlanResourceChangeRequest, planned cty.Value, err error) {
	path, reason := pathOf(err)
	prior, config, plan := valueAt(req.PriorState, path), valueAt(req.Config, path), valueAt(planned, path)
	rule := planValue
	switch {
	case t.schema.AttributeByPath(path) == nil:
		rule = planBlock
	case config.IsNull():
		rule = planUnset
	case !plan.IsKnown():
		rule = planUnknown
	}
	r.add(rule, path, "%s: %s.\nConfigured: %s. Prior: %s. Planned: %s.", r.where(ruleOf(rule), r.shownPart(path)), reason,
		r.describe(path, config), r.describe(path, prior), r.describe(path, plan))
}

// plannedIdentity judges the planned identity of any plan.
func (r *report) plannedIdentity(t *resourceType, req *provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
	if !r.identity(t, resp.PlannedIdentity, identityRules{planIdentityUnknown, planIdentityMisfit, planIdentityUnexpected}) {
		return
	}
	if t.identity == nil || req.PriorState.IsNull() || resp.PlannedIdentity.IsNull() {
		return
	}
	if len(resp.RequiresReplace) > 0 && replaces(req.PriorState, resp.PlannedState, resp.RequiresReplace) {
		return // another object, which may have another identity
	}
	r.sameIdentity(t, req.PriorIdentity, resp.PlannedIdentity, planIdentityChanged)
}

// replaces reports whether one of the paths makes the change a replacement: the
// values there differ or may differ.
func replaces(prior, planned cty.Value, paths []cty.Path) bool {
	for _, path := range paths {
		was, is := valueAt(prior, path), valueAt(planned, path)
		if was == cty.NilVal && is == cty.NilVal {
			continue
		}
		if was == cty.NilVal || is == cty.NilVal || !is.IsWhollyKnown() || !objchange.Equal(was, is) {
			return true
		}
	}
	return false
}

// unplanned answers that nothing would change.
func unplanned(req *provider.PlanResourceChangeRequest, messages diag.Diagnostics) provider.PlanResourceChangeResponse {
	return provider.PlanResourceChangeResponse{
		PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity, Diagnostics: messages,
	}
}
