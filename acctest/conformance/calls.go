package conformance

import (
	"bytes"
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// planned is an answer to a request for a plan.
type planned struct {
	prior, state, identity cty.Value
	private                []byte
	replace                []cty.Path
	messages               diag.Diagnostics
	deferred, legacy       bool
}

func (p planned) refused() bool { return p.messages.HasErrors() || p.deferred }

// noop reports whether the plan changes nothing.
func (p planned) noop() bool { return objchange.Equal(p.prior, p.state) && !p.replaces() }

// replaces reports whether the change can only be made with another object. As
// for a client, only paths that really change count.
func (p planned) replaces() bool {
	if p.prior.IsNull() {
		return false
	}
	for _, path := range p.replace {
		was, is := valueAt(p.prior, path), valueAt(p.state, path)
		if was == cty.NilVal || is == cty.NilVal || !is.IsWhollyKnown() || !objchange.Equal(was, is) {
			return true
		}
	}
	return false
}

func (r *run) validate(ctx context.Context, config cty.Value) (diag.Diagnostics, error) {
	resp, err := ask(ctx, r, rpcValidate, r.p.ValidateResourceConfig, provider.ValidateResourceConfigRequest{
		TypeName: r.s.name, Config: config, ClientCapabilities: allowed,
	}, func(resp provider.ValidateResourceConfigResponse) diag.Diagnostics { return resp.Diagnostics })
	return resp.Diagnostics, err
}

const (
	rpcValidate = "ValidateResourceConfig"
	rpcPlan     = "PlanResourceChange"
	rpcApply    = "ApplyResourceChange"
	rpcRead     = "ReadResource"
	rpcImport   = "ImportResourceState"
	rpcGenerate = "GenerateResourceConfig"
	rpcUpgrade  = "UpgradeResourceState"
)

// plan asks what becomes of the object under config, a null one for its
// deletion, and judges the answer.
func (r *run) plan(ctx context.Context, prior object, config cty.Value) (planned, error) {
	proposed := config
	if !config.IsNull() {
		proposed = objchange.ProposedNew(r.s.body, prior.state, config)
	}
	resp, err := ask(ctx, r, rpcPlan, r.p.PlanResourceChange, provider.PlanResourceChangeRequest{
		TypeName: r.s.name, PriorState: prior.state, ProposedNewState: proposed, Config: config, PriorPrivate: prior.private,
		ProviderMeta: r.meta(), ClientCapabilities: allowed, PriorIdentity: prior.identity,
	}, func(resp provider.PlanResourceChangeResponse) diag.Diagnostics { return resp.Diagnostics })
	p := planned{
		prior: prior.state, state: r.orNull(resp.PlannedState), identity: r.orNullIdentity(resp.PlannedIdentity),
		private: resp.PlannedPrivate, replace: resp.RequiresReplace, messages: resp.Diagnostics,
		deferred: resp.Deferred != nil, legacy: resp.LegacyTypeSystem,
	}
	r.s.legacy = r.s.legacy || p.legacy
	if err != nil || p.refused() {
		return p, err
	}
	return p, r.judgePlan(prior, config, p)
}

func (r *run) judgePlan(prior object, config cty.Value, p planned) error {
	if config.IsNull() {
		if !p.state.IsNull() {
			return r.breaks(lawPlanValid, rpcPlan, "the plan for a deletion has an object")
		}
		return nil
	}
	if errs := p.state.Type().TestConformance(r.s.ty); len(errs) > 0 {
		return r.errs(lawPlanValid, rpcPlan, errs, nil)
	}
	if path := writeOnlyIn(r.s.body, p.state); path != nil {
		if err := r.breaks(lawWriteOnly, rpcPlan, "%s is write-only and is in the plan", diag.FormatPath(path)); err != nil {
			return err
		}
	}
	if broken := objchange.AssertPlanValid(r.s.body, prior.state, config, p.state); len(broken) > 0 && !p.legacy {
		if err := r.errs(lawPlanValid, rpcPlan, broken, r.changed(broken, config, p.state)); err != nil {
			return err
		}
	}
	for _, path := range p.replace {
		if r.s.body.AttributeByPath(path) == nil && !r.isBlock(path) {
			if err := r.breaks(lawReplace, rpcPlan, "%s is no attribute or block of %s", diag.FormatPath(path), r.s.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) isBlock(path cty.Path) bool {
	_, err := path.Apply(cty.UnknownVal(r.s.ty))
	return len(path) > 0 && err == nil
}

// changed are the differences at the places of errors.
func (r *run) changed(broken []error, want, got cty.Value) []difference {
	var found []difference
	for _, err := range broken {
		if path := pathOf(err); path != nil {
			found = append(found, difference{path, r.s.show(path, valueAt(want, path)), r.s.show(path, valueAt(got, path))})
		}
	}
	return found
}

// apply makes a plan true and judges the answer. What the answer says is
// remembered as a client would, also where a law is broken.
func (r *run) apply(ctx context.Context, p planned, config cty.Value) (diag.Diagnostics, error) {
	prior, begin := r.object, time.Now()
	resp, err := ask(ctx, r, rpcApply, r.p.ApplyResourceChange, provider.ApplyResourceChangeRequest{
		TypeName: r.s.name, PriorState: prior.state, PlannedState: p.state, Config: config, PlannedPrivate: p.private,
		ProviderMeta: r.meta(), PlannedIdentity: p.identity,
	}, func(resp provider.ApplyResourceChangeResponse) diag.Diagnostics { return resp.Diagnostics })
	r.usual += (time.Since(begin) - r.usual) / 4
	state, failed := r.orNull(resp.NewState), resp.Diagnostics.HasErrors()
	switch {
	case failed && state.IsNull():
		// What was there before is kept.
	case state.IsNull():
		r.object = r.s.nothing()
	default:
		r.object = object{state, r.orNullIdentity(resp.NewIdentity), resp.Private, failed && prior.state.IsNull()}
	}
	if err != nil {
		return resp.Diagnostics, err
	}
	if err := r.judgeApply(prior, p, state, failed, resp.LegacyTypeSystem); err != nil {
		return resp.Diagnostics, err
	}
	return resp.Diagnostics, nil
}

func (r *run) judgeApply(prior object, p planned, state cty.Value, failed, legacy bool) error {
	if !failed {
		switch {
		case p.state.IsNull() && !state.IsNull():
			return r.breaks(lawApplyResult, rpcApply, "the deletion succeeded and returned an object")
		case !p.state.IsNull() && state.IsNull():
			return r.breaks(lawApplyResult, rpcApply, "the apply succeeded and returned no object")
		}
	}
	if state.IsNull() {
		return nil
	}
	if err := r.judgeStored(rpcApply, state, r.identity, !failed); err != nil || failed {
		return err
	}
	if broken := objchange.AssertObjectCompatible(r.s.body, p.state, state); len(broken) > 0 && !legacy {
		if err := r.errs(lawApplyKeeps, rpcApply, broken, r.changed(broken, p.state, state)); err != nil {
			return err
		}
	}
	if !p.prior.IsNull() {
		return r.judgeIdentity(rpcApply, prior.identity, r.identity)
	}
	return nil
}

// read looks at the object again and judges the answer.
func (r *run) read(ctx context.Context, from object) (object, diag.Diagnostics, error) {
	resp, err := ask(ctx, r, rpcRead, r.p.ReadResource, provider.ReadResourceRequest{
		TypeName: r.s.name, PriorState: from.state, Private: from.private, ProviderMeta: r.meta(),
		ClientCapabilities: allowed, CurrentIdentity: from.identity,
	}, func(resp provider.ReadResourceResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil || resp.Diagnostics.HasErrors() {
		return from, resp.Diagnostics, err
	}
	state := r.orNull(resp.NewState)
	if state.IsNull() {
		return r.s.nothing(), nil, nil
	}
	now := object{state, r.orNullIdentity(resp.Identity), bytes.Clone(resp.Private), from.tainted}
	if err := r.judgeStored(rpcRead, state, now.identity, true); err != nil {
		return now, nil, err
	}
	return now, nil, nil
}

func (r *run) orNull(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return r.s.null()
	}
	return v
}

func (r *run) orNullIdentity(v cty.Value) cty.Value {
	if v == cty.NilVal || r.s.identity == nil {
		return r.s.nullIdentity()
	}
	return v
}
