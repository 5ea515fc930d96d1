package runtime

import (
	"errors"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Requests come from another process, and responses repeat parts of them. Requests that no
// correct client sends are rejected if they would be misinterpreted, and are not repeated.

var (
	// errNotReadable is the error for a request with a state that cannot have been
	// stored.
	errNotReadable = errors.New("the request has no known state; this is a bug in the client")
	// errNotPlannable is the error for a configuration and a proposed state that
	// contradict each other.
	errNotPlannable = errors.New("only one of the configuration and the proposed state of the request is null; this is a bug in the client")
	// errNotApplicable is the error for an apply that lacks a known state or a
	// configuration. Such an apply must not be interpreted as a delete.
	errNotApplicable   = errors.New("the request lacks a known prior state, planned state or configuration; this is a bug in the client")
	errUnknownIdentity = errors.New("the stored identity has unknown values; this is a bug in the client")
	errUnknownState    = errors.New("the stored state has unknown values; this is a bug in the client")
)

// errNullBlocks returns an error for null in place of blocks: without blocks, clients
// send an empty collection.
func (m *managed) errNullBlocks(config cty.Value) error {
	if !usable(config) {
		return nil
	}
	for _, a := range m.ins {
		if kind := a.node.kind; !a.block() || kind != kindList && kind != kindSet && kind != kindMap {
			continue
		}
		if m.attr(config, a).IsNull() {
			return diag.WithPath(a.path(), errors.New("the configuration has null in place of blocks; this is a bug in the client"))
		}
	}
	return nil
}

// applicable reports whether a request is a valid create, update or delete.
func applicable(req *provider.ApplyResourceChangeRequest) bool {
	if req.PlannedState == cty.NilVal || !req.PlannedState.IsKnown() || !req.PriorState.IsKnown() {
		return false
	}
	return req.PlannedState.IsNull() || usable(req.Config)
}

// storedIdentity returns the identity of a request for a response: NilVal if it is
// not wholly known.
func storedIdentity(id cty.Value) cty.Value {
	if !id.IsWhollyKnown() {
		return cty.NilVal
	}
	return id
}

// storable returns the state of a request for a response: without unknown or
// write-only values.
func (m *managed) storable(state cty.Value) cty.Value {
	if !state.IsKnown() {
		return m.null
	}
	return m.withoutWriteOnly(cty.UnknownAsNull(state))
}
