package server

import (
	"context"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// StopProvider implements tfplugin.ProviderServer.
func (s *server) StopProvider(ctx context.Context, _ *tfplugin.StopProviderRequest) (resp *tfplugin.StopProviderResponse, _ error) {
	resp = &tfplugin.StopProviderResponse{}
	defer func() {
		if r := recover(); r != nil {
			c := s.call(ctx, "StopProvider")
			c.Panicked(r)
			resp.Error = c.Take().Error()
		}
	}()
	if err := s.p.Stop(ctx); err != nil {
		resp.Error = err.Error()
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

// deferralAllowed returns the capabilities of a client. Only
// ValidateResourceConfig has another capability.
func deferralAllowed(allowed bool) provider.ClientCapabilities {
	return provider.ClientCapabilities{DeferralAllowed: allowed}
}

// encodeDeferred has no value for reasons that only clients use.
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

// validUTF8 replaces invalid UTF-8, which gRPC cannot send. For diagnostics,
// terraform-plugin-go does this itself.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
