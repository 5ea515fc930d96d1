package guard

import (
	"context"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// planRules are the rules for PlanResourceChange. A deferred plan is not used, so its
// object is not checked.
var planRules = []Rule{
	{
		ID: "PLAN-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "A client that cannot defer a change would use the response as the plan, or reject it.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise return a plan or an error.",
		Source: "§9.2 (1) and §9.6, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "PLAN-002", Subject: SubjectState, Title: "is planned to be null, but the object is configured",
		Why:    "A plan may destroy an object only if the proposed state is null.",
		Fix:    "Plan an object for each create and update.",
		Source: "§9.3 (root), both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: func(x *exchange) {
			if x.object.IsNull() {
				x.add(nil, "%s of %s planned null for an object that is configured.", x.rpc, x.typeName)
			}
		},
	},
	{
		ID: "PLAN-003", Subject: SubjectAttribute, Title: "is write-only, but has a value in the plan",
		Why:    "The value would be written to the plan file and to the state, which write-only attributes must prevent.",
		Fix:    "Set write-only attributes to null in the planned state, even where they are unknown; read them from the configuration in apply.",
		Source: "§9.2 (3), both: \"Provider produced invalid plan\", \"Invalid provider response\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: (*exchange).objectWriteOnly,
	},
	{
		ID: "PLAN-004", Subject: SubjectAttribute, Title: "does not match the schema in the plan",
		Why:    "Neither engine can store an object whose type is not that of the schema.",
		Fix:    "Plan all attributes of the schema, no others, each with its type.",
		Source: "§9.2 (4), both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: (*exchange).objectMismatch,
	},
	{
		ID: "PLAN-005", Subject: SubjectAttribute, Title: "is planned with a value that differs from the configuration",
		Why:    "Users rely on the values that they configured, and other resources were computed with them.",
		Fix:    "Plan the configured value. If the prior value is equivalent, plan the prior value exactly as it was.",
		Source: "§9.3 (A1, A2, A8, A9), both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: violates(ofValue),
	},
	{
		ID: "PLAN-006", Subject: SubjectAttribute, Title: "is planned with a value, but is not configured and not computed",
		Why:    "Only a computed attribute may have a value that is not in the configuration.",
		Fix:    "Plan null, or make the attribute Computed in the schema.",
		Source: "§9.3 (A4 to A6), both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: violates(ofUnset),
	},
	{
		ID: "PLAN-007", Subject: SubjectAttribute, Title: "is planned to be unknown, but is configured",
		Why:    "A configured value is known to the user and must appear in the plan, even if the attribute is computed as well.",
		Fix:    "Plan the configured value; plan unknown only where the configuration is null or unknown.",
		Source: "§9.3 (A9), both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: violates(ofUnknown),
	},
	{
		ID: "PLAN-008", Subject: SubjectBlock, Title: "is planned differently than configured",
		Why:    "Only the configuration determines the number, keys and order of blocks, except for computed blocks that are not configured.",
		Fix:    "Plan the configured blocks; choose values only for computed attributes in them.",
		Source: "§9.3 (B1 to B8), the stricter of the two: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps, check: violates(ofBlock),
	},
	{
		ID: "PLAN-009", Subject: SubjectAttribute, Title: "requires replacement, but does not exist",
		Why:    "Engines reject a path that exists neither in the prior nor in the planned state, and the replacement with it.",
		Fix:    "Correct the path; for a path below an attribute that is null in both states, return the path of that attribute.",
		Source: "§9.2 (7) and §9.4, both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | keeps | updates, check: (*exchange).replacePathMissing,
	},
	{
		ID: "PLAN-010", Subject: SubjectIdentity, Title: "is unknown in the plan",
		Why:    "Terraform accepts it for a create and a replacement only, and OpenTofu cannot store it at all.",
		Fix:    "Plan no identity while it is not known, and return it from apply.",
		Source: "§9.2 (8), §9.6 and §22, the stricter of the two: \"Provider produced invalid identity\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnknown,
	},
	{
		ID: "PLAN-011", Subject: SubjectIdentity, Title: "does not match the identity schema in the plan",
		Why:    "An identity of a different type can be neither stored nor compared.",
		Fix:    "Plan all attributes of the identity schema, no others, each with its type.",
		Source: "§9.2 (9), §9.5 and §9.6, Terraform: \"Provider produced an identity that doesn't match the schema\"",
		when:   succeeded | validSchema, check: (*exchange).identityMismatch,
	},
	{
		ID: "PLAN-012", Subject: SubjectIdentity, Title: "is planned, but the type has no identity schema",
		Why:    "Terraform rejects it and OpenTofu drops it.",
		Fix:    "Declare the identity schema, or plan no identity.",
		Source: "§9.2 (10), Terraform: \"unknown identity type\"",
		when:   succeeded | validSchema, check: (*exchange).identityUnexpected,
	},
	{
		ID: "PLAN-013", Subject: SubjectIdentity, Title: "is planned to change",
		Why:    "The identity locates the object; a changed identity locates a different object.",
		Fix:    "Plan the prior identity, require replacement, or declare with MutableIdentity that it may change. (Setting attributes that were null is not a change.)",
		Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		when:   succeeded | validSchema | updates, check: func(x *exchange) {
			if !x.planReplaces() { // the identity of another object may differ
				x.identityChanged()
			}
		},
	},
	{
		ID: "PLAN-014", Subject: SubjectPrivate, Title: "was dropped by the plan",
		Why:    "Apply gets exactly what was planned. In the second plan of a replacement, the prior private data belongs to the object to delete, and the deletion gets what this plan returns.",
		Fix:    "Return the private data from the request, or an empty slice that is not nil to drop it on purpose.",
		Source: "§9.1, §9.6 and §22, neither engine: the data is lost",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).privateDropped,
	},
	{
		ID: "PLAN-015", Subject: SubjectResponse, Title: "requests an exemption from the rules",
		Why:    "Terraform and OpenTofu then only log inconsistencies, which users notice later.",
		Fix:    "Do not set LegacyTypeSystem; it is for providers that are older than the rules.",
		Source: "§9.2 (legacy), neither engine",
		when:   always, check: (*exchange).legacyTypeSystem,
	},
	{
		ID: "PLAN-016", Subject: SubjectState, Title: "is planned to be kept, but must be destroyed",
		Why:    "A destroy has one valid plan, and both engines reject others.",
		Fix:    "Plan null when the proposed state is null.",
		Source: "§9.6, both: \"Provider produced invalid plan\"",
		when:   succeeded | notDeferred | validSchema | destroys, check: func(x *exchange) {
			if !x.object.IsNull() {
				x.add(nil, "The object of %s had to be destroyed, but %s planned %s.", x.typeName, x.rpc, describe(x.object, true))
			}
		},
	},
}

