package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// refreshed refreshes what is remembered; the object may have changed.
func (r *run) refreshed(ctx context.Context) error {
	now, messages, err := r.read(ctx, r.object)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawReadAgain, rpcRead, "a refresh failed: %s", said(messages))
	}
	r.object = now
	return nil
}

// interrupted applies with a context that ends in the middle, and then again: what
// was left behind may not stand in the way.
func (r *run) interrupted(ctx context.Context, s step) error {
	if _, err := r.planEarly(ctx, step{config: s.config}); err != nil {
		return err
	}
	p, err := r.planTwice(ctx, s.config)
	if err != nil {
		return err
	}
	if r.state.IsNull() || !p.replaces() {
		short, mend := r.brokenOff(ctx, s.after)
		messages, _, err := r.carryOut(short, p, s.config)
		mend()
		if err != nil {
			return err
		}
		if !messages.HasErrors() {
			r.config = s.config
			return r.settle(ctx)
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
			return r.breaks(lawFailed, rpcRead, "an apply was interrupted, and what is left cannot be read: %s", said(messages))
		}
		r.object = now
	}
	if p, err = r.plan(ctx, r.planning(), s.config); err != nil {
		return err
	}
	if p.refused() {
		return r.breaks(lawFailed, rpcPlan, "an apply was interrupted, and the next plan is refused: %s", said(p.messages))
	}
	messages, _, err := r.carryOut(ctx, p, s.config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawFailed, rpcApply, "an apply was interrupted, and the next one of the same configuration fails: %s", said(messages))
	}
	r.config = s.config
	return r.settle(ctx)
}

// brokenOff is what an apply gets that is to fail in the middle.
func (r *run) brokenOff(ctx context.Context, after int) (context.Context, func()) {
	if r.Fail != nil {
		return ctx, r.Fail(after)
	}
	return context.WithTimeout(ctx, r.usual*time.Duration(after)/100)
}

// adopt imports the object, and goes on with what the import gave.
func (r *run) adopt(ctx context.Context, byID bool) error {
	got, err := r.imported(ctx, byID)
	if err != nil || got.state == cty.NilVal {
		return err
	}
	now, messages, err := r.read(ctx, got)
	switch {
	case err != nil:
		return err
	case messages.HasErrors():
		return r.breaks(lawImport, rpcRead, "what was imported cannot be read: %s", said(messages))
	case now.state.IsNull():
		return r.breaks(lawImport, rpcRead, "the object exists, and the refresh after its import says that there is none")
	}
	if err := r.sameComputed(ctx, lawImportSame, rpcImport, r.config, r.object, now, "what was imported is not what was made. If the provider "+
		"cannot read an attribute back, name it in StateOnly"); err != nil {
		return err
	}
	if err := r.judgeIdentity(rpcImport, r.identity, now.identity); err != nil {
		return err
	}
	r.object = now
	if err := r.planEmpty(ctx, lawImportPlan, "after the import", r.s.StateOnly); err != nil {
		return err
	}
	return r.generated(ctx)
}

