package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// server answers protocol requests with the responses of a provider.Interface.
type server struct {
	p       provider.Interface
	schemas *call.Schemas
	streams streams

	// schema and identity are the protocol form of the schemas. They are computed on the
	// first request, because clients that cache schemas send no request.
	schemaOnce   sync.Once
	schema       *tfplugin.GetProviderSchemaResponse
	identityOnce sync.Once
	identity     *tfplugin.GetResourceIdentitySchemasResponse
}

var (
	_ tfplugin.ProviderServer                 = (*server)(nil)
	_ tfplugin.ProviderServerWithListResource = (*server)(nil)
	_ tfplugin.ProviderServerWithActions      = (*server)(nil)
	_ tfplugin.ProviderServerWithStateStores  = (*server)(nil)
)

// New returns a server for p. It requests the schemas from p once; if p returns
// error diagnostics instead, they are the response to every RPC that needs the schemas.
// New returns an error if p is nil or panics.
//
// The server implements the optional interfaces for list resources, actions and
// state stores. It does not close p.
func New(ctx context.Context, p provider.Interface) (_ tfplugin.ProviderServer, err error) {
	if p == nil {
		return nil, errors.New("serve a provider: the provider is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("serve a provider: the request for the schemas panicked: %v", r)
		}
	}()
	s := &server{p: p}
	s.schemas = call.NewSchemas(
		p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}),
		p.GetResourceIdentitySchemas(ctx, provider.GetResourceIdentitySchemasRequest{}),
	)
	return s, nil
}

func (s *server) call(ctx context.Context, rpc string) *call.Call {
	return call.New(ctx, s.schemas, rpc)
}

// unary performs an RPC with one response. It calls request, which converts the
// request; unless that fails, it calls method of the provider, and response, which
// converts the result of method and returns the diagnostics in it.
func unary[In, Out any](c *call.Call, method func(context.Context, In) Out, request func() In, response func(Out) diag.Diagnostics) []*tfplugin.Diagnostic {
	return wire.DiagnosticsToProto(start(c, method, request, response))
}

// start is like unary for an RPC whose response is a stream or has no diagnostics. It does
// not convert the diagnostics.
func start[In, Out any](c *call.Call, method func(context.Context, In) Out, request func() In, response func(Out) diag.Diagnostics) diag.Diagnostics {
	return call.Do(c, request, func(ctx context.Context, in In) (Out, bool) { return method(ctx, in), true }, response)
}

// streamed returns the diagnostics of a response. It adds an error to c if the response has
// neither a stream nor an error: clients treat an empty stream as a success.
func streamed(c *call.Call, stream bool, diags diag.Diagnostics) diag.Diagnostics {
	if !stream && !diags.HasErrors() {
		c.Errorf(nil, "The provider did not answer", "%s of %s returned neither a stream nor an error. "+
			"This is a bug in the provider; please report it to the provider's developers.", c.RPC(), c.Subject())
	}
	return diags
}

// StopProvider implements tfplugin.ProviderServer. It returns when the streams in progress
// have sent their last event, or after stopTimeout; see [streams].
func (s *server) StopProvider(ctx context.Context, _ *tfplugin.StopProviderRequest) (resp *tfplugin.StopProviderResponse, _ error) {
	resp = &tfplugin.StopProviderResponse{}
	defer s.streams.stop()
	defer func() {
		if r := recover(); r != nil {
			c := s.call(ctx, "StopProvider")
			c.Panicked(r)
			resp.Error = c.Take().Error()
		}
	}()
	if err := s.p.Stop(ctx); err != nil {
		resp.Error = diag.Printable(err.Error())
	}
	return resp, nil
}

// ValidateProviderConfig implements tfplugin.ProviderServer.
func (s *server) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	resp := &tfplugin.ValidateProviderConfigResponse{}
	c := s.call(ctx, "ValidateProviderConfig")
	resp.Diagnostics = unary(c, s.p.ValidateProviderConfig, func() provider.ValidateProviderConfigRequest {
		c.Provider()
		return provider.ValidateProviderConfigRequest{Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateProviderConfigResponse) diag.Diagnostics {
		resp.PreparedConfig = c.Encode(got.PreparedConfig, "prepared configuration")
		return got.Diagnostics
	})
	return resp, nil
}

// ConfigureProvider implements tfplugin.ProviderServer.
func (s *server) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	resp := &tfplugin.ConfigureProviderResponse{}
	c := s.call(ctx, "ConfigureProvider")
	resp.Diagnostics = unary(c, s.p.ConfigureProvider, func() provider.ConfigureProviderRequest {
		c.Provider()
		return provider.ConfigureProviderRequest{
			TerraformVersion:   req.TerraformVersion,
			Config:             c.Decode(req.Config, "configuration"),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.ConfigureProviderResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// deferralAllowed returns client capabilities that allow deferral if allowed is true. It is for
// all requests with client capabilities except ValidateResourceConfig, which cannot be deferred.
func deferralAllowed(allowed bool) provider.ClientCapabilities {
	return provider.ClientCapabilities{DeferralAllowed: allowed}
}

// encodeDeferred returns the protocol form of d. The protocol has no values for reasons
// that only clients use: they become DeferredReasonUnknown.
func encodeDeferred(d *provider.Deferred) *tfplugin.Deferred {
	if d == nil {
		return nil
	}
	reason := tfplugin.DeferredReasonUnknown
	switch d.Reason {
	case provider.DeferredReasonResourceConfigUnknown:
		reason = tfplugin.DeferredReasonResourceConfigUnknown
	case provider.DeferredReasonProviderConfigUnknown:
		reason = tfplugin.DeferredReasonProviderConfigUnknown
	case provider.DeferredReasonAbsentPrereq:
		reason = tfplugin.DeferredReasonAbsentPrereq
	}
	return &tfplugin.Deferred{Reason: reason}
}

// finishTimeout limits how long an RPC that must complete continues after its context was
// canceled.
const finishTimeout = 5 * time.Minute

// uninterrupted returns the context for an RPC that must complete: one that closes an ephemeral
// resource, writes a state or unlocks a state. Once StopProvider has returned, terraform-plugin-go cancels the
// contexts of all RPCs in progress, although a stopped run still needs RPCs of this kind.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return graceperiod.With(ctx, finishTimeout)
}
