package runtime

import (
	"errors"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Requests come from another process, and answers repeat parts of them. What no
// client sends is refused where it would be taken for something else, and is not
// repeated.

var (
	// errNotReadable is the answer to a request for what cannot have been stored.
	errNotReadable = errors.New("the request has no known state; this is a mistake of the client")
	// errNotPlannable: what is to become of the object is said twice, and not the
	// same.
	errNotPlannable = errors.New("of the configuration and the proposed state of the request one is null and the other is not; this is a mistake of the client")
	// errNotApplicable: what is not known must not be taken for an order to delete.
	errNotApplicable = errors.New("the request has no known prior state, planned state and configuration; this is a mistake of the client")
	errOpenIdentity  = errors.New("the stored identity has values that are not known; this is a mistake of the client")
	errOpenState     = errors.New("the stored state has values that are not known; this is a mistake of the client")
)

// errNullBlocks: blocks may be none, which is an empty collection and never null.
func (m *managed) errNullBlocks(config cty.Value) error {
	if !usable(config) {
		return nil
	}
	for _, a := range m.ins {
		if kind := a.node.kind; !a.block() || kind != kindList && kind != kindSet && kind != kindMap {
			continue
		}
		if m.attr(config, a).IsNull() {
			return diag.WithPath(a.path(), errors.New("the configuration has null in place of blocks; this is a mistake of the client"))
		}
	}
	return nil
}

// applicable reports whether a request asks for something that can be done.
func applicable(req *provider.ApplyResourceChangeRequest) bool {
	if req.PlannedState == cty.NilVal || !req.PlannedState.IsKnown() || !req.PriorState.IsKnown() {
		return false
	}
	return req.PlannedState.IsNull() || usable(req.Config)
}

// storedIdentity is an identity of a request as it may be repeated in an answer:
// none where it is not known.
func storedIdentity(id cty.Value) cty.Value {
	if !id.IsWhollyKnown() {
		return cty.NilVal
	}
	return id
}

// storable is a state of a request as it may be repeated in an answer: nothing
// in it is unknown or write-only.
func (m *managed) storable(state cty.Value) cty.Value {
	if !state.IsKnown() {
		return m.null
	}
	if !usable(state) {
		return state
	}
	if !state.IsWhollyKnown() {
		state = cty.UnknownAsNull(state)
	}
	var attrs map[string]cty.Value
	for _, a := range m.attrs {
		clean := m.attr(state, a)
		switch {
		case a.writeOnly():
			clean = a.node.null
		case a.node.secrets:
			clean = a.node.overlay(clean, cty.NilVal)
		default:
			continue
		}
		if attrs == nil {
			attrs = state.AsValueMap()
		}
		attrs[a.name] = clean
	}
	if attrs == nil {
		return state
	}
	return cty.ObjectVal(attrs)
}
