package conformance

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// refreshed replaces the object with the result of a refresh. The object may have changed.
func (r *run) refreshed(ctx context.Context) error {
	now, messages, err := r.read(ctx, r.object)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawReadAgain, rpcRead, "a refresh failed: %s", errorText(messages))
	}
	r.object = now
	return nil
}

// interrupted interrupts an apply, unless it replaces the object, and repeats it if it failed.
// Objects left by the first apply must not make the second one fail.
func (r *run) interrupted(ctx context.Context, s step) error {
	if _, err := r.planEarly(ctx, step{config: s.config}); err != nil {
		return err
	}
	p, err := r.planTwice(ctx, s.config)
	if err != nil {
		return err
	}
	if r.state.IsNull() || !p.replaces() {
		short, mend := r.interruption(ctx, s.after)
		messages, _, err := r.applyPlan(short, p, s.config)
		mend()
		if err != nil {
			return err
		}
		if !messages.HasErrors() {
			r.config = s.config
			return r.checkStable(ctx)
		}
	}
	if err := r.nextPhase(ctx); err != nil {
		return err
	}
	if !r.state.IsNull() {
		now, messages, err := r.read(ctx, r.object)
		if err != nil {
			return err
		}
		if messages.HasErrors() {
			return r.breaks(lawFailed, rpcRead, "after an interrupted apply the object cannot be read: %s", errorText(messages))
		}
		r.object = now
	}
	if p, err = r.plan(ctx, r.planPrior(), s.config); err != nil {
		return err
	}
	if p.refused() {
		return r.breaks(lawFailed, rpcPlan, "after an interrupted apply the next plan is refused: %s", errorText(p.messages))
	}
	messages, _, err := r.applyPlan(ctx, p, s.config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawFailed, rpcApply, "after an interrupted apply the next one of the same configuration fails: %s", errorText(messages))
	}
	r.config = s.config
	return r.checkStable(ctx)
}

// interruption returns a context for an apply or destroy that is to fail in the middle, and
// a function that must be called after it.
func (r *run) interruption(ctx context.Context, after int) (context.Context, func()) {
	if r.Fail != nil {
		return ctx, r.Fail(after)
	}
	return context.WithTimeout(ctx, r.applyTime*time.Duration(after)/100)
}

// importObject imports the object and continues with the result.
func (r *run) importObject(ctx context.Context, byID bool) error {
	got, err := r.imported(ctx, byID)
	if err != nil || got.state == cty.NilVal {
		return err
	}
	now, messages, err := r.read(ctx, got)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawImport, rpcRead, "the imported object cannot be read: %s", errorText(messages))
	case now.state.IsNull():
		return r.breaks(lawImport, rpcRead, "the refresh after the import does not find the object")
	}
	if err := r.sameComputed(ctx, lawImportSame, rpcImport, r.config, r.object, now, "the imported object differs from the created one. If the provider "+
		"cannot read an attribute back, add the attribute to StateOnly"); err != nil {
		return err
	}
	if err := r.checkIdentity(rpcImport, r.identity, now.identity); err != nil {
		return err
	}
	r.object = now
	if err := r.planEmpty(ctx, lawImportPlan, "after the import", r.s.StateOnly); err != nil {
		return err
	}
	return r.generated(ctx)
}

