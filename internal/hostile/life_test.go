package hostile_test

import (
	"context"
	"math/rand/v2"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// life sends a sequence of requests about a managed object, like a client: the
// requests of live have the values of earlier responses.
type life struct {
	*world
	ctx      context.Context
	r        *rand.Rand
	typeName string
	body     *configschema.Block
	caps     provider.ClientCapabilities

	state, identity cty.Value
	private         []byte
	tainted         bool
	// validOnly means that requests are not changed, so that guarantees for clients
	// are checked too.
	validOnly bool
}

func (w *world) life(ctx context.Context, r *rand.Rand, typeName string) *life {
	l := &life{world: w, ctx: ctx, r: r, typeName: typeName, body: w.schema.ResourceTypes[typeName].Body, validOnly: true}
	l.caps = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true, DeferralAllowed: oneIn(r, 4)}
	l.forget()
	return l
}

func (l *life) null() cty.Value { return cty.NullVal(l.body.ImpliedType()) }

func (l *life) nullIdentity() cty.Value {
	if ty, ok := l.judge.identities[l.typeName]; ok {
		return cty.NullVal(ty)
	}
	return cty.NilVal
}

func (l *life) forget() {
	l.state, l.identity, l.private, l.tainted = l.null(), l.nullIdentity(), nil, false
}

// meta returns a random provider_meta of the module, which may be null, or NilVal if the provider has no schema for it.
func (l *life) meta() cty.Value {
	switch body := l.schema.ProviderMeta.Body; {
	case body == nil:
		return cty.NilVal
	case oneIn(l.r, 2):
		return cty.NullVal(body.ImpliedType())
	default:
		return configOf(l.r, body)
	}
}

// live performs at least one random operation on an object, and at most the given
// number.
func (l *life) live(most int) {
	for range 1 + l.r.IntN(most) {
		switch l.r.IntN(10) {
		case 0:
			l.destroy()
		case 1, 2:
			l.read()
		case 3:
			l.adopt()
		case 4:
			l.upgrade()
		case 5:
			l.kind.disturb(l)
		default:
			l.apply(configOf(l.r, l.body))
		}
	}
}

// apply validates, plans and applies a configuration.
func (l *life) apply(config cty.Value) {
	if l.tainted {
		l.destroy()
	}
	if l.validate(config).HasErrors() {
		return
	}
	meta := l.meta()
	early := cty.NilVal
	if oneIn(l.r, 3) {
		// The first plan has unknown values.
		vague := blur(l.r, config)
		if l.validate(vague).HasErrors() {
			return
		}
		plan := l.plan(l.state, l.private, l.identity, vague, meta)
		if !plan.Diagnostics.HasErrors() && plan.Deferred == nil {
			early = plan.PlannedState
		}
	}
	plan := l.plan(l.state, l.private, l.identity, config, meta)
	if plan.Diagnostics.HasErrors() || plan.Deferred != nil {
		return
	}
	replaced := l.replaces(plan)
	if early != cty.NilVal && !replaced && l.validOnly {
		for _, err := range objchange.AssertObjectCompatible(l.body, early, plan.PlannedState) {
			l.judge.fail("the second plan of %s contradicts the first plan: %v\nfirst %#v\nthen %#v\nconfig %#v", l.typeName, err, early, plan.PlannedState, config)
		}
	}
	if replaced {
		second := l.plan(l.null(), plan.PlannedPrivate, plan.PlannedIdentity, config, meta)
		if second.Diagnostics.HasErrors() || second.Deferred != nil {
			return
		}
		if l.do(l.null(), cty.NullVal(l.body.ImpliedType()), second.PlannedPrivate, l.nullIdentity(), meta); !l.state.IsNull() {
			return
		}
		plan = second
	}
	if objchange.Equal(plan.PlannedState, l.state) {
		return // nothing to do
	}
	done := l.do(plan.PlannedState, config, plan.PlannedPrivate, plan.PlannedIdentity, meta)
	if done.Diagnostics.HasErrors() || !l.validOnly || l.r.IntN(2) == 0 {
		return
	}
	// A second plan changes nothing, with or without a refresh.
	if l.r.IntN(2) == 0 {
		l.read()
	}
	again := l.plan(l.state, l.private, l.identity, config, meta)
	if !again.Diagnostics.HasErrors() && again.Deferred == nil && !objchange.Equal(again.PlannedState, l.state) {
		l.judge.fail("the plan after an apply of %s changes the object with the same configuration:\nconfig %#v\nstate %#v\nplan %#v", l.typeName, config, l.state, again.PlannedState)
	}
}

func (l *life) validate(config cty.Value) diag.Diagnostics {
	return l.client.ValidateResourceConfig(l.ctx, provider.ValidateResourceConfigRequest{
		TypeName: l.typeName, Config: config, ClientCapabilities: l.caps,
	}).Diagnostics
}

func (l *life) plan(prior cty.Value, private []byte, identity, config, meta cty.Value) provider.PlanResourceChangeResponse {
	proposed := config // null for a destroy
	if !config.IsNull() {
		proposed = objchange.ProposedNew(l.body, prior, config)
	}
	return l.client.PlanResourceChange(l.ctx, provider.PlanResourceChangeRequest{
		TypeName: l.typeName, PriorState: prior, Config: config, PriorPrivate: private, PriorIdentity: identity,
		ProposedNewState: proposed, ProviderMeta: meta, ClientCapabilities: l.caps,
	})
}

