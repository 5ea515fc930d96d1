package guard

import (
	"context"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

var openRules = []Rule{
	{
		ID: "EPH-001", Subject: SubjectResponse, Title: "is deferred, but the client does not allow deferral",
		Why:    "OpenTofu ignores the deferral and uses the response.",
		Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; otherwise return the object or an error.",
		Source: "§15, neither engine: Terraform continues without the object, OpenTofu ignores it",
		when:   succeeded, check: (*exchange).deferralNotAllowed,
	},
	{
		ID: "EPH-002", Subject: SubjectResponse, Title: "has neither an object nor an error",
		Why:    "Configuration refers to attributes of the object, which null does not have.",
		Fix:    "Return an object; if it cannot be opened, return an error with the reason.",
		Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu: \"Provider produced null object\"",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectNull,
	},
	{
		ID: "EPH-003", Subject: SubjectAttribute, Title: "is unknown after the resource was opened",
		Why:    "The object exists, so the value would never become known.",
		Fix:    "Give each attribute a value or null.",
		Source: "§15, OpenTofu: \"Provider produced invalid object\"; Terraform lets computed attributes pass",
		when:   succeeded | notDeferred | validSchema, check: (*exchange).objectUnknown,
	},
	{
		ID: "EPH-004", Subject: SubjectAttribute, Title: "does not match the schema after the resource was opened",
		Why:    "Neither engine can use an object whose type is not that of the schema.",
		Fix:    "Return all attributes of the schema, no others, each with its type.",
		Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu: \"Provider produced invalid object\"",
		when:   succeeded | validSchema, check: (*exchange).objectMismatch,
	},
	{
		ID: "EPH-005", Subject: SubjectAttribute, Title: "differs from the configuration after the resource was opened",
		Why:    "References to a configured attribute get a value that differs from the configuration.",
		Fix:    "Return configured values unchanged; declare the attribute as computed if the provider sets it when it is not configured.",
		Source: "§15, Terraform: \"Provider produced invalid ephemeral resource instance\"; OpenTofu does not compare",
		when:   succeeded | notDeferred | validSchema, check: violates(ofValue),
	},
	{
		ID: "EPH-006", Subject: SubjectResponse, Title: "requests an immediate renewal",
		Why:    "Engines renew at the requested time and have no minimum interval, so they would renew in an endless loop.",
		Fix:    "Set RenewAt to a time at least a second ahead, early enough before the object expires, or leave RenewAt zero if the object does not expire.",
		Source: "§15, neither engine: a time in the past causes a busy loop",
		when:   succeeded | notDeferred | validSchema, check: func(x *exchange) {
			x.renewalTooSoon(x.response.(*provider.OpenEphemeralResourceResponse).RenewAt)
		},
	},
	{
		ID: "EPH-007", Subject: SubjectPrivate, Title: "was returned with an error",
		Why:    "Neither engine closes an object that could not be opened, so the resource that the private data refers to is never released.",
		Fix:    "Release the opened resource before returning the error, and return no private data with it.",
		Source: "§15, neither engine: the data is dropped", Severity: diag.Warning,
		when: validSchema, check: func(x *exchange) {
			if x.has&succeeded == 0 && len(x.private) > 0 {
				x.add(nil, "%s of %s returned an error and %s of private data.", x.rpc, x.typeName, diag.Count(len(x.private), "byte"))
			}
		},
	},
}

var openCall = call[provider.OpenEphemeralResourceRequest, provider.OpenEphemeralResourceResponse]{
	rpc: "OpenEphemeralResource", family: ephemerals, rules: openRules, pool: new(sync.Pool),
	invoke:      provider.Interface.OpenEphemeralResource,
	diagnostics: func(resp *provider.OpenEphemeralResourceResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.OpenEphemeralResourceRequest, resp *provider.OpenEphemeralResourceResponse) {
		x.mayDefer, x.config = req.ClientCapabilities.DeferralAllowed, req.Config
		x.deferred, x.object, x.private = resp.Deferred, resp.Result, resp.Private
	},
	inspect: (*exchange).storedProblem,
	compare: (*exchange).configViolations,
}

// closeTimeout limits the call that closes an object whose response was rejected.
const closeTimeout = 10 * time.Second

// OpenEphemeralResource implements [provider.Interface].
//
// Neither engine closes an object that was opened with an error. If all errors are
// the guard's own, the guard closes the object, and the response has no private
// data with which it could be closed again.
func (g *guarded) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	var opened *provider.CloseEphemeralResourceRequest
	c := openCall
	c.invoke = func(p provider.Interface, ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
		resp := p.OpenEphemeralResource(ctx, req)
		if resp.Deferred == nil && !resp.Diagnostics.HasErrors() {
			opened = &provider.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: resp.Private}
		}
		return resp
	}
	resp := run(ctx, g, &c, req.TypeName, req)
	if opened != nil && resp.Diagnostics.HasErrors() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		resp.Diagnostics = with(resp.Diagnostics, g.CloseEphemeralResource(ctx, *opened).Diagnostics)
	}
	return resp
}

