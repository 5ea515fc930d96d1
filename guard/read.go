package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcRead = "ReadResource"

const (
	readDeferred           ID = "READ-001"
	readIdentityUnknown    ID = "READ-002"
	readIdentityMisfit     ID = "READ-003"
	readIdentityUnexpected ID = "READ-004"
	readIdentityChanged    ID = "READ-005"
	readIdentityMissing    ID = "READ-006"
	readUnknown            ID = "READ-007"
	readMisfit             ID = "READ-008"
	readSecret             ID = "READ-009"
	readPrivateLost        ID = "READ-010"
	readUnanswered         ID = "READ-011"
	readIdentityIncomplete ID = "READ-012"
)

func readRules() []Rule {
	return []Rule{
		{
			ID: readDeferred, RPC: rpcRead, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "A client that cannot put off a change would take the answer for the truth, or refuse it.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else answer or return an error.",
			Source: "§8, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"",
		},
		{
			ID: readIdentityUnknown, RPC: rpcRead, Subject: SubjectIdentity, Title: "is unknown after a read",
			Why:    "An identity is stored with the state, which has no unknown values.",
			Fix:    "Give each attribute of the identity a value or null.",
			Source: "§8, Terraform: \"Provider produced invalid identity\"; OpenTofu cannot encode it",
		},
		{
			ID: readIdentityMisfit, RPC: rpcRead, Subject: SubjectIdentity, Title: "does not fit the identity schema after a read",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Return all attributes of the identity schema, no others, each of its type.",
			Source: "§8, Terraform: \"Provider produced an identity that doesn't match the schema\"",
		},
		{
			ID: readIdentityUnexpected, RPC: rpcRead, Subject: SubjectIdentity, Title: "came with a read, but the type has no identity schema",
			Why:    "Terraform crashes and OpenTofu drops it.",
			Fix:    "Declare the identity schema, or return no identity.",
			Source: "§8 and §22, Terraform panics",
		},
		{
			ID: readIdentityChanged, RPC: rpcRead, Subject: SubjectIdentity, Title: "changed in a read",
			Why:    "An identity is what an object is found by; if it changes, another object is found.",
			Fix:    "Return the identity of the request's object, or declare with MutableIdentity that it may change. (To complete attributes that were null is no change.)",
			Source: "§20, both SDKs: \"Unexpected Identity Change\"",
		},
		{
			ID: readIdentityMissing, RPC: rpcRead, Subject: SubjectIdentity, Title: "is missing after a read",
			Why:    "Clients store exactly what a read returns: an identity that is left out is forgotten.",
			Fix:    "Return the identity with each object that exists.",
			Source: "§8, §20 and §22, both SDKs: \"Missing Resource Identity After Read\"",
		},
		{
			ID: readUnknown, RPC: rpcRead, Subject: SubjectAttribute, Title: "is unknown after a read",
			Why:    "A read says what is; Terraform refuses unknown values and OpenTofu makes them null.",
			Fix:    "Give each attribute a value or null.",
			Source: "§8, Terraform: \"Provider produced invalid object\"",
		},
		{
			ID: readMisfit, RPC: rpcRead, Subject: SubjectAttribute, Title: "does not fit the schema after a read",
			Why:    "Neither engine can store an object of another type than the schema's.",
			Fix:    "Return all attributes of the schema, no others, each of its type.",
			Source: "§8, both: \"Provider produced invalid object\"",
		},
		{
			ID: readSecret, RPC: rpcRead, Subject: SubjectAttribute, Title: "is write-only, but has a value after a read",
			Why:    "The value would be written into the state, which is what write-only is there to prevent.",
			Fix:    "Set write-only attributes to null in the new state.",
			Source: "§8, both: \"Provider produced invalid object\", \"Invalid provider response\"",
		},
		{
			ID: readPrivateLost, RPC: rpcRead, Subject: SubjectPrivate, Title: "got lost in a read",
			Why:    "Clients store exactly what a read returns: private data that is left out is erased.",
			Fix:    "Return the request's private data, or an empty slice that is not nil to say that it is no longer needed.",
			Source: "§8 and §22, neither engine: the data is lost",
		},
		{
			ID: readUnanswered, RPC: rpcRead, Subject: SubjectState, Title: "was not answered by a read",
			Why:    "Both engines take no answer for an object that is gone, and plan to create it again.",
			Fix:    "Set NewState; if the object is gone, set it to a null of the schema's type.",
			Source: "§1 and §8, both: no value counts as null, and null as deleted",
		},
		{
			ID: readIdentityIncomplete, RPC: rpcRead, Subject: SubjectIdentity, Title: "is required for import, but null after a read",
			Why:    "The object could not be imported by the identity that is stored for it.",
			Fix:    "Give each attribute that is required for import a value, or make it optional for import.",
			Source: "neither engine: what is stored is never checked",
		},
	}
}

