package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// call collects the diagnostics and other results of the methods of a type, for one RPC or
// for one listed object.
type call struct {
	typeName string
	form     *form // form that the paths of diagnostics refer to; nil if there is none, as for older schemas
	private  PrivateData
	// pathless moves the paths of diagnostics into their text, because clients would
	// interpret them as paths of another schema.
	pathless bool
	plans    bool // a create or an update is being planned
	creates  bool // a create is being planned
	imports  bool // the object is being imported or listed
	// configuration is the configuration of the planned or applied object, else NilVal.
	configuration cty.Value
	// operation is the running method, for messages.
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

// PlansCreate reports whether ctx belongs to the plan of a create. ValidateInputs
// can then check whether a conflicting object exists. The plan of a replacement is a
// plan of a create too, while the object to replace still exists.
func PlansCreate(ctx context.Context) bool {
	c := callFrom(ctx)
	return c != nil && c.creates
}

// Plans reports whether ctx belongs to the plan of a create or an update. ValidateInputs, for
// example, is also called during apply, before Create and Update.
func Plans(ctx context.Context) bool {
	c := callFrom(ctx)
	return c != nil && c.plans
}

// Imports reports whether ctx belongs to an import, or to the read of a listed object. The prior outputs of Read
// are then those of the import or of List, not those of a state.
func Imports(ctx context.Context) bool {
	c := callFrom(ctx)
	return c != nil && c.imports
}

// TypeName returns the name of the type whose method has the context ctx, such as posix_file.
// In the function of [MakeConfig] it returns "the provider", in a provider-defined function "the function" and
// its name, and for any other context an empty string.
func TypeName(ctx context.Context) string {
	if c := callFrom(ctx); c != nil {
		return c.typeName
	}
	return ""
}

// Configured reports whether the configuration of the object of ctx sets an attribute, given
// by its name. The value of a computed attribute does not show this, because an update plans
// the current value. Configured works during plan and apply; Read and Delete have no
// configuration. If no input has this name, the plan gets an error, and the apply a warning.
func Configured(ctx context.Context, attribute string) bool {
	c := callFrom(ctx)
	if c == nil || !usable(c.configuration) {
		return false
	}
	a := c.form.byName[attribute]
	if a == nil || a.in == nil {
		bug := diag.Diagnostic{
			Severity: diag.Error,
			Summary:  "Provider bug: unknown attribute",
			Detail:   fmt.Sprintf("Configured was called with %q, which is not an input of %s; please report this.", attribute, c.typeName),
		}
		if !c.plans { // after a create, an error would taint the object
			bug.Severity = diag.Warning
		}
		c.addPlaced(diag.Diagnostics{bug})
		return false
	}
	set, _ := a.in.isConfigured(c.form.attr(c.configuration, a))
	return set
}

// Warn adds a warning to the response of the RPC to which ctx belongs. Attribute is the name
// of a top-level attribute, or empty for the whole object. Warn may be called by a method of
// any type, by the functions of [MakeConfig], migrations and moves, and by the functions that they
// call; elsewhere it does nothing. The warnings of provider-defined functions are dropped, because
// the protocol has no warnings for functions.
func Warn(ctx context.Context, attribute, summary, detail string) {
	c := callFrom(ctx)
	if c == nil {
		return
	}
	c.addDiagnostics(diag.Diagnostics{newWarning(attribute, summary, detail)})
}

// addDiagnostics adds diagnostics about the object of the call to the response.
func (c *call) addDiagnostics(diags diag.Diagnostics) { c.addPlaced(c.placed(diags)) }

// addPlaced adds diagnostics to the response as they are.
func (c *call) addPlaced(diags diag.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, diags...)
}

// take returns the diagnostics since the last call of take, for streamed responses.
func (c *call) take() diag.Diagnostics {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.warnings
	c.warnings = nil
	return taken
}

// diagnostics returns the collected diagnostics and then those of err, under a summary of the failure.
func (c *call) diagnostics(summary string, err error) diag.Diagnostics {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A goroutine of the method may still call Warn, which must not change the result.
	warnings := slices.Clip(c.warnings)
	if err == nil {
		return warnings
	}
	return append(warnings, c.placed(diag.FromError(summary, err))...)
}

// failed reports whether err contains an error, not only warnings.
func failed(err error) bool {
	return err != nil && diag.FromError("", err).HasErrors()
}

// guardPanic calls f and turns a panic into an error with the method and the
// type. The value of a panic may contain a configured value, so the error
// has only the text of Go's own run-time errors; the stack goes to the log.
func (c *call) guardPanic(ctx context.Context, method string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = c.panicError(ctx, method, r)
		}
	}()
	err = f()
	_ = failed(err) // an error may panic in its own methods, such as a nil pointer to an error type
	return err
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
		Detail: fmt.Sprintf("The method %s of %s panicked at %s: %s. This is a bug in the provider, not in your configuration; please report it.",
			method, c.typeName, diag.PanicSite(), what),
		Crash: diag.Panicked,
	}
}

// deferral is an error that requests the deferral of the operation.
type deferral struct {
	reason  provider.DeferredReason
	refusal error // the error if the client does not allow deferral
}

func (d *deferral) Error() string { return d.refusal.Error() }
func (d *deferral) Unwrap() error { return d.refusal }

// Defer returns an error with which Read, Open, ValidateInputs, ModifyResourcePlan,
// PlanOutputs, Import or ImportByID defers the object to a later run, if the client allows
// deferral. In any other case, the error is an ordinary one. An [ActionPlanner] may only use
// the reason [provider.DeferredReasonProviderConfigUnknown].
func Defer(reason provider.DeferredReason) error {
	return &deferral{reason, fmt.Errorf("the operation is not possible yet (%s), and the client does not allow deferral", reason)}
}

// deferredBy returns the deferral in err, if the client allows it, and the rest of
// err. If err contains another error, it returns no deferral, because the later run
// would fail with that error too.
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

// withoutDeferral returns err without its deferral.
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
