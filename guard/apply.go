package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ApplyResourceChange is part of [provider.Interface]. Its rules are in
// applyrules.go, and in salvage.go is what becomes of an answer that broke one.
func (g *guarded) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	resp, crash := ask(ctx, g, rpcApply, req.TypeName, g.inner.ApplyResourceChange, req)
	if crash != nil {
		return provider.ApplyResourceChangeResponse{
			NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity, Diagnostics: crash,
		}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcApply, req.TypeName, func() { judgeApply(t, &req, &resp) }); crash != nil {
		resp.NewState = t.salvage(&req, resp.NewState)
		resp.Diagnostics = with(resp.Diagnostics, crash)
	}
	return resp
}

// judgeApply follows the order of both engines: identity, the new state by
// itself, and, if nothing was wrong so far, what was promised.
func judgeApply(t *resourceType, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
	r := newReport(rpcApply, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if r.lawfulSchema(t) {
		usable := r.identity(t, resp.NewIdentity, identityRules{applyIdentityUnknown, applyIdentityMisfit, applyIdentityUnexpected})
		if !usable {
			resp.NewIdentity = cty.NilVal
		}
		r.applied(t, req, resp, failed)
		if !resp.NewState.IsNull() && !req.PlannedState.IsNull() {
			r.applyKeeps(t, req, resp, failed, usable)
		}
	}
	if resp.LegacyTypeSystem {
		r.add(applyLegacy, nil, "%s of %s set LegacyTypeSystem.", rpcApply, t.name)
		resp.LegacyTypeSystem = false
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// applied judges the new state and makes it fit to be stored.
func (r *report) applied(t *resourceType, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse, failed bool) {
	destroy := req.PlannedState.IsNull()
	switch t.judgeApplied(resp.NewState) {
	case misfit:
		r.misfits(t, resp.NewState, applyMisfit)
		resp.NewState = t.salvage(req, resp.NewState)
		return
	case secretInside:
		r.secrets(t, resp.NewState, applySecret)
		resp.NewState = cty.UnknownAsNull(withoutSecrets(t.schema, resp.NewState))
		return
	case unknownInside:
		r.unknownParts(t, resp.NewState, applyUnknown)
		resp.NewState = cty.UnknownAsNull(resp.NewState)
		return
	}
	if failed || r.broken() {
		return
	}
	switch gone := resp.NewState.IsNull(); {
	case destroy && !gone:
		r.add(applyDestroyed, nil, "The object of %s was to be destroyed, and %s answered that it is still there, without an error.", t.name, rpcApply)
	case destroy:
	case gone:
		r.add(applyNull, nil, "The object of %s was planned, and %s answered null without an error.", t.name, rpcApply)
	default:
		for _, err := range objchange.AssertObjectCompatible(t.schema, req.PlannedState, resp.NewState) {
			r.brokenPromise(t, req, resp.NewState, err)
		}
	}
}

// judgeApplied is judgeState in the order of an apply: type, write-only
// attributes, unknown parts.
func (t *resourceType) judgeApplied(v cty.Value) verdict {
	switch {
	case !t.state.conforms(v):
		return misfit
	case v.IsNull():
		return lawful
	}
	switch found := t.state.flawsOf(v); {
	case found == 0:
		return lawful
	case found&holdsMark != 0:
		return misfit
	case found&holdsSecret != 0:
		return secretInside
	default:
		return unknownInside
	}
}

// brokenPromise finds the rule that a violation is about.
func (r *report) brokenPromise(t *resourceType, req *provider.ApplyResourceChangeRequest, actual cty.Value, err error) {
	path, reason := pathOf(err)
	was, is := valueAt(req.PlannedState, path), valueAt(actual, path)
	rule := applyChanged
	switch {
	case t.schema.AttributeByPath(path) == nil:
		rule = applyBlock
	case was != cty.NilVal && !was.IsKnown():
		rule = applyOutOfRange
	}
	r.add(rule, path, "%s: %s.\nPlanned: %s. Came back: %s.", r.where(ruleOf(rule), r.shownPart(path)), reason,
		r.describe(path, was), r.describe(path, is))
}

// applyKeeps judges whether an object that exists keeps what belongs to it. What
// an update leaves out is carried over from the plan. For an update that failed
// this is not an error: its own errors say what is wrong.
func (r *report) applyKeeps(t *resourceType, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse, failed, usable bool) {
	update := !req.PriorState.IsNull()
	switch {
	case t.identity == nil:
	case !usable || t.identity.absent(resp.NewIdentity):
		if usable && !failed {
			r.add(applyIdentityMissing, nil, "%s of %s answered an object without its identity.", rpcApply, t.name)
		}
		if update && !req.PlannedIdentity.IsNull() && t.identity.storable(req.PlannedIdentity) {
			resp.NewIdentity = req.PlannedIdentity
		}
	case !failed:
		r.completeIdentity(t, resp.NewIdentity, applyIdentityIncomplete)
		if update {
			r.sameIdentity(t, req.PlannedIdentity, resp.NewIdentity, applyIdentityChanged)
		}
	}
	if update && len(req.PlannedPrivate) > 0 && resp.Private == nil {
		if !failed {
			r.add(applyPrivateLost, nil, "%s of private data came with the request, and %s of %s answered none.", diag.Count(len(req.PlannedPrivate), "byte"), rpcApply, t.name)
		}
		resp.Private = req.PlannedPrivate
	}
}