// generated has the configuration of the object written, where the provider can.
func (r *run) generated(ctx context.Context) error {
	if !r.schema.ServerCapabilities.GenerateResourceConfig {
		return nil
	}
	resp, err := ask(ctx, r, rpcGenerate, r.p.GenerateResourceConfig, provider.GenerateResourceConfigRequest{
		TypeName: r.s.name, State: r.state,
	}, func(resp provider.GenerateResourceConfigResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil {
		return err
	}
	if resp.Diagnostics.HasErrors() {
		return r.breaks(lawGenerate, rpcGenerate, "%s", said(resp.Diagnostics))
	}
	config := r.orNull(resp.Config)
	if errs := config.Type().TestConformance(r.s.ty); len(errs) > 0 || config.IsNull() || !config.IsWhollyKnown() {
		return r.breaks(lawGenerate, rpcGenerate, "what is generated is no configuration of the type, or has unknown values")
	}
	if !fits(r.s.body, config) || len(resp.Diagnostics) > 0 {
		return nil // there is something that people have to add
	}
	messages, err := r.validate(ctx, config)
	if err != nil {
		return err
	}
	if messages.HasErrors() {
		return r.breaks(lawGenerate, rpcValidate, "the generated configuration is refused: %s", said(messages))
	}
	before := r.config
	r.config = config
	err = r.planEmpty(ctx, lawGenerate, "with the generated configuration", r.s.StateOnly)
	r.config = before
	return err
}

func (r *run) imported(ctx context.Context, byID bool) (object, error) {
	req := provider.ImportResourceStateRequest{TypeName: r.s.name, ClientCapabilities: allowed, Identity: r.s.nullIdentity()}
	if byID {
		req.ID = r.s.ImportID(r.state)
	} else {
		req.Identity = r.identity
	}
	resp, err := ask(ctx, r, rpcImport, r.p.ImportResourceState, req,
		func(resp provider.ImportResourceStateResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil {
		return object{}, err
	}
	if resp.Diagnostics.HasErrors() {
		return object{}, r.breaks(lawImport, rpcImport, "%s", said(resp.Diagnostics))
	}
	for _, it := range resp.ImportedResources {
		if it.TypeName != r.s.name {
			continue
		}
		got := object{state: r.orNull(it.State), identity: r.orNullIdentity(it.Identity), private: it.Private}
		if got.state.IsNull() {
			return object{}, r.breaks(lawImport, rpcImport, "the object exists, and its import returned null")
		}
		// Only the read after it has to complete the object.
		return got, r.judgeStored(rpcImport, got.state, got.identity, false)
	}
	return object{}, r.breaks(lawImport, rpcImport, "the object exists, and its import returned none of the type")
}

// other has somebody else apply another configuration to the same object. What is
// remembered here is then out of date, and a refresh has to find that.
func (r *run) other(ctx context.Context, s step) error {
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
		return &setback{updating, messages}
	}
	// What they did has to be right, to be found.
	if err := theirs.readBack(ctx); err != nil {
		return err
	}
	if err := r.refreshed(ctx); err != nil {
		return err
	}
	if r.state.IsNull() {
		return r.breaks(lawDrift, rpcRead, "somebody else changed the object, and a refresh says that there is none")
	}
	if err := r.showsAll(ctx, theirs.object, s.config); err != nil {
		return err
	}
	return r.restored(ctx)
}

// restored applies the configuration that was applied last.
func (r *run) restored(ctx context.Context) error {
	err := r.applyConfig(ctx, step{config: r.config})
	if set, ok := errors.AsType[*setback](err); ok {
		return r.breaks(lawDrift, set.doing.rpc(), "the object was changed, and what was applied before cannot be applied again: %s", said(set.said))
	}
	return err
}

// vanish has somebody else remove the object.
func (r *run) vanish(ctx context.Context) error {
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
		return r.breaks(lawGone, rpcRead, "somebody else removed the object, and a refresh fails: %s", said(messages))
	case !now.state.IsNull():
		if err := r.breaks(lawGone, rpcRead, "somebody else removed the object, and a refresh says that it exists"); err != nil {
			return err
		}
		// The law is waived, as of what always exists: removed, it is another.
	}
	r.object = now
	return r.restored(ctx)
}

// drift changes the object behind the provider's back.
func (r *run) drift(ctx context.Context) error {
	if err := r.s.Drift(ctx, r.state); err != nil {
		return err
	}
	before := r.object
	if err := r.refreshed(ctx); err != nil {
		return err
	}
	if objchange.Equal(r.s.without(before.state, r.s.Volatile), r.s.without(r.state, r.s.Volatile)) {
		return r.breaks(lawDrift, rpcRead, "Type.Drift changed the object, and a refresh found nothing")
	}
	return r.restored(ctx)
}
