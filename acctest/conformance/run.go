package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// capabilities are the client capabilities in requests.
var capabilities = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// checker holds the state shared by all cases of a provider.
type checker struct {
	Options
	schema provider.GetProviderSchemaResponse
	shared *instance
	calls  atomic.Int64
	// applyTime is the moving average of the duration of an apply.
	applyTime time.Duration
}

// instance is a started provider. Its Interface is replaced after its process has ended.
type instance struct{ provider.Interface }

// run is the execution of one case: an object, its state, and the provider.
type run struct {
	*checker
	s *subject
	p *instance
	object
	// config is the configuration that was last applied.
	config cty.Value
	// secrets are texts that messages must not contain.
	secrets []string
	// done are the operations that succeeded.
	done map[operation]bool
}

// object is an object as a client stores it: state, identity, private data, and whether it is
// tainted.
type object struct {
	state, identity cty.Value
	private         []byte
	tainted         bool
}

func (s *subject) noObject() object { return object{state: s.null(), identity: s.nullIdentity()} }

// call calls f with req and checks the laws about every call: it must not panic, end the
// process or show a sensitive value in a message. It restarts a provider whose process ended.
func call[Req, Resp any](ctx context.Context, r *run, rpc string, f func(context.Context, Req) Resp, req Req, messages func(Resp) diag.Diagnostics) (resp Resp, err error) {
	r.calls.Add(1)
	defer func() {
		if p := recover(); p != nil {
			err = r.breaks(lawPanic, rpc, "the call panicked with a %T\n%s", p, panicStack())
			if err == nil {
				err = &rejection{planning, nil}
			}
		}
	}()
	resp = f(ctx, req)
	if how := messages(resp).Crash(); how != diag.NoCrash {
		if how == diag.ProcessEnded {
			r.restart(ctx, r.p)
		}
		what := errorText(messages(resp))
		for _, secret := range r.secrets {
			what = strings.ReplaceAll(what, secret, "(sensitive)")
		}
		return resp, r.breaks(crashLaw(how), rpc, "%s", what)
	}
	for _, m := range messages(resp) {
		for _, secret := range r.secrets {
			if strings.Contains(m.Summary, secret) || strings.Contains(m.Detail, secret) {
				return resp, r.breaks(lawSecret, rpc, "the message %q contains the value of a sensitive attribute",
					strings.ReplaceAll(m.Summary+": "+m.Detail, secret, "(sensitive)"))
			}
		}
	}
	return resp, nil
}

// crashLaw returns the law that a crash breaks.
func crashLaw(how diag.Crash) string {
	if how == diag.ProcessEnded {
		return lawAlive
	}
	return lawPanic
}

// panicStack returns up to six calls of the stack of a panic, the innermost first, without
// arguments and without calls inside the Go runtime.
func panicStack() string {
	pcs := make([]uintptr, 32)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(3, pcs)])
	var lines []string
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "conformance.call[") || !more || len(lines) == 6 {
			return strings.Join(lines, "\n")
		}
		if !strings.HasPrefix(frame.Function, "runtime.") {
			lines = append(lines, fmt.Sprintf("at %s:%d in %s", filepath.Base(frame.File), frame.Line, frame.Function))
		}
	}
}

// checkConfig returns an error for an attribute of the configuration that the schema does
// not have.
func (w *checker) checkConfig() error {
	body := w.schema.Provider.Body
	for name := range w.Config.Type().AttributeTypes() {
		if body.Attributes[name] == nil && body.BlockTypes[name] == nil {
			return fmt.Errorf("conformance: Options.Config has %q, which the provider block does not have", name)
		}
	}
	return nil
}

// open returns a configured instance of the provider.
func (w *checker) open(ctx context.Context) (*instance, error) {
	if w.shared != nil {
		return w.shared, nil
	}
	p, err := w.start(ctx)
	if err != nil {
		return nil, err
	}
	started := &instance{p}
	if w.OneInstance {
		w.shared = started
	}
	return started, nil
}

// restart starts the provider again after its process ended. If that fails, all calls of
// the instance keep failing; without OneInstance, the next start returns the cause.
func (w *checker) restart(ctx context.Context, ended *instance) {
	p, err := w.start(ctx)
	if err != nil {
		return
	}
	_ = ended.Close() // the end of the process is already reported
	ended.Interface = p
}

// start creates an instance of the provider, gets its schema if necessary, and configures
// it. An instance that cannot be configured is closed.
func (w *checker) start(ctx context.Context) (_ provider.Interface, err error) {
	p, err := w.Provider(ctx)
	if err != nil {
		return nil, fmt.Errorf("conformance: cannot create the provider: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if w.schema.ResourceTypes == nil || !w.schema.ServerCapabilities.GetProviderSchemaOptional {
		w.schema = p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{})
		if err := w.schema.Diagnostics.Err(); err != nil {
			return nil, fmt.Errorf("conformance: cannot get the provider's schema: %w", err)
		}
	}
	config := w.Config
	if config == cty.NilVal {
		config = w.schema.Provider.Body.EmptyValue()
	} else if err := w.checkConfig(); err != nil {
		return nil, err
	}
	diags := p.ValidateProviderConfig(ctx, provider.ValidateProviderConfigRequest{Config: config}).Diagnostics
	if !diags.HasErrors() {
		diags = p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{
			TerraformVersion: "1.14.0", Config: config, ClientCapabilities: capabilities,
		}).Diagnostics
	}
	if err := diags.Err(); err != nil {
		return nil, fmt.Errorf("conformance: the provider refuses its configuration (set Options.Config): %w", err)
	}
	return p, nil
}

