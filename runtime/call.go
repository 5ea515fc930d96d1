package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// call is what one RPC collects while a resource's methods run.
type call struct {
	typeName string
	private  PrivateData
	creates  bool // a create is being planned
	// configuration is that of the object whose change is planned or applied; else
	// NilVal.
	configuration cty.Value
	// operation is the method that runs, for messages about it.
	operation operation
	meta      metaOf

	mu       sync.Mutex
	warnings diag.Diagnostics
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func (c *call) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// PlansCreate reports whether the call that ctx belongs to plans a create, so
// that ValidateInputs can look whether something is in the way already. The
// plan of a replacement is one too, while the object that goes is still there.
func PlansCreate(ctx context.Context) bool {
	c := callFrom(ctx)
	return c != nil && c.creates
}

// Configured reports whether the configuration of the object that ctx is about sets an
// attribute, by its name: of one that is also computed, the value alone does not
// tell, as an update plans the one that is there. It does so while a change is
// planned or applied; in Read and Delete there is no configuration.
func Configured(ctx context.Context, attribute string) bool {
	c := callFrom(ctx)
	if c == nil || !usable(c.configuration) || !c.configuration.Type().HasAttribute(attribute) {
		return false
	}
	return !c.configuration.GetAttr(attribute).IsNull()
}

// Warn adds a warning to the answer of the RPC that ctx belongs to. Attribute is
// a top-level attribute's name, or empty for the whole object. It may be called
// from anywhere below a resource's method; outside of one it does nothing.
func Warn(ctx context.Context, attribute, summary, detail string) {
	c := callFrom(ctx)
	if c == nil {
		return
	}
	c.said(diag.Diagnostics{newWarning(attribute, summary, detail)})
}

// said adds messages to those of the answer.
func (c *call) said(diags diag.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, diags...)
}

// take returns the messages since the last time, for answers that are streams.
func (c *call) take() diag.Diagnostics {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.warnings
	c.warnings = nil
	return taken
}

// diagnostics are the warnings collected and err, under a summary that says
// what could not be done.
func (c *call) diagnostics(summary string, err error) diag.Diagnostics {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		return c.warnings
	}
	return append(c.warnings, diag.FromError(summary, err)...)
}

// failed reports whether err stops the operation; one that holds nothing but
// warnings does not.
func failed(err error) bool {
	return err != nil && diag.FromError("", err).HasErrors()
}

// guardPanic runs f and turns a panic into an error that says which method of
// which resource it was. What was panicked with may hold a value, so only the
// words of Go's own run-time errors are repeated; the stack goes to the log.
func (c *call) guardPanic(ctx context.Context, method string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = c.panicError(ctx, method, r)
		}
	}()
	return f()
}

func (c *call) panicError(ctx context.Context, method string, r any) error {
	tflog.Error(ctx, "panic in provider code", map[string]any{
		"type": c.typeName, "method": method, "stack": string(debug.Stack()),
	})
	what := "details are in the log (TF_LOG=ERROR)"
	var re goruntime.Error
	if e, ok := r.(error); ok && errors.As(e, &re) {
		what = re.Error()
	}
	return diag.Diagnostic{
		Severity: diag.Error,
		Summary:  "Provider bug: the provider crashed",
		Detail: fmt.Sprintf("The method %s of %s panicked: %s. This is a mistake in the provider, not in your configuration; please report it.",
			method, c.typeName, what),
	}
}

// deferral is an error that asks for the operation to be put off.
type deferral struct {
	reason  provider.DeferredReason
	refusal error // what to say where the client does not allow it
}

func (d *deferral) Error() string { return d.refusal.Error() }
func (d *deferral) Unwrap() error { return d.refusal }

// Defer is an error by which Read, ValidateInputs, ModifyResourcePlan or Import
// puts its object off to a later run, where the client allows that; where it
// does not, it is an ordinary error.
func Defer(reason provider.DeferredReason) error {
	return &deferral{reason, fmt.Errorf("this cannot be done yet (%s), and the client does not allow to put it off", reason)}
}

// deferredBy returns the deferral that err asks for, if the client allows it,
// and what else err has to say. Next to another error there is no deferral:
// what fails now would fail later too.
func deferredBy(err error, caps provider.ClientCapabilities) (*provider.Deferred, error) {
	d, ok := errors.AsType[*deferral](err)
	if !ok || !caps.DeferralAllowed {
		return nil, err
	}
	if rest := withoutDeferral(err); !failed(rest) {
		return &provider.Deferred{Reason: d.reason}, rest
	}
	return nil, err
}

// withoutDeferral is what stands beside a deferral in err.
func withoutDeferral(err error) error {
	if _, ok := errors.AsType[*deferral](err); !ok {
		return err
	}
	switch e := err.(type) { //nolint:errorlint // each level of the chain is visited by the recursion
	case *deferral:
		return nil
	case interface{ Unwrap() []error }:
		var rest []error
		for _, part := range e.Unwrap() {
			rest = append(rest, withoutDeferral(part))
		}
		return errors.Join(rest...)
	default:
		return withoutDeferral(errors.Unwrap(err))
	}
}
