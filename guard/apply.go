package guard

import (
	"context"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// applyRules are the rules for ApplyResourceChange. Like both engines, the guard does not
// compare an invalid object with the plan.
var applyRules = []Rule{
	{
		ID: "APPLY-001", Subject: SubjectIdentity, Title: "is unknown after it was applied",
		Why:    "An identity is stored in the state, which has no unknown values.",
		Fix:    "Give each attribute of the identity a value or null.",
		Source: "§11.1 (1), Terraform: \"Provider produced invalid identity\"",
		when:   validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "APPLY-002", Subject: SubjectIdentity, Title: "does not match the identity schema after it was applied",
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Return all attributes of the identity schema, no others, each with its type.",
		Source: "§11.1 (1), Terraform: \"Provider produced an identity that doesn't match the schema\"",
		when:   validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "APPLY-003", Subject: SubjectIdentity, Title: "was returned by an apply, but the type has no identity schema",
		Why:    "Terraform rejects it and OpenTofu drops it.",
		Fix:    "Declare the identity schema, or return no identity.",
		Source: "§11.1 (2), Terraform: \"identity type not found for resource type\"",
		when:   validSchema, check: (*exchange).identityUnexpected,
	},
	{
		ID: "APPLY-004", Subject: SubjectAttribute, Title: "does not match the schema after it was applied",
		Why:    "Both engines keep the prior object instead, or forget the object.",
		Fix:    "Return all attributes of the schema, no others, each with its type.",
		Source: "§11.1 (4, 5), both: \"Provider produced invalid object\"",
		when:   validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "APPLY-005", Subject: SubjectAttribute, Title: "is write-only, but has a value after it was applied",
		Why:    "OpenTofu writes the value to the state, and Terraform forgets a created object because of it.",
		Fix:    "Set write-only attributes to null in the new state.",
		Source: "§11.1 (6) and §22, both: \"Provider produced invalid object\", \"Invalid provider response\"",
		when:   validSchema, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "APPLY-006", Subject: SubjectAttribute, Title: "is unknown after it was applied",
		Why:    "After an apply, every value must be known; both engines store null instead of an unknown value.",
		Fix:    "Give each attribute that was planned to be unknown a value or null.",
		Source: "§11.1 (7), both: \"Provider returned invalid result object after apply\"",
		when:   validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "APPLY-007", Subject: SubjectState, Title: "is null after a create or an update",
		Why:    "Without an error, only a destroy may return null; otherwise both engines fail, and forget a created object.",
		Fix:    "Return the object, or an error with the reason why there is none.",
		Source: "§11.1 (8) and §24, both: \"Provider produced inconsistent result after apply\"",
		when:   succeeded | validSchema | keeps | unbroken, check: func(x *exchange) {
			if x.object.IsNull() {
				x.add(nil, "The object of %s was planned, and %s returned null and no error.", x.typeName, x.rpc)
			}
		},
	},
	{
		ID: "APPLY-008", Subject: SubjectAttribute, Title: "changed after it was planned",
		Why:    "A user approved the known values of the plan, and other resources were computed with them.",
		Fix:    "Return the planned value, or plan the attribute to be unknown if it cannot be predicted.",
		Source: "§11.2 (C1 to C6, C8), both: \"Provider produced inconsistent result after apply\"",
		when:   succeeded | validSchema | keeps, check: violates(ofValue),
	},
	{
		ID: "APPLY-009", Subject: SubjectAttribute, Title: "has a value that its plan excluded",
		Why:    "The refinements of a planned unknown value, such as not null, are part of the plan too.",
		Fix:    "Plan the attribute to be unknown without that refinement, or return a value within it.",
		Source: "§11.2 (C3), both: \"Provider produced inconsistent result after apply\"",
		when:   succeeded | validSchema | keeps, check: violates(ofUnknown),
	},
	{
		ID: "APPLY-010", Subject: SubjectBlock, Title: "was added or removed after it was planned",
		Why:    "A user approved the planned blocks, and other resources were computed with them.",
		Fix:    "Return the planned blocks; put values that cannot be predicted into a computed attribute.",
		Source: "§11.2 (C7), both: \"Provider produced inconsistent result after apply\"",
		when:   succeeded | validSchema | keeps, check: violates(ofBlock),
	},
	{
		ID: "APPLY-011", Subject: SubjectState, Title: "still exists after it was destroyed",
		Why:    "A destroy without an error must return null; both engines keep the object and fail.",
		Fix:    "Return null once the object is gone, or an error with the reason why it could not be deleted.",
		Source: "§11.1 (9), both: \"Provider returned invalid result object after apply\"",
		when:   succeeded | validSchema | destroys | unbroken, check: func(x *exchange) {
			if !x.object.IsNull() {
				x.add(nil, "The object of %s had to be destroyed, but %s returned it without an error.", x.typeName, x.rpc)
			}
		},
	},
	{
		ID: "APPLY-012", Subject: SubjectIdentity, Title: "is missing after a create or an update",
		Why:    "Clients store exactly what an apply returns: without an identity, the stored object has none.",
		Fix:    "Return the identity with each object that exists.",
		Source: "§20 and §22, both SDKs: \"Missing Resource Identity After Create\", \"… After Update\"",
		when:   succeeded | validSchema | keeps | exists, check: (*exchange).identityMissing,
	},
	{
		ID: "APPLY-013", Subject: SubjectIdentity, Title: "changed in an update",
		Why:    "The identity locates the object; a changed identity locates a different object.",
		Fix:    "Return the planned identity, or declare with MutableIdentity that it may change. (Setting attributes that were null is not a change.)",
		Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		when:   succeeded | validSchema | keeps | exists | updates, check: (*exchange).identityChanged,
	},
	{
		ID: "APPLY-014", Subject: SubjectPrivate, Title: "was dropped by an update",
		Why:    "Clients store exactly what an apply returns: without private data, the stored data is lost. (The private data that a create gets may belong to the object that it replaces.)",
		Fix:    "Return the planned private data, or an empty slice that is not nil to drop it on purpose.",
		Source: "§11.3 and §22, neither engine: the data is lost",
		when:   succeeded | validSchema | keeps | exists | updates, check: (*exchange).privateDropped,
	},
	{
		ID: "APPLY-015", Subject: SubjectResponse, Title: "requests an exemption from the rules",
		Why:    "Terraform and OpenTofu then only log inconsistencies, which users notice later.",
		Fix:    "Do not set LegacyTypeSystem; it is for providers that are older than the rules.",
		Source: "§11.1 (legacy), neither engine",
		when:   always, check: (*exchange).legacyTypeSystem,
	},
	{
		ID: "APPLY-016", Subject: SubjectIdentity, Title: "is required for import, but null after a create or an update",
		Why:    "The object could not be imported with the identity that is stored for it.",
		Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
		Source: "neither engine: null is accepted",
		when:   succeeded | validSchema | keeps | exists, check: (*exchange).identityIncomplete,
	},
}

var applyCall = call[provider.ApplyResourceChangeRequest, provider.ApplyResourceChangeResponse]{
	rpc: "ApplyResourceChange", family: managed, rules: applyRules, pool: new(sync.Pool),
	invoke:      provider.Interface.ApplyResourceChange,
	diagnostics: func(resp *provider.ApplyResourceChangeResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
		x.prior, x.target, x.priorIdentity, x.priorPrivate = req.PriorState, req.PlannedState, req.PlannedIdentity, req.PlannedPrivate
		x.object, x.identity, x.private, x.legacy = resp.NewState, resp.NewIdentity, resp.Private, resp.LegacyTypeSystem
		if len(x.t.schemaErrors) == 0 {
			resp.NewState = x.storable(req)
		}
		x.kept = resp.NewState
	},
	inspect: (*exchange).appliedProblem,
	compare: (*exchange).applyViolations,
	repair:  repairApply,
	// If there is no response, the prior object is returned, with the planned private data and identity.
	refuse: func(t *resourceType, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) provider.ApplyResourceChangeResponse {
		if t == nil {
			return provider.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity}
		}
		kept := *resp
		kept.NewState = t.stateToKeep(req, resp.NewState)
		return kept
	},
}

