package call

import (
	"context"
	"fmt"
	"iter"
	goruntime "runtime"
	"runtime/debug"
	"slices"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// Call is one RPC in progress. It is used by one goroutine.
type Call struct {
	ctx     context.Context //nolint:containedctx // a call ends before its context
	rpc     string
	schemas *Schemas
	diags   diag.Diagnostics

	// subject, typeName and codec are set by Type, Provider and Function.
	subject  string // for diagnostics; empty for the provider itself
	typeName string
	codec    *wire.Codec
}

// New returns a Call of the RPC with this name.
func New(ctx context.Context, schemas *Schemas, rpc string) *Call {
	return &Call{ctx: ctx, schemas: schemas, rpc: rpc}
}

// Do performs an RPC and returns its diagnostics. It calls request, which
// converts the request, and passes the result to method unless c has failed.
// method reports whether there is a response; if so, response converts it and
// returns the diagnostics in it. A panic in any of these functions ends the RPC
// with an error.
func Do[In, Out any](c *Call, request func() In, method func(context.Context, In) (Out, bool), response func(Out) diag.Diagnostics) (diags diag.Diagnostics) {
	defer func() {
		if r := recover(); r != nil {
			c.Panicked(r)
			diags = c.diags
		}
	}()
	in := request()
	if c.Failed() {
		return c.diags
	}
	out, ok := method(c.ctx, in)
	if !ok {
		return c.diags
	}
	diags = response(out)
	if len(c.diags) > 0 {
		diags = slices.Concat(diags, c.diags)
	}
	return diags
}

// Stream passes the elements of seq, converted, to yield until yield returns
// false. It reports whether yield may be called again. A panic of seq or convert
// becomes a diagnostic of c; a panic of yield is not recovered. A nil seq has no
// elements.
func Stream[From, To any](c *Call, seq iter.Seq[From], convert func(From) To, yield func(To) bool) (more bool) {
	yielding, stopped := false, false
	defer func() {
		if yielding {
			return
		}
		if r := recover(); r != nil {
			c.Panicked(r)
			more = !stopped
		}
	}()
	if seq == nil {
		return true
	}
	for from := range seq {
		to := convert(from)
		yielding = true
		proceed := yield(to)
		yielding = false
		if !proceed {
			stopped = true
			return false
		}
	}
	return true
}

// Fork returns a Call about the same subject, without the diagnostics of c.
func (c *Call) Fork() *Call {
	fork := *c
	fork.diags = nil
	return &fork
}

// Failed reports whether c has an error diagnostic.
func (c *Call) Failed() bool { return c.diags.HasErrors() }

// Add appends diagnostics to those of c.
func (c *Call) Add(diags diag.Diagnostics) { c.diags = append(c.diags, diags...) }

// Take returns the diagnostics of c and removes them from c.
func (c *Call) Take() diag.Diagnostics {
	diags := c.diags
	c.diags = nil
	return diags
}

// Errorf appends an error diagnostic.
func (c *Call) Errorf(path cty.Path, summary, format string, args ...any) {
	c.diags = c.diags.Errorf(path, summary, format, args...)
}

// Crashf appends an error diagnostic for a call that the provider did not answer.
func (c *Call) Crashf(how diag.Crash, summary, format string, args ...any) {
	c.Errorf(nil, summary, format, args...)
	c.diags[len(c.diags)-1].Crash = how
}

// RPC returns the name of the RPC.
func (c *Call) RPC() string { return c.rpc }

// Subject returns the subject of the RPC, for diagnostics: a type name, "the function
// NAME" or "the provider".
func (c *Call) Subject() string {
	if c.subject == "" {
		return "the provider"
	}
	return c.subject
}

// Panicked appends an error diagnostic for the value of a panic and logs the
// stack. The value may contain secrets, so only the errors of the Go runtime
// are logged as text.
func (c *Call) Panicked(r any) {
	fields := map[string]any{"rpc": c.rpc, "type_name": c.subject, "panic_type": fmt.Sprintf("%T", r), "stack": string(debug.Stack())}
	if err, ok := r.(goruntime.Error); ok {
		fields["panic"] = err.Error()
	}
	tflog.Error(c.ctx, "the provider panicked", fields)
	c.Crashf(diag.Panicked, "The provider panicked",
		"%s of %s panicked at %s. This is a bug in the provider; its log (TF_LOG_PROVIDER=error) has the stack trace. "+
			"Please report it to the provider's developers.", c.rpc, c.Subject(), diag.PanicSite())
}

// Type makes c an RPC about the type with this name. It reports whether the
// provider has such a type; if not, c fails.
func (c *Call) Type(kind Kind, name string) bool {
	c.subject, c.typeName, c.codec = name, name, nil
	if lazy := c.schemas.types[kind][name]; lazy != nil {
		c.codec = lazy.get()
		return true
	}
	c.unknown("type", kind.String(), name)
	return false
}

// Provider makes c an RPC about the provider itself. If the provider returned errors
// instead of schemas, c fails.
func (c *Call) Provider() {
	c.Add(c.schemas.Errors())
	c.codec = c.schemas.provider.get()
}

// Function makes c an RPC about the function with this name and returns its
// codecs. If the provider has no such function, c fails and the result is nil.
func (c *Call) Function(name string) *Function {
	f := c.schemas.functions[name]
	if f == nil {
		c.unknown("function", "function", name)
		return nil
	}
	c.subject = f.title
	return f
}

// unknown makes c fail because the provider has no such type or function, or
// because it returned errors instead of schemas.
func (c *Call) unknown(what, kind, name string) {
	if errs := c.schemas.Errors(); errs != nil {
		c.Add(errs)
		return
	}
	c.Errorf(nil, "Unknown "+what, "This provider has no %s %q.", kind, name)
}
