package tfprotov6

import (
	"context"
	"errors"
	"fmt"
	"iter"
	goruntime "runtime"
	"runtime/debug"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// call is one RPC on its way through: it collects what there is to say, so that
// conversions read as a list and the answer is looked at once, at the end.
type call struct {
	ctx   context.Context //nolint:containedctx // a call lives no longer than its context
	rpc   string
	typ   string
	diags diag.Diagnostics
}

// end writes the messages into the answer. It is deferred by each RPC, and
// turns a panic into a message.
func (c *call) end(out *[]*tfplugin.Diagnostic) {
	if r := recover(); r != nil {
		c.panicked(r)
	}
	*out = wire.DiagnosticsToProto(c.diags)
}

// panicked says that the provider panicked. The value of the panic may have
// anything in it, so only those of Go itself are logged as text.
func (c *call) panicked(r any) {
	fields := map[string]any{"rpc": c.rpc, "type_name": c.typ, "panic_type": fmt.Sprintf("%T", r), "stack": string(debug.Stack())}
	if err, ok := r.(goruntime.Error); ok {
		fields["panic"] = err.Error()
	}
	tflog.Error(c.ctx, "the provider panicked", fields)
	c.diags = c.diags.Errorf(nil, "The provider panicked",
		"%s of %s ended in a panic. This is a mistake in the provider's code; its log (TF_LOG_PROVIDER=error) shows where. "+
			"Please report it to the provider's developers.", c.rpc, c.of())
}

func (c *call) of() string {
	if c.typ == "" {
		return "the provider"
	}
	return c.typ
}

func (c *call) failed() bool { return c.diags.HasErrors() }

func (c *call) add(diags diag.Diagnostics) {
	if len(diags) > 0 {
		c.diags = append(c.diags, diags...)
	}
}

// take gives away what there is to say so far.
func (c *call) take() diag.Diagnostics {
	diags := c.diags
	c.diags = nil
	return diags
}

func (c *call) errorf(path cty.Path, summary, format string, args ...any) {
	c.diags = c.diags.Errorf(path, summary, format, args...)
}

// codec finds the codec of a type. Where there is none it says so, or why there
// are no schemas at all.
func (c *call) codec(s *schemas, types family, what, name string) *wire.Codec {
	c.typ = name
	if l := types[name]; l != nil {
		return l.get()
	}
	if errs := s.errors(); errs != nil {
		c.add(errs)
		return nil
	}
	c.errorf(nil, "Unknown type", "This provider has no %s %q.", what, name)
	return nil
}

// decode reads a value of the request, or of an answer; what names it.
func (c *call) decode(codec *wire.Codec, dv *tfplugin.DynamicValue, what string) cty.Value {
	v, err := codec.DecodeDynamic(dv)
	if err != nil {
		c.undecodable(what, err)
		return cty.NilVal
	}
	return v
}

func (c *call) undecodable(what string, err error) {
	path, detail := located(err)
	c.errorf(path, "Value cannot be decoded",
		"The %s in %s of %s is not of the type that its schema has: %s. "+
			"Terraform and the provider may have different schemas, or one of them has a mistake.", what, c.rpc, c.of(), detail)
}

// providerConfig reads the configuration of the provider.
func (c *call) providerConfig(s *schemas, dv *tfplugin.DynamicValue) cty.Value {
	c.add(s.errors())
	return c.decode(s.provider.get(), dv, "configuration")
}

// decodeMeta reads the provider_meta of a module, [cty.NilVal] where the
// provider has no schema for it.
func (c *call) decodeMeta(s *schemas, dv *tfplugin.DynamicValue) cty.Value {
	if s.meta == nil {
		return cty.NilVal
	}
	return c.decode(s.meta.get(), dv, "provider_meta")
}

// encodeMeta is the way back. A provider without that schema is sent nothing.
func (c *call) encodeMeta(s *schemas, v cty.Value) *tfplugin.DynamicValue {
	if s.meta == nil {
		return nil
	}
	return c.encode(s.meta.get(), v, "provider_meta")
}

// encode writes a value of the answer, or of a request; what names it.
func (c *call) encode(codec *wire.Codec, v cty.Value, what string) *tfplugin.DynamicValue {
	dv, err := codec.EncodeDynamic(v)
	if err != nil {
		path, detail := located(err)
		c.errorf(path, "Value cannot be encoded",
			"The %s in %s of %s is not of the type that its schema has: %s. "+
				"This is a mistake in the code that made it; please report it to the provider's developers.", what, c.rpc, c.of(), detail)
	}
	return dv
}

// located is an error's path, and its text with the path in front.
func located(err error) (cty.Path, string) {
	at, ok := errors.AsType[cty.PathError](err)
	if !ok || len(at.Path) == 0 {
		return nil, err.Error()
	}
	return at.Path, diag.FormatPath(at.Path) + ": " + at.Error()
}

// requestIdentity reads the identity of a request, null where there is none. A
// type without identity schema has [cty.NilVal].
func (c *call) requestIdentity(s *schemas, data *tfplugin.ResourceIdentityData) cty.Value {
	l := s.identityData[c.typ]
	switch {
	case l == nil:
		return cty.NilVal
	case data == nil:
		return l.get().Null()
	}
	return c.decode(l.get(), data.IdentityData, "identity")
}

// answerIdentity reads the identity of an answer, [cty.NilVal] where there is
// none: to an answer that is another thing than null.
func (c *call) answerIdentity(s *schemas, data *tfplugin.ResourceIdentityData) cty.Value {
	if data == nil {
		return cty.NilVal
	}
	return c.requestIdentity(s, data)
}

// encodeIdentity is the way back. An identity of a type that has none makes
// clients crash, so it is an error here.
func (c *call) encodeIdentity(s *schemas, v cty.Value) *tfplugin.ResourceIdentityData {
	if v == cty.NilVal {
		return nil
	}
	l := s.identityData[c.typ]
	if l == nil {
		c.errorf(nil, "Identity without schema",
			"%s of %s has an identity, but the type has no identity schema. This is a mistake in the provider's code; "+
				"please report it to the provider's developers.", c.rpc, c.of())
		return nil
	}
	dv := c.encode(l.get(), v, "identity")
	if dv == nil {
		return nil
	}
	return &tfplugin.ResourceIdentityData{IdentityData: dv}
}

// stream hands on what seq yields, converted, until who receives it stops. A
// panic of seq or of convert becomes a message; one of the receiver is its own.
func stream[From, To any](c *call, seq iter.Seq[From], convert func(From) To, yield func(To) bool) (goOn bool) {
	receiving, stopped := false, false
	defer func() {
		if receiving {
			return
		}
		if r := recover(); r != nil {
			c.panicked(r)
			goOn = !stopped // who has stopped must not be given more
		}
	}()
	if seq == nil {
		return true
	}
	for from := range seq {
		to := convert(from)
		receiving = true
		more := yield(to)
		receiving = false
		if !more {
			stopped = true
			return false
		}
	}
	return true
}