// ApplyResourceChange implements [provider.Interface].
func (g *guarded) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return run(ctx, g, &applyCall, req.TypeName, req)
}

// appliedProblem returns the first problem of a new state, in the order of both engines: type, write-only
// attributes, unknown parts.
func (x *exchange) appliedProblem() problem {
	state := &x.t.state
	switch {
	case !state.conforms(x.object):
		return wrongType
	case x.object.IsNull():
		return none
	default:
		return state.flawsOf(x.object).first(holdsMark, holdsWriteOnly, holdsUnknown)
	}
}

// storable returns the new state or, if it is invalid, the state to store instead.
func (x *exchange) storable(req *provider.ApplyResourceChangeRequest) cty.Value {
	switch x.objectProblem() {
	case wrongType:
		return x.t.stateToKeep(req, x.object)
	case writeOnlyValue:
		return cty.UnknownAsNull(withoutWriteOnly(x.t.schema, x.object))
	case unknownPart:
		return cty.UnknownAsNull(x.object)
	default:
		return x.object
	}
}

// applyViolations returns the places where the new state contradicts the plan. It returns nil if the new
// state is null, or if the guard has already reported an error.
func (x *exchange) applyViolations() (found []violation) {
	if x.broken() || x.object.IsNull() {
		return nil
	}
	for _, err := range objchange.AssertObjectCompatible(x.t.schema, x.target, x.object) {
		path, reason := pathOf(err)
		was, is := valueAt(x.target, path), valueAt(x.object, path)
		v := violation{kind: ofValue, path: path}
		switch {
		case x.t.schema.EnclosingAttribute(path) == nil:
			v.kind = ofBlock
		case was != cty.NilVal && !was.IsKnown():
			v.kind = ofUnknown
		}
		v.detail = x.place(path) + ": " + reason + ".\nPlanned: " + x.describe(path, was) + ". Returned: " + x.describe(path, is) + "."
		found = append(found, v)
	}
	return found
}

