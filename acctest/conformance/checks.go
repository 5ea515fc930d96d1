package conformance

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// checkStored checks that an object may be stored. If complete is false, as after a failed
// apply or an import, the identity is not checked.
func (r *run) checkStored(rpc string, state, id cty.Value, complete bool) error {
	if errs := state.Type().TestConformance(r.s.ty); len(errs) > 0 {
		return r.errs(lawStored, rpc, errs, nil)
	}
	if !state.IsWhollyKnown() {
		if err := r.breaks(lawStored, rpc, "%s is unknown", diag.FormatPath(unknownIn(state))); err != nil {
			return err
		}
	}
	for path := range r.s.body.WriteOnlyValues(state) {
		if err := r.breaks(lawWriteOnly, rpc, "%s is write-only and is in the state", diag.FormatPath(path)); err != nil {
			return err
		}
	}
	if r.s.identity == nil || !complete {
		return nil
	}
	if err := identity.Complete(r.s.identity, id); err != nil {
		return r.breaks(lawIdentity, rpc, "%v", err)
	}
	return nil
}

// checkIdentity checks that the identity of an object has not changed, unless the type has
// MutableIdentity.
func (r *run) checkIdentity(rpc string, prior, now cty.Value) error {
	if r.s.identity == nil || r.s.MutableIdentity {
		return nil
	}
	err := identity.Stable(prior, now)
	if err == nil {
		return nil
	}
	var diffs []difference
	for _, name := range slices.Sorted(maps.Keys(r.s.identity.Attributes)) {
		at := cty.GetAttrPath(name)
		was, is := valueAt(prior, at), valueAt(now, at)
		if was == cty.NilVal || is == cty.NilVal || !objchange.Equal(was, is) {
			diffs = append(diffs, difference{cty.GetAttrPath("identity").GetAttr(name), showValue(was), showValue(is)})
		}
	}
	return r.differs(lawIdentityStable, rpc, diffs, "the identity of the object has changed")
}

// reload encodes the object as in a state file, and checks that an upgrade of it returns
// the same object, except for volatile attributes.
func (r *run) reload(ctx context.Context) error {
	if r.state.IsNull() {
		return nil
	}
	raw, err := ctyjson.Marshal(r.state, r.s.ty)
	if err != nil {
		return r.breaks(lawStored, rpcApply, "the state cannot be written as JSON")
	}
	up, err := call(ctx, r, rpcUpgrade, r.p.UpgradeResourceState, provider.UpgradeResourceStateRequest{
		TypeName: r.s.name, Version: r.s.version, RawStateJSON: raw,
	}, func(resp provider.UpgradeResourceStateResponse) diag.Diagnostics { return resp.Diagnostics })
	switch {
	case err != nil:
		return err
	case up.Diagnostics.HasErrors():
		return r.breaks(lawUpgrade, rpcUpgrade, "%s", errorText(up.Diagnostics))
	case !objchange.Equal(r.s.without(r.orNull(up.UpgradedState), r.s.Volatile), r.s.without(r.state, r.s.Volatile)):
		return r.differs(lawUpgrade, rpcUpgrade, r.s.differences(r.state, r.orNull(up.UpgradedState)), "the upgraded state differs from the stored one")
	}
	if r.s.identity == nil || r.identity.IsNull() {
		return nil
	}
	// Identities of the current version are read without UpgradeResourceIdentity, which
	// plugin-framework refuses for that version.
	if _, err := ctyjson.Marshal(r.identity, r.s.identityTy); err != nil {
		return r.breaks(lawIdentity, rpcApply, "the identity cannot be written as JSON")
	}
	return nil
}

// sameObject checks that a read returned the same object as the call before, except for
// volatile attributes.
func (r *run) sameObject(law string, want, got object, format string, args ...any) error {
	wantState, gotState := r.s.comparable(want.state, r.s.Volatile), r.s.comparable(got.state, r.s.Volatile)
	if !objchange.Equal(wantState, gotState) {
		return r.differs(law, rpcRead, r.s.differences(wantState, gotState), format, args...)
	}
	if !bytes.Equal(want.private, got.private) {
		return r.breaks(lawPrivate, rpcRead, "the object is unchanged, but its private data changed from %s to %s",
			diag.Count(len(want.private), "byte"), diag.Count(len(got.private), "byte"))
	}
	return r.checkIdentity(rpcRead, want.identity, got.identity)
}

// unknownIn returns the path of the first unknown value in v, or nil.
func unknownIn(v cty.Value) cty.Path {
	for path, v := range cty.DeepValues(v) {
		if !v.IsKnown() {
			return path.Copy()
		}
	}
	return nil
}

func pathOf(err error) cty.Path {
	if at, ok := errors.AsType[cty.PathError](err); ok {
		return at.Path
	}
	return nil
}
