package guard

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// MutableIdentity is implemented by a provider that has resource types whose objects may
// change their identity. The identities of all other objects must not change, because clients
// find an object by its identity.
type MutableIdentity interface {
	MutableIdentity(typeName string) bool
}

// SameIdentity is implemented by a provider whose objects may have several names, such as the
// former names of a host: an identity may change from one name to another.
type SameIdentity interface {
	// SameIdentity reports whether two different identities of a type, which conform to its
	// schema, identify the same object.
	SameIdentity(typeName string, prior, current cty.Value) bool
}

// Option changes how a guard works; see [LogPanics].
type Option func(*guarded)

// LogPanics returns an option to write the stack of each panic to log. The message to the user does
// not have the stack, which is lost without this option.
func LogPanics(log *slog.Logger) Option {
	return func(g *guarded) { g.log = log }
}

// Wrap returns p with all its responses checked against [Rules]. The Unwrap method
// of the result returns p.
func Wrap(p provider.Interface, options ...Option) provider.Interface {
	g := &guarded{inner: p}
	for _, o := range options {
		o(g)
	}
	return g
}

// guarded is a provider whose responses are checked.
type guarded struct {
	inner provider.Interface
	log   *slog.Logger // may be nil

	// cached is set by load, under mu, once the provider has returned its schemas
	// without errors and no check of them has panicked.
	cached atomic.Pointer[catalog]
	mu     sync.Mutex

	// calls are the hashes of calls of functions.
	calls purity
	// chunkSizes has the agreed chunk size, an int64, for the type name of each
	// configured state store.
	chunkSizes sync.Map
}

var _ provider.Interface = (*guarded)(nil)

// Unwrap returns the provider that is guarded.
func (g *guarded) Unwrap() provider.Interface { return g.inner }

// find returns the first provider that implements T: p itself, or a provider that p wraps, directly or not.
func find[T any](p provider.Interface) (found T, ok bool) {
	for p != nil {
		if found, ok = p.(T); ok {
			return found, true
		}
		wrapper, wraps := p.(interface{ Unwrap() provider.Interface })
		if !wraps {
			break
		}
		p = wrapper.Unwrap()
	}
	return found, false
}

// call describes one RPC about a type: how the provider is called, the rules for
// its responses, and the response that replaces one that breaks a rule.
type call[Req, Resp any] struct {
	rpc    string
	family family
	// rules are checked in order, after those for diagnostics.
	rules []Rule

	invoke      func(provider.Interface, context.Context, Req) Resp
	diagnostics func(*Resp) *diag.Diagnostics

	// fill sets the fields of an exchange.
	fill func(*exchange, *Req, *Resp)
	// inspect and compare are copied to the exchange.
	inspect func(*exchange) problem
	compare func(*exchange) []violation

	// refuse returns the response that replaces one that broke a rule or could not be checked.
	// t is nil if there is no response, because the provider panicked. The diagnostics are set
	// later. If refuse is nil, the zero response is used.
	refuse func(t *resourceType, req *Req, resp *Resp) Resp
	// repair changes a response after the check, whether or not it broke rules. If repair
	// is nil, responses about which the guard reports an error are replaced by refuse.
	repair func(*exchange, *Req, *Resp)

	// pool reuses the memory of finished calls, as *running.
	pool *sync.Pool
}

// running is the memory of one call.
type running[Req, Resp any] struct {
	req  Req
	resp Resp
	x    exchange
}

// run calls the provider and checks the response about the type with the name. A
// type that the provider's schema does not have has no rules.
func run[Req, Resp any](ctx context.Context, g *guarded, c *call[Req, Resp], name string, req Req) Resp {
	r, ok := c.pool.Get().(*running[Req, Resp])
	if !ok {
		r = new(running[Req, Resp])
	}
	r.req = req
	var crash diag.Diagnostics
	if r.resp, crash = callProvider(ctx, g, c.rpc, name, c.invoke, req); crash != nil {
		c.refuseResponse(nil, r, crash)
	} else if t := g.load(ctx).types[c.family].of(name); t != nil {
		if crash = g.checking(ctx, c.rpc, t.name, func() { c.check(t, r) }); crash != nil {
			c.refuseResponse(t, r, with(*c.diagnostics(&r.resp), crash))
		}
	}
	resp := r.resp
	*r = running[Req, Resp]{}
	c.pool.Put(r)
	return resp
}