// repairApply clears LegacyTypeSystem. If the schema is valid, it also drops an identity that
// cannot be stored. If an update returned an object without private data, or without an identity
// that can be stored, the response gets that of the plan.
func repairApply(x *exchange, req *provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse) {
	resp.LegacyTypeSystem = false
	if x.has&validSchema == 0 {
		return
	}
	if x.identityProblem() != none {
		resp.NewIdentity = cty.NilVal
	}
	if kept := keeps | exists | updates; x.has&kept != kept {
		return
	}
	if t := x.t.identity; t != nil && !x.hasIdentity() && !req.PlannedIdentity.IsNull() && t.storable(req.PlannedIdentity) {
		resp.NewIdentity = req.PlannedIdentity
	}
	if len(req.PlannedPrivate) > 0 && resp.Private == nil {
		resp.Private = req.PlannedPrivate
	}
}

// stateToKeep returns the state to store instead of a new state that has a wrong type or cannot be
// checked: the prior state for an update or a destroy. For a create, null would lose the new object, so
// the object is built from the valid attributes of the response, and the planned values of the others,
// with null instead of unknown values. The response has errors, so a client marks the object as tainted.
func (t *resourceType) stateToKeep(req *provider.ApplyResourceChangeRequest, object cty.Value) (kept cty.Value) {
	if !req.PriorState.IsNull() || req.PlannedState.IsNull() {
		return req.PriorState
	}
	defer func() {
		if recover() != nil { // reading the invalid object panicked
			kept = cty.UnknownAsNull(req.PlannedState)
		}
	}()
	object, _ = object.UnmarkDeep()
	types := t.state.ty.AttributeTypes()
	attrs := make(map[string]cty.Value, len(types))
	for _, f := range t.state.root.fields {
		attrs[f.name] = req.PlannedState.GetAttr(f.name)
		v := valueAt(object, cty.GetAttrPath(f.name))
		if v != cty.NilVal && typeConforms(v.Type(), types[f.name]) && f.flawsOf(v, false) == 0 {
			attrs[f.name] = v
		}
	}
	return withoutWriteOnly(t.schema, cty.UnknownAsNull(cty.ObjectVal(attrs)))
}