// replaces reports whether a plan requires a replacement.
func (l *life) replaces(plan provider.PlanResourceChangeResponse) bool {
	if l.state.IsNull() {
		return false
	}
	for _, path := range plan.RequiresReplace {
		was, err := path.Apply(l.state)
		is, err2 := path.Apply(plan.PlannedState)
		if err != nil || err2 != nil || !is.IsWhollyKnown() || !objchange.Equal(was, is) {
			return true
		}
	}
	return false
}

// do applies a plan and stores the response.
func (l *life) do(planned, config cty.Value, private []byte, identity, meta cty.Value) provider.ApplyResourceChangeResponse {
	creates := l.state.IsNull()
	done := l.client.ApplyResourceChange(l.ctx, provider.ApplyResourceChangeRequest{
		TypeName: l.typeName, PriorState: l.state, PlannedState: planned, Config: config,
		PlannedPrivate: private, PlannedIdentity: identity, ProviderMeta: meta,
	})
	switch failed := done.Diagnostics.HasErrors(); {
	case done.NewState == cty.NilVal, failed && done.NewState.IsNull():
		// The prior object is kept.
	case done.NewState.IsNull():
		l.forget()
	default:
		l.state, l.identity, l.private = done.NewState, done.NewIdentity, done.Private
		l.tainted = failed && creates
	}
	return done
}

func (l *life) destroy() {
	if l.state.IsNull() {
		return
	}
	nothing, meta := l.null(), l.meta()
	private, identity := l.private, l.nullIdentity()
	if !l.tainted { // Terraform replaces a tainted object without planning its deletion
		plan := l.plan(l.state, l.private, l.identity, nothing, meta)
		if plan.Diagnostics.HasErrors() || plan.Deferred != nil {
			return
		}
		private, identity = plan.PlannedPrivate, plan.PlannedIdentity
	}
	l.do(nothing, nothing, private, identity, meta)
}

func (l *life) read() {
	if l.state.IsNull() {
		return
	}
	resp := l.client.ReadResource(l.ctx, provider.ReadResourceRequest{
		TypeName: l.typeName, PriorState: l.state, Private: l.private, CurrentIdentity: l.identity, ProviderMeta: l.meta(), ClientCapabilities: l.caps,
	})
	l.remember(resp)
}

func (l *life) remember(resp provider.ReadResourceResponse) {
	switch {
	case resp.Diagnostics.HasErrors() || resp.NewState == cty.NilVal || resp.Deferred != nil:
	case resp.NewState.IsNull():
		l.forget()
	default:
		l.state, l.identity, l.private = resp.NewState, resp.Identity, resp.Private
	}
}

// adopt imports an object by identity or ID, reads it, and generates its
// configuration.
func (l *life) adopt() {
	req := provider.ImportResourceStateRequest{TypeName: l.typeName, ClientCapabilities: l.caps, Identity: l.nullIdentity()}
	if l.identity != cty.NilVal && !l.identity.IsNull() && oneIn(l.r, 2) {
		req.Identity = l.identity
	} else {
		req.ID = pick(l.r, append(places, "a", "first", "local:/a", "", "/")...)
	}
	got := l.client.ImportResourceState(l.ctx, req)
	if got.Diagnostics.HasErrors() || got.Deferred != nil {
		return
	}
	for _, it := range got.ImportedResources {
		if it.TypeName != l.typeName {
			continue
		}
		l.state, l.identity, l.private, l.tainted = it.State, it.Identity, it.Private, false
		l.read()
		l.generate()
	}
}

func (l *life) generate() {
	if l.state.IsNull() {
		return
	}
	got := l.client.GenerateResourceConfig(l.ctx, provider.GenerateResourceConfigRequest{TypeName: l.typeName, State: l.state})
	if got.Diagnostics.HasErrors() || got.Config == cty.NilVal {
		return
	}
	if l.validate(got.Config).HasErrors() && len(got.Diagnostics) == 0 && l.validOnly {
		l.judge.fail("the configuration generated for %s is invalid: %#v", l.typeName, got.Config)
	}
}

// upgrade encodes the state as JSON and upgrades it to its own version. If l.validOnly is set, it does the same for
// the identity, and checks that the upgrades change nothing.
func (l *life) upgrade() {
	if l.state.IsNull() {
		return
	}
	raw, err := ctyjson.Marshal(l.state, l.body.ImpliedType())
	if err != nil {
		l.judge.fail("the state of %s cannot be encoded: %v", l.typeName, err)
		return
	}
	up := l.client.UpgradeResourceState(l.ctx, provider.UpgradeResourceStateRequest{
		TypeName: l.typeName, Version: l.schema.ResourceTypes[l.typeName].Version, RawStateJSON: raw,
	})
	if !l.validOnly {
		return
	}
	if up.Diagnostics.HasErrors() || !objchange.Equal(up.UpgradedState, l.state) {
		l.judge.fail("the state of %s differs after an upgrade to its own version: %v\nstored %s\nread %#v", l.typeName, up.Diagnostics, raw, up.UpgradedState)
	}
	if l.identity == cty.NilVal || l.identity.IsNull() {
		return
	}
	raw, err = ctyjson.Marshal(l.identity, l.identity.Type())
	if err != nil {
		l.judge.fail("the identity of %s cannot be encoded: %v", l.typeName, err)
		return
	}
	id := l.client.UpgradeResourceIdentity(l.ctx, provider.UpgradeResourceIdentityRequest{
		TypeName: l.typeName, Version: l.schema.ResourceTypes[l.typeName].IdentityVersion, RawIdentityJSON: raw,
	})
	if id.Diagnostics.HasErrors() || !objchange.Equal(id.UpgradedIdentity, l.identity) {
		l.judge.fail("the identity of %s differs after an upgrade to its own version: %v\nstored %s", l.typeName, id.Diagnostics, raw)
	}
}