// generated checks the configuration that the provider generates for the object, if the
// provider has the capability GenerateResourceConfig.
func (r *run) generated(ctx context.Context) error {
	if !r.schema.ServerCapabilities.GenerateResourceConfig {
		return nil
	}
	resp, err := call(ctx, r, rpcGenerate, r.p.GenerateResourceConfig, provider.GenerateResourceConfigRequest{
		TypeName: r.s.name, State: r.state,
	}, func(resp provider.GenerateResourceConfigResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil {
		return err
	}
	if resp.Diagnostics.HasErrors() {
		return r.breaks(lawGenerate, rpcGenerate, "%s", errorText(resp.Diagnostics))
	}
	config := r.orNull(resp.Config)
	if errs := config.Type().TestConformance(r.s.ty); len(errs) > 0 || config.IsNull() || !config.IsWhollyKnown() {
		return r.breaks(lawGenerate, rpcGenerate, "the generated configuration is null, has the wrong type or has unknown values")
	}
	if !fits(r.s.body, config) || len(resp.Diagnostics) > 0 {
		return nil // the user has to complete the configuration
	}
	messages, err := r.validate(ctx, config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawGenerate, rpcValidate, "the generated configuration is refused: %s", errorText(messages))
	}
	before := r.config
	r.config = config
	err = r.planEmpty(ctx, lawGenerate, "with the generated configuration", r.s.StateOnly)
	r.config = before
	return err
}

func (r *run) imported(ctx context.Context, byID bool) (object, error) {
	req := provider.ImportResourceStateRequest{TypeName: r.s.name, ClientCapabilities: capabilities, Identity: r.s.nullIdentity()}
	if byID {
		req.ID = r.s.ImportID(r.state)
	} else {
		req.Identity = r.identity
	}
	resp, err := call(ctx, r, rpcImport, r.p.ImportResourceState, req,
		func(resp provider.ImportResourceStateResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil {
		return object{}, err
	}
	if resp.Diagnostics.HasErrors() {
		return object{}, r.breaks(lawImport, rpcImport, "%s", errorText(resp.Diagnostics))
	}
	for _, it := range resp.ImportedResources {
		if it.TypeName != r.s.name {
			continue
		}
		got := object{state: r.orNull(it.State), identity: r.orNullIdentity(it.Identity), private: it.Private}
		if got.state.IsNull() {
			return object{}, r.breaks(lawImport, rpcImport, "the import of an existing object returned null")
		}
		// The object may be incomplete until the read after the import.
		return got, r.checkStored(rpcImport, got.state, got.identity, false)
	}
	return object{}, r.breaks(lawImport, rpcImport, "the import of an existing object returned no object of the type")
}

// changeOutside applies another configuration to the same object outside of this run. A
// refresh must then find the change.
func (r *run) changeOutside(ctx context.Context, s step) error {
	theirs := *r
	p, err := theirs.plan(ctx, r.object, s.config)
	if err != nil {
		return err
	}
	if p.refused() || p.replaces() || p.noop() {
		return nil
	}
	messages, err := theirs.apply(ctx, p, s.config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return &rejection{updating, messages}
	}
	// Check the change itself first: a refresh cannot find a change that was not made.
	if err := theirs.readBack(ctx); err != nil {
		return err
	}
	before := r.object
	if err := r.refreshed(ctx); err != nil {
		return err
	}
	if r.state.IsNull() {
		return r.breaks(lawDrift, rpcRead, "a refresh does not find an object that was changed outside of Terraform")
	}
	if err := r.showsAll(ctx, theirs.object, s.config, hintLogical(before, r.object)); err != nil {
		return err
	}
	return r.restored(ctx)
}

// hintLogical returns a hint to set Type.Logical if a refresh that should have found a
// change returned its input, as for an object that exists only in the state.
func hintLogical(before, now object) string {
	if !objchange.Equal(before.state, now.state) {
		return ""
	}
	return ". If the object is only in the state, like a random number, set Logical"
}

// restored applies the last configuration again.
func (r *run) restored(ctx context.Context) error {
	err := r.applyConfig(ctx, step{config: r.config})
	if set, ok := errors.AsType[*rejection](err); ok {
		return r.breaks(lawDrift, set.op.rpc(), "after a change outside of Terraform the last configuration cannot be applied again: %s", errorText(set.diags))
	}
	return err
}

// removeOutside removes the object outside of this run. A refresh must then find no object.
func (r *run) removeOutside(ctx context.Context) error {
	theirs := *r
	if messages, err := theirs.remove(ctx); err != nil || messages.HasErrors() {
		return err
	}
	if err := r.reopen(ctx); err != nil {
		return err
	}
	now, messages, err := r.read(ctx, r.object)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawGone, rpcRead, "a refresh of an object that was removed outside of Terraform fails: %s", errorText(messages))
	case !now.state.IsNull():
		if err := r.breaks(lawGone, rpcRead, "a refresh still finds an object that was removed outside of Terraform%s", hintLogical(r.object, now)); err != nil {
			return err
		}
		// The law is waived, as for types whose objects always exist and are reset by
		// a removal.
	}
	r.object = now
	return r.restored(ctx)
}

// drift runs Type.Drift. A refresh must then find the change.
func (r *run) drift(ctx context.Context) error {
	if err := r.s.Drift(ctx, r.state); err != nil {
		return err
	}
	before := r.object
	if err := r.refreshed(ctx); err != nil {
		return err
	}
	if objchange.Equal(r.s.without(before.state, r.s.Volatile), r.s.without(r.state, r.s.Volatile)) {
		return r.breaks(lawDrift, rpcRead, "Type.Drift changed the object, but a refresh found no change")
	}
	return r.restored(ctx)
}

// showsAll checks that a refresh found the configuration and the object that were
// applied outside of Terraform. Configured values may have several spellings, so they
// are compared by a plan. Attributes that only the other configuration sets are not
// compared.
func (r *run) showsAll(ctx context.Context, theirs object, config cty.Value, hint string) error {
	what := "another configuration was applied outside of Terraform, and a refresh does not show it. " +
		"If the provider cannot read an attribute back, add the attribute to StateOnly" + hint
	p, err := r.plan(ctx, r.object, config)
	if err != nil {
		return err
	}
	if p.refused() {
		return r.breaks(lawDrift, rpcPlan, "a configuration that was applied outside of Terraform cannot be planned: %s", errorText(p.messages))
	}
	missing := slices.DeleteFunc(r.s.differences(p.state, r.state), func(d difference) bool {
		return !isSet(config, d.path) || !isSet(r.config, d.path) || named(d.path, r.s.StateOnly)
	})
	if len(missing) > 0 {
		return r.differs(lawDrift, rpcRead, missing, "%s", what)
	}
	return r.sameComputed(ctx, lawDrift, rpcRead, config, theirs, r.object, what)
}

func isSet(config cty.Value, path cty.Path) bool {
	v := valueAt(config, path)
	return v != cty.NilVal && !v.IsNull()
}

// sameComputed checks that two objects agree in the computed attributes and the blocks that
// the configuration does not set. Configured attributes may have several spellings, so the
// callers compare them by a plan.
func (r *run) sameComputed(ctx context.Context, law, rpc string, config cty.Value, want, got object, what string) error {
	left := slices.Concat(r.s.StateOnly, r.s.Volatile)
	for name := range config.Type().AttributeTypes() {
		v := config.GetAttr(name)
		if attr := r.s.body.Attributes[name]; attr == nil && v.LengthInt() > 0 || attr != nil && (!v.IsNull() || !attr.Computed) {
			left = append(left, name)
		}
	}
	wantState, gotState := r.s.comparable(want.state, left), r.s.comparable(got.state, left)
	var other []difference
	for _, d := range r.s.differences(wantState, gotState) {
		if same, err := r.meansTheSame(ctx, d.path, config, want, got); err != nil {
			return err
		} else if !same {
			other = append(other, d)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return r.differs(law, rpc, other, "%s", what)
}

// meansTheSame reports whether the provider treats both values of an optional attribute
// as equivalent: a plan with the value of want then keeps the value of got.
func (r *run) meansTheSame(ctx context.Context, path cty.Path, config cty.Value, want, got object) (bool, error) {
	if len(path) == 0 {
		return false, nil
	}
	path = path[:1]
	attr := r.s.body.EnclosingAttribute(path)
	was := valueAt(want.state, path)
	if attr == nil || !attr.Optional || was == cty.NilVal || was.IsNull() {
		return false, nil
	}
	set, ok := replaced(config, path, was)
	if !ok {
		return false, nil
	}
	p, err := r.plan(ctx, got, set)
	if err != nil || p.refused() {
		return false, err
	}
	return objchange.Equal(valueAt(p.state, path), valueAt(got.state, path)), nil
}