var planCall = call[provider.PlanResourceChangeRequest, provider.PlanResourceChangeResponse]{
	rpc: "PlanResourceChange", family: managed, rules: planRules, pool: new(sync.Pool),
	invoke:      provider.Interface.PlanResourceChange,
	diagnostics: func(resp *provider.PlanResourceChangeResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse) {
		x.mayDefer, x.prior, x.config, x.target = req.ClientCapabilities.DeferralAllowed, req.PriorState, req.Config, req.ProposedNewState
		x.priorIdentity, x.priorPrivate = req.PriorIdentity, req.PriorPrivate
		x.deferred, x.legacy, x.object = resp.Deferred, resp.LegacyTypeSystem, resp.PlannedState
		x.identity, x.private = resp.PlannedIdentity, resp.PlannedPrivate
	},
	inspect: (*exchange).plannedProblem,
	compare: (*exchange).planViolations,
	// No change is planned.
	refuse: func(_ *resourceType, req *provider.PlanResourceChangeRequest, _ *provider.PlanResourceChangeResponse) provider.PlanResourceChangeResponse {
		return provider.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
	},
}

// PlanResourceChange implements [provider.Interface].
func (g *guarded) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return run(ctx, g, &planCall, req.TypeName, req)
}

// plannedProblem returns the first problem of a planned object, in the order of both engines:
// write-only attributes, then the type. Unknown values are valid.
func (x *exchange) plannedProblem() problem {
	state := &x.t.state
	switch {
	case x.object.IsNull():
		return none
	case !state.conforms(x.object):
		for range x.t.schema.WriteOnlyValues(x.object) {
			return writeOnlyValue
		}
		return wrongType
	default:
		return state.flawsInPlan(x.object).first(holdsWriteOnly, holdsMark)
	}
}

// planViolations returns the places where the planned object contradicts the configuration.
func (x *exchange) planViolations() (found []violation) {
	if x.object.IsNull() {
		return nil
	}
	for _, err := range objchange.AssertPlanValid(x.t.schema, x.prior, x.config, x.object) {
		path, reason := pathOf(err)
		prior, config, planned := valueAt(x.prior, path), valueAt(x.config, path), valueAt(x.object, path)
		v := violation{kind: ofValue, path: path}
		switch {
		case x.t.schema.EnclosingAttribute(path) == nil:
			v.kind = ofBlock
		case config.IsNull():
			v.kind = ofUnset
		case !planned.IsKnown():
			v.kind = ofUnknown
		}
		v.detail = x.place(path) + ": " + reason + ".\nConfigured: " + x.describe(path, config) +
			". Prior: " + x.describe(path, prior) + ". Planned: " + x.describe(path, planned) + "."
		found = append(found, v)
	}
	return found
}

// replacePathMissing reports paths that require replacement and are neither in the prior nor in the planned object.
// PLAN-009 excludes creates, because clients ignore the paths of a create.
func (x *exchange) replacePathMissing() {
	if x.object.IsNull() || x.objectProblem() != none || len(x.violations()) > 0 {
		return
	}
	for _, path := range x.response.(*provider.PlanResourceChangeResponse).RequiresReplace {
		path = sendable(x.starred(path))
		if valueAt(x.prior, path) == cty.NilVal && valueAt(x.object, path) == cty.NilVal {
			x.add(path, "%s of %s requires replacement for %q.", x.rpc, x.typeName, diag.FormatPath(x.shownPart(path)))
		}
	}
}

// planReplaces reports whether the plan replaces the object: the values at one of the
// paths that require replacement differ or may differ.
func (x *exchange) planReplaces() bool {
	for _, path := range x.response.(*provider.PlanResourceChangeResponse).RequiresReplace {
		was, is := valueAt(x.prior, path), valueAt(x.object, path)
		if was == cty.NilVal && is == cty.NilVal {
			continue
		}
		if was == cty.NilVal || is == cty.NilVal || !is.IsWhollyKnown() || !objchange.Equal(was, is) {
			return true
		}
	}
	return false
}