// table returns the rules of the call with their RPC set, as in [Rules].
func (c *call[Req, Resp]) table() []Rule { return table(c.rpc, c.rules) }

func (c *call[Req, Resp]) check(t *resourceType, r *running[Req, Resp]) {
	x, own := &r.x, *c.diagnostics(&r.resp)
	x.report, x.t = newReport(c.rpc, t), t
	x.request, x.response, x.diagnostics = &r.req, &r.resp, own
	x.inspect, x.compare = c.inspect, c.compare
	if c.fill != nil {
		c.fill(x, &r.req, &r.resp)
	}
	x.begin()
	x.checkDiagnostics()
	// A client that uses a type with an invalid schema ignored the errors about the schema.
	x.list = append(x.list, t.schemaErrors...)
	x.check(c.rules)
	switch {
	case c.repair != nil:
		c.repair(x, &r.req, &r.resp)
	case x.broken():
		c.refuseResponse(t, r, own)
	}
	if x.list != nil {
		*c.diagnostics(&r.resp) = x.addTo(own)
	}
}

func (c *call[Req, Resp]) refuseResponse(t *resourceType, r *running[Req, Resp], diags diag.Diagnostics) {
	var refused Resp
	if c.refuse != nil {
		refused = c.refuse(t, &r.req, &r.resp)
	}
	*c.diagnostics(&refused) = diags
	r.resp = refused
}

// callProvider calls the provider. If the provider panics, callProvider returns the zero
// response and the diagnostics for the panic.
func callProvider[Req, Resp any](
	ctx context.Context, g *guarded, rpc, typeName string,
	invoke func(provider.Interface, context.Context, Req) Resp, req Req,
) (resp Resp, crash diag.Diagnostics) {
	defer g.recovered(ctx, &panicInCall, rpc, typeName, &crash)
	return invoke(g.inner, ctx, req), nil
}

// checking runs the checks of one response. If reading an invalid value panics, it returns
// the diagnostics for the panic.
func (g *guarded) checking(ctx context.Context, rpc, typeName string, check func()) (crash diag.Diagnostics) {
	defer g.recovered(ctx, &panicInCheck, rpc, typeName, &crash)
	check()
	return nil
}

// recovered recovers a panic and sets crash to the diagnostics for it. It must be deferred.
func (g *guarded) recovered(ctx context.Context, broken *Rule, rpc, typeName string, crash *diag.Diagnostics) {
	if recover() != nil {
		*crash = g.panicked(ctx, broken, rpc, typeName)
	}
}

var panicRules = []Rule{panicInCall, panicInCheck}

var (
	panicInCall = Rule{
		ID: "PANIC-001", Subject: SubjectResponse, Title: "is missing: the code panicked",
		Why:    "A panic would end the process, and with it every other operation in progress.",
		Fix:    "Find the stack trace in the log, and return an error instead.",
		Source: "no engine recovers from the panic; provider.Interface never panics",
	}
	panicInCheck = Rule{
		ID: "PANIC-002", Subject: SubjectResponse, Title: "has a value that cannot be checked",
		Why:    "A value whose own methods panic would crash the engine in the same place.",
		Fix:    "Find the stack trace in the log, and return plain values of the types in the schema.",
		Source: "no engine recovers from the panic; provider.Interface never panics",
	}
)

// panicked returns the diagnostics for a panic and, if there is a log, logs the stack. The value of
// the panic is neither shown nor logged, because it may contain secrets.
func (g *guarded) panicked(ctx context.Context, broken *Rule, rpc, typeName string) diag.Diagnostics {
	if g.log != nil {
		g.log.LogAttrs(ctx, slog.LevelError, "panic in a provider call",
			slog.String("rule", string(broken.ID)), slog.String("rpc", rpc), slog.String("type", typeName),
			slog.String("stack", string(debug.Stack())))
	}
	r := report{rpc: rpc, typeName: typeName, rule: broken}
	what := "%s panicked at %s."
	if broken == &panicInCheck {
		what = "The check of the response to %s panicked at %s."
	}
	r.add(nil, what, rpc, diag.PanicSite())
	if broken == &panicInCall {
		r.list[0].Crash = diag.Panicked
	}
	return r.list
}