// nextPhase simulates the next run of a client: another instance of the provider, and a
// state that was stored and read again.
func (r *run) nextPhase(ctx context.Context) error {
	if err := r.reopen(ctx); err != nil {
		return err
	}
	return r.reload(ctx)
}

func (r *run) reopen(ctx context.Context) error {
	if err := r.closeProvider(); err != nil {
		return err
	}
	p, err := r.open(ctx)
	r.p = p
	return err
}

// closeProvider closes the instance, unless it is shared.
func (r *run) closeProvider() error {
	if r.p == nil || r.OneInstance {
		return nil
	}
	err := r.p.Close()
	r.p = nil
	if err != nil {
		return fmt.Errorf("conformance: cannot close the provider: %w", err)
	}
	return nil
}

func (r *run) meta() cty.Value {
	if r.schema.ProviderMeta.Body == nil {
		return cty.NilVal
	}
	return cty.NullVal(r.schema.ProviderMeta.Body.ImpliedType())
}

// planned is the response to a plan request, with the prior state of the request.
type planned struct {
	prior, state, identity cty.Value
	private                []byte
	replace                []cty.Path
	messages               diag.Diagnostics
	deferred, legacy       bool
}

func (p planned) refused() bool { return p.messages.HasErrors() || p.deferred }

// noop reports whether the plan changes nothing.
func (p planned) noop() bool { return objchange.Equal(p.prior, p.state) && !p.replaces() }

// replaces reports whether the change requires a replacement. As in clients, only
// paths whose values change count.
func (p planned) replaces() bool {
	if p.prior.IsNull() {
		return false
	}
	for _, path := range p.replace {
		was, is := valueAt(p.prior, path), valueAt(p.state, path)
		if was == cty.NilVal || is == cty.NilVal || !is.IsWhollyKnown() || !objchange.Equal(was, is) {
			return true
		}
	}
	return false
}

func (r *run) validate(ctx context.Context, config cty.Value) (diag.Diagnostics, error) {
	resp, err := call(ctx, r, rpcValidate, r.p.ValidateResourceConfig, provider.ValidateResourceConfigRequest{
		TypeName: r.s.name, Config: config, ClientCapabilities: capabilities,
	}, func(resp provider.ValidateResourceConfigResponse) diag.Diagnostics { return resp.Diagnostics })
	return resp.Diagnostics, err
}

const (
	rpcValidate = "ValidateResourceConfig"
	rpcPlan     = "PlanResourceChange"
	rpcApply    = "ApplyResourceChange"
	rpcRead     = "ReadResource"
	rpcImport   = "ImportResourceState"
	rpcGenerate = "GenerateResourceConfig"
	rpcUpgrade  = "UpgradeResourceState"
)

// plan plans the object with config, or its deletion if config is null, and checks the
// response.
func (r *run) plan(ctx context.Context, prior object, config cty.Value) (planned, error) {
	proposed := config
	if !config.IsNull() {
		proposed = objchange.ProposedNew(r.s.body, prior.state, config)
	}
	resp, err := call(ctx, r, rpcPlan, r.p.PlanResourceChange, provider.PlanResourceChangeRequest{
		TypeName: r.s.name, PriorState: prior.state, ProposedNewState: proposed, Config: config, PriorPrivate: prior.private,
		ProviderMeta: r.meta(), ClientCapabilities: capabilities, PriorIdentity: prior.identity,
	}, func(resp provider.PlanResourceChangeResponse) diag.Diagnostics { return resp.Diagnostics })
	p := planned{
		prior: prior.state, state: r.orNull(resp.PlannedState), identity: r.orNullIdentity(resp.PlannedIdentity),
		private: resp.PlannedPrivate, replace: resp.RequiresReplace, messages: resp.Diagnostics,
		deferred: resp.Deferred != nil, legacy: resp.LegacyTypeSystem,
	}
	r.s.legacy = r.s.legacy || p.legacy
	if err != nil || p.refused() {
		return p, err
	}
	return p, r.checkPlan(prior, config, p)
}