var renewRules = []Rule{
	{
		ID: "EPH-008", Subject: SubjectPrivate, Title: "was dropped by a renewal",
		Why:    "OpenTofu renews and closes with the private data of the last renewal, and Terraform renews with it: without it, the object cannot be found.",
		Fix:    "Return the private data from the request, or an empty slice that is not nil to drop it on purpose.",
		Source: "§15, neither engine: the data is lost",
		when:   succeeded, check: (*exchange).privateDropped,
	},
	{
		ID: "EPH-009", Subject: SubjectResponse, Title: "requests an immediate next renewal",
		Why:    "Engines renew at the requested time and have no minimum interval, so they would renew in an endless loop.",
		Fix:    "Set RenewAt to a time at least a second ahead, or leave it zero if there is nothing left to renew.",
		Source: "§15, neither engine: a time in the past causes a busy loop",
		// OpenTofu uses the time even if the renewal failed.
		when: always, check: func(x *exchange) {
			x.renewalTooSoon(x.response.(*provider.RenewEphemeralResourceResponse).RenewAt)
		},
	},
}

var renewCall = call[provider.RenewEphemeralResourceRequest, provider.RenewEphemeralResourceResponse]{
	rpc: "RenewEphemeralResource", family: ephemerals, rules: renewRules, pool: new(sync.Pool),
	invoke:      provider.Interface.RenewEphemeralResource,
	diagnostics: func(resp *provider.RenewEphemeralResourceResponse) *diag.Diagnostics { return &resp.Diagnostics },
	fill: func(x *exchange, req *provider.RenewEphemeralResourceRequest, resp *provider.RenewEphemeralResourceResponse) {
		x.priorPrivate, x.private = req.Private, resp.Private
	},
	// If the response drops the private data, that of the request is kept, because it is needed for
	// the close. If the guard reports an error, there is no next renewal.
	repair: func(x *exchange, req *provider.RenewEphemeralResourceRequest, resp *provider.RenewEphemeralResourceResponse) {
		if resp.Private == nil && len(req.Private) > 0 {
			resp.Private = req.Private
		}
		if x.broken() {
			resp.RenewAt = time.Time{}
		}
	},
	refuse: func(_ *resourceType, req *provider.RenewEphemeralResourceRequest, _ *provider.RenewEphemeralResourceResponse) provider.RenewEphemeralResourceResponse {
		return provider.RenewEphemeralResourceResponse{Private: req.Private}
	},
}

// RenewEphemeralResource implements [provider.Interface].
func (g *guarded) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	return run(ctx, g, &renewCall, req.TypeName, req)
}

// minRenewal is the minimum time until the next renewal. Engines sleep until the requested time and
// have no minimum interval: if the time is in the past, they renew in a loop. A time less than
// minRenewal ahead, for example because of different clocks or a wrong unit, has almost the same
// effect.
const minRenewal = time.Second

// renewalTooSoon reports the broken rule if the time of the next renewal is too early. A
// zero time means no renewal and is valid.
func (x *exchange) renewalTooSoon(at time.Time) {
	if at.IsZero() {
		return
	}
	if ahead := time.Until(at); ahead < minRenewal {
		x.add(nil, "%s of %s returned the time %s, which is %s from now.",
			x.rpc, x.typeName, at.UTC().Format(time.RFC3339), ahead.Round(time.Millisecond))
	}
}
