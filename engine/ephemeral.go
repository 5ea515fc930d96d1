package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// closeTimeout limits the wait for a renewal before a close.
const closeTimeout = 10 * time.Second

// openObject is the object of an open ephemeral resource. It is renewed in the background, at the
// times that the provider requests, until it is closed.
type openObject struct {
	*node
	stop chan struct{} // closed to prevent further renewals
	done chan struct{}

	mu      sync.Mutex
	first   []byte // the private data that Open returned
	private []byte // the latest private data
	diags   tfdiags.Diagnostics
}

// openEphemeral opens an ephemeral resource if its configuration is known and it need not wait for
// dependencies. Otherwise, it sets the planned value, or, in an apply of OpenTofu, returns an error
// (docs/checks.md §15).
func (n *node) openEphemeral() tfdiags.Diagnostics {
	diags := n.preconditions()
	if diags.HasErrors() {
		return diags
	}
	config, moreDiags := n.scope().body(n.block.Config, n.schema.Body)
	diags = append(diags, moreDiags.WithAddress(n.text)...)
	if diags.HasErrors() {
		return diags
	}
	unmarked, sensitive := lang.UnmarkDeepSensitivePaths(config)
	paths := pathsOf(sensitive)
	typeName := n.addr.Resource.Resource.Type
	// OpenTofu waits for the dependencies of the block, as it does for data; Terraform
	// does not wait.
	waits := n.op == planning && !n.terraform() && n.dependencyPending()
	if waits || !unmarked.IsWhollyKnown() {
		if n.op == applying && !n.terraform() {
			return append(diags, n.errorf("Incomplete configuration for ephemeral resource", "The configuration of %s has unknown values during the apply.", n.text)...)
		}
		value := n.visible(objchange.PlannedDataResourceObject(n.schema.Body, unmarked), paths).Mark(lang.Ephemeral)
		n.objects.set(n.addr, value)
		if n.terraform() {
			return diags
		}
		return append(diags, n.postconditions(value)...)
	}
	validated := call(n.ctx, n.Engine, "ValidateEphemeralResourceConfig", n.text, n.provider.ValidateEphemeralResourceConfig,
		provider.ValidateEphemeralResourceConfigRequest{TypeName: typeName, Config: unmarked})
	diags = append(diags, n.providerDiags(validated.Diagnostics)...)
	if diags.HasErrors() {
		return diags
	}
	capabilities := capabilities
	if n.terraform() {
		capabilities = provider.ClientCapabilities{}
	}
	resp := call(n.ctx, n.Engine, "OpenEphemeralResource", n.text, n.provider.OpenEphemeralResource,
		provider.OpenEphemeralResourceRequest{TypeName: typeName, Config: unmarked, ClientCapabilities: capabilities})
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return diags
	}
	if resp.Deferred != nil && n.terraform() {
		n.objects.set(n.addr, n.unknownValue().Mark(lang.Ephemeral))
		return diags
	}
	v := valueOrNull(resp.Result, n.schema.ty)
	if problems := n.checkOpened(unmarked, v); len(problems) > 0 {
		if !n.terraform() {
			diags = append(diags, n.closeWith(resp.Private)...)
		}
		return append(diags, problems...)
	}
	value := n.visible(v, pathsIn(v, paths)).Mark(lang.Ephemeral)
	n.objects.set(n.addr, value)
	n.keepOpen(resp)
	return append(diags, n.postconditions(value)...)
}

// checkOpened checks the result of an Open.
func (n *node) checkOpened(config, v cty.Value) tfdiags.Diagnostics {
	if !n.terraform() {
		return n.checkObject(v)
	}
	const summary = "Provider produced invalid ephemeral resource instance"
	if problem := typeProblem(v, n.schema.ty); problem != "" {
		return n.providerErrorf(summary, "returned an object for %s that does not match its schema: %s.", n.text, problem)
	}
	var diags tfdiags.Diagnostics
	for _, err := range objchange.AssertPlanValid(n.schema.Body, cty.NullVal(n.schema.ty), config, v) {
		diags = append(diags, n.providerErrorf(summary, "returned an invalid object for %s.", n.withPath(err))...)
	}
	return diags
}

// keepOpen records the open object, which the walk closes, and starts its renewal in the background.
func (n *node) keepOpen(resp provider.OpenEphemeralResourceResponse) {
	o := &openObject{node: n, stop: make(chan struct{}), done: make(chan struct{}), first: resp.Private, private: resp.Private}
	n.ephemeral.add(o)
	go o.renew(resp.RenewAt)
}

func (o *openObject) renew(when time.Time) {
	defer close(o.done)
	for !when.IsZero() {
		timer := time.NewTimer(time.Until(when))
		select {
		case <-o.stop:
			timer.Stop()
			return
		case <-timer.C:
		}
		o.mu.Lock()
		private := o.private
		o.mu.Unlock()
		resp := call(o.ctx, o.Engine, "RenewEphemeralResource", o.text, o.provider.RenewEphemeralResource,
			provider.RenewEphemeralResourceRequest{TypeName: o.addr.Resource.Resource.Type, Private: private})
		o.mu.Lock()
		if !o.terraform() { // Terraform discards the diagnostics of a renewal
			o.diags = append(o.diags, o.providerDiags(resp.Diagnostics)...)
		}
		o.private = resp.Private
		o.mu.Unlock()
		if o.terraform() && resp.Diagnostics.HasErrors() {
			return
		}
		when = resp.RenewAt
	}
}

// closeEphemerals closes the open objects in the reverse order of opening. Like core, it does not
// close the objects of a block if the block, or anything that depends on it, failed.
func (w *walk) closeEphemerals(g *graph) tfdiags.Diagnostics {
	open := w.ephemeral.items()
	if len(open) == 0 {
		return nil
	}
	var diags tfdiags.Diagnostics
	left := g.neededByFailed()
	for _, o := range slices.Backward(open) {
		if ended := o.stopRenewal(); !left[o.addr.ConfigResource().String()] {
			diags = append(diags, o.close(ended)...)
		}
	}
	return diags
}

// stopRenewal ends the renewal and reports whether it ended within closeTimeout. Like core, it does not
// cancel a call in progress.
func (o *openObject) stopRenewal() bool {
	close(o.stop)
	select {
	case <-o.done:
		return true
	case <-time.After(closeTimeout):
		return false
	}
}

// close closes the object and also returns the diagnostics of its renewals. renewalEnded is the
// result of stopRenewal.
func (o *openObject) close(renewalEnded bool) tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	if !renewalEnded && !o.terraform() {
		diags = o.errorf("Closing ephemeral resource timed out", "The renewal of %s did not end within %s.", o.text, closeTimeout)
	}
	o.mu.Lock()
	private, moreDiags := o.private, o.diags
	if o.terraform() {
		private = o.first
	}
	o.mu.Unlock()
	diags = append(diags, moreDiags...)
	return append(diags, o.closeWith(private)...)
}

// closeWith calls the provider to close an object.
func (n *node) closeWith(private []byte) tfdiags.Diagnostics {
	resp := call(context.WithoutCancel(n.ctx), n.Engine, "CloseEphemeralResource", n.text, n.provider.CloseEphemeralResource,
		provider.CloseEphemeralResourceRequest{TypeName: n.addr.Resource.Resource.Type, Private: private})
	return n.providerDiags(resp.Diagnostics)
}