func (r *run) checkPlan(prior object, config cty.Value, p planned) error {
	if config.IsNull() {
		if !p.state.IsNull() {
			return r.breaks(lawPlanValid, rpcPlan, "the plan of a deletion is not null")
		}
		return nil
	}
	if errs := p.state.Type().TestConformance(r.s.ty); len(errs) > 0 {
		return r.errs(lawPlanValid, rpcPlan, errs, nil)
	}
	for path := range r.s.body.WriteOnlyValues(p.state) {
		if err := r.breaks(lawWriteOnly, rpcPlan, "%s is write-only and is in the plan", diag.FormatPath(path)); err != nil {
			return err
		}
	}
	if broken := objchange.AssertPlanValid(r.s.body, prior.state, config, p.state); len(broken) > 0 && !p.legacy {
		if err := r.errs(lawPlanValid, rpcPlan, broken, r.changed(broken, config, p.state)); err != nil {
			return err
		}
	}
	for _, path := range p.replace {
		if r.s.body.EnclosingAttribute(path) == nil && !r.isBlock(path) {
			if err := r.breaks(lawReplace, rpcPlan, "%s is not an attribute or block of %s", diag.FormatPath(path), r.s.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) isBlock(path cty.Path) bool {
	_, err := path.Apply(cty.UnknownVal(r.s.ty))
	return len(path) > 0 && err == nil
}

// changed returns the differences at the paths of the errors.
func (r *run) changed(broken []error, want, got cty.Value) []difference {
	var found []difference
	for _, err := range broken {
		if path := pathOf(err); path != nil {
			found = append(found, difference{path, r.s.show(path, valueAt(want, path)), r.s.show(path, valueAt(got, path))})
		}
	}
	return found
}

// apply applies a plan and checks the response. The state is updated as by a client,
// even if a law is broken.
func (r *run) apply(ctx context.Context, p planned, config cty.Value) (diag.Diagnostics, error) {
	prior, begin := r.object, time.Now()
	resp, err := call(ctx, r, rpcApply, r.p.ApplyResourceChange, provider.ApplyResourceChangeRequest{
		TypeName: r.s.name, PriorState: prior.state, PlannedState: p.state, Config: config, PlannedPrivate: p.private,
		ProviderMeta: r.meta(), PlannedIdentity: p.identity,
	}, func(resp provider.ApplyResourceChangeResponse) diag.Diagnostics { return resp.Diagnostics })
	r.applyTime += (time.Since(begin) - r.applyTime) / 4
	panicked := err != nil && resp.NewState == cty.NilVal // there is no response
	state, failed := r.orNull(resp.NewState), resp.Diagnostics.HasErrors() || panicked
	switch {
	case failed && state.IsNull():
		// The prior state is kept.
	case state.IsNull():
		r.object = r.s.noObject()
	default:
		r.object = object{state, r.orNullIdentity(resp.NewIdentity), resp.Private, failed && prior.state.IsNull()}
	}
	if err != nil {
		return resp.Diagnostics, err
	}
	return resp.Diagnostics, r.checkApply(prior, p, state, failed, resp.LegacyTypeSystem)
}

func (r *run) checkApply(prior object, p planned, state cty.Value, failed, legacy bool) error {
	if !failed {
		switch {
		case p.state.IsNull() && !state.IsNull():
			return r.breaks(lawApplyResult, rpcApply, "the deletion succeeded and returned an object")
		case !p.state.IsNull() && state.IsNull():
			return r.breaks(lawApplyResult, rpcApply, "the apply succeeded and returned no object")
		}
	}
	if state.IsNull() {
		return nil
	}
	if err := r.checkStored(rpcApply, state, r.identity, !failed); err != nil || failed {
		return err
	}
	if broken := objchange.AssertObjectCompatible(r.s.body, p.state, state); len(broken) > 0 && !legacy {
		if err := r.errs(lawApplyKeeps, rpcApply, broken, r.changed(broken, p.state, state)); err != nil {
			return err
		}
	}
	if !p.prior.IsNull() {
		return r.checkIdentity(rpcApply, prior.identity, r.identity)
	}
	return nil
}

// read refreshes the object and checks the response.
func (r *run) read(ctx context.Context, from object) (object, diag.Diagnostics, error) {
	resp, err := call(ctx, r, rpcRead, r.p.ReadResource, provider.ReadResourceRequest{
		TypeName: r.s.name, PriorState: from.state, Private: from.private, ProviderMeta: r.meta(),
		ClientCapabilities: capabilities, CurrentIdentity: from.identity,
	}, func(resp provider.ReadResourceResponse) diag.Diagnostics { return resp.Diagnostics })
	if err != nil || resp.Diagnostics.HasErrors() {
		return from, resp.Diagnostics, err
	}
	state := r.orNull(resp.NewState)
	if state.IsNull() {
		return r.s.noObject(), nil, nil
	}
	now := object{state, r.orNullIdentity(resp.Identity), bytes.Clone(resp.Private), from.tainted}
	return now, nil, r.checkStored(rpcRead, state, now.identity, true)
}

func (r *run) orNull(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return r.s.null()
	}
	return v
}

func (r *run) orNullIdentity(v cty.Value) cty.Value {
	if v == cty.NilVal || r.s.identity == nil {
		return r.s.nullIdentity()
	}
	return v
}
