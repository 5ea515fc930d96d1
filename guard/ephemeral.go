package guard

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// closing is how long closing an object may take whose answer was refused, as
// long as engines allow themselves.
const closing = 10 * time.Second

// ValidateEphemeralResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateEphemeral, req.TypeName, g.inner.ValidateEphemeralResourceConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidateEphemeral, g.load(ctx).ephemerals.of(req.TypeName), resp.Diagnostics, crash)
	return resp
}

// OpenEphemeralResource is part of [provider.Interface]. Its rules are in
// ephemeralrules.go.
//
// Neither engine closes an object whose opening came with an error. So where
// the only errors are the guard's, the guard closes what the provider opened,
// and answers no private data with which anybody could do so again.
func (g *guarded) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	resp, crash := ask(ctx, g, rpcOpen, req.TypeName, g.inner.OpenEphemeralResource, req)
	if crash != nil {
		return provider.OpenEphemeralResourceResponse{Diagnostics: crash}
	}
	t := g.load(ctx).ephemerals.of(req.TypeName)
	if t == nil {
		return resp
	}
	open := resp.Deferred == nil && !resp.Diagnostics.HasErrors()
	var refused diag.Diagnostics
	if crash = g.judging(ctx, rpcOpen, t.name, func() { refused = judgeOpen(t, &req, &resp) }); crash != nil {
		refused = crash
	}
	switch {
	case refused == nil:
		return resp
	case !refused.HasErrors():
		resp.Diagnostics = with(resp.Diagnostics, refused)
		return resp
	}
	messages := with(resp.Diagnostics, refused)
	if open {
		messages = with(messages, g.closeRefused(ctx, provider.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: resp.Private}))
	}
	return provider.OpenEphemeralResourceResponse{Diagnostics: messages}
}

// closeRefused closes an object that nobody else will close.
func (g *guarded) closeRefused(ctx context.Context, req provider.CloseEphemeralResourceRequest) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return g.CloseEphemeralResource(ctx, req).Diagnostics
}

// judgeOpen is what there is to say about the answer; nil if nothing.
func judgeOpen(t *resourceType, req *provider.OpenEphemeralResourceRequest, resp *provider.OpenEphemeralResourceResponse) diag.Diagnostics {
	r := newReport(rpcOpen, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if resp.Deferred != nil && !failed && !req.ClientCapabilities.DeferralAllowed {
		r.add(openDeferred, nil, "%s of %s was put off for the reason %q.", rpcOpen, t.name, resp.Deferred.Reason)
	}
	switch {
	case !r.lawfulSchema(t):
	case failed:
		if len(resp.Private) > 0 {
			r.add(openLeaked, nil, "%s of %s answered an error and %s of private data.", rpcOpen, t.name, diag.Count(len(resp.Private), "byte"))
		}
	case resp.Deferred != nil:
		if !t.state.conforms(resp.Result) {
			r.misfits(t, resp.Result, openMisfit)
		}
	default:
		r.given(t, req.Config, resp.Result, givenRules{openNull, openUnknown, openMisfit, openConfigured})
		r.renewal(t, resp.RenewAt, openRenewAt)
	}
	return r.list
}

// renewal judges the time of the next renewal; none is lawful.
func (r *report) renewal(t *resourceType, at time.Time, rule ID) {
	if at.IsZero() {
		return
	}
	if ahead := time.Until(at); ahead < soonest {
		r.add(rule, nil, "%s of %s answered the time %s, which is %s from now.",
			r.rpc, t.name, at.UTC().Format(time.RFC3339), ahead.Round(time.Millisecond))
	}
}

// RenewEphemeralResource is part of [provider.Interface]. Whatever is wrong, the
// private data with which the object can be closed is answered; and where no
// lawful time of a next renewal came, there is none, so that nobody spins.
func (g *guarded) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) (resp provider.RenewEphemeralResourceResponse) {
	resp, crash := ask(ctx, g, rpcRenew, req.TypeName, g.inner.RenewEphemeralResource, req)
	if crash != nil {
		return provider.RenewEphemeralResourceResponse{Private: req.Private, Diagnostics: crash}
	}
	t := g.load(ctx).ephemerals.of(req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcRenew, t.name, func() { judgeRenew(t, &req, &resp) }); crash != nil {
		return provider.RenewEphemeralResourceResponse{Private: req.Private, Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeRenew(t *resourceType, req *provider.RenewEphemeralResourceRequest, resp *provider.RenewEphemeralResourceResponse) {
	r := newReport(rpcRenew, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	r.lawfulSchema(t)
	if resp.Private == nil && len(req.Private) > 0 {
		if !failed {
			r.add(renewPrivate, nil, "%s of private data came with the request, and %s of %s answered none.", diag.Count(len(req.Private), "byte"), rpcRenew, t.name)
		}
		resp.Private = req.Private
	}
	// OpenTofu follows the time even of a renewal that failed.
	r.renewal(t, resp.RenewAt, renewRenewAt)
	if r.broken() {
		resp.RenewAt = time.Time{}
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// CloseEphemeralResource is part of [provider.Interface].
func (g *guarded) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	resp, crash := ask(ctx, g, rpcClose, req.TypeName, g.inner.CloseEphemeralResource, req)
	resp.Diagnostics = g.messages(ctx, rpcClose, g.load(ctx).ephemerals.of(req.TypeName), resp.Diagnostics, crash)
	return resp
}