// ReadResource is part of [provider.Interface].
func (g *guarded) ReadResource(ctx context.Context, req provider.ReadResourceRequest) (resp provider.ReadResourceResponse) {
	resp, crash := ask(ctx, g, rpcRead, req.TypeName, g.inner.ReadResource, req)
	if crash != nil {
		return unread(&req, crash)
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcRead, req.TypeName, func() { judgeRead(t, &req, &resp) }); crash != nil {
		return unread(&req, with(resp.Diagnostics, crash))
	}
	return resp
}

func judgeRead(t *resourceType, req *provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
	r := newReport(rpcRead, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if resp.Deferred != nil && !failed && !req.ClientCapabilities.DeferralAllowed {
		r.add(readDeferred, nil, "%s of %s was put off for the reason %q.", rpcRead, t.name, resp.Deferred.Reason)
	}
	if r.lawfulSchema(t) {
		usable := r.identity(t, resp.Identity, identityRules{readIdentityUnknown, readIdentityMisfit, readIdentityUnexpected})
		if !failed {
			r.readState(t, resp)
			if resp.Deferred == nil && !resp.NewState.IsNull() {
				r.readKeeps(t, req, resp, usable)
			}
		}
	}
	if r.broken() {
		*resp = unread(req, resp.Diagnostics)
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// readState judges the new state by itself. One that is put off may be unknown
// in part.
func (r *report) readState(t *resourceType, resp *provider.ReadResourceResponse) {
	if resp.NewState == cty.NilVal {
		r.add(readUnanswered, nil, "%s of %s answered no state and no error.", rpcRead, t.name)
		return
	}
	if resp.Deferred == nil {
		r.state(t, resp.NewState, stateRules{readUnknown, readMisfit, readSecret})
		return
	}
	switch {
	case !t.state.conforms(resp.NewState):
		r.misfits(t, resp.NewState, readMisfit)
	case t.state.flawsInPlan(resp.NewState)&holdsSecret != 0:
		r.secrets(t, resp.NewState, readSecret)
	}
}

// readKeeps judges whether an object that exists keeps what was stored with it.
func (r *report) readKeeps(t *resourceType, req *provider.ReadResourceRequest, resp *provider.ReadResourceResponse, usable bool) {
	if t.identity != nil && usable {
		if t.identity.absent(resp.Identity) {
			r.add(readIdentityMissing, nil, "%s of %s answered an object without its identity.", rpcRead, t.name)
		} else {
			r.completeIdentity(t, resp.Identity, readIdentityIncomplete)
			r.sameIdentity(t, req.CurrentIdentity, resp.Identity, readIdentityChanged)
		}
	}
	if len(req.Private) > 0 && resp.Private == nil {
		r.add(readPrivateLost, nil, "%s of private data came with the request, and %s of %s answered none.", diag.Count(len(req.Private), "byte"), rpcRead, t.name)
	}
}

// unread answers what was known before.
func unread(req *provider.ReadResourceRequest, messages diag.Diagnostics) provider.ReadResourceResponse {
	return provider.ReadResourceResponse{
		NewState: req.PriorState, Private: req.Private, Identity: req.CurrentIdentity, Diagnostics: messages,
	}
}
