package server

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateEphemeralResourceConfig implements tfplugin.EphemeralResourceServer.
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	resp := &tfplugin.ValidateEphemeralResourceConfigResponse{}
	c := s.call(ctx, "ValidateEphemeralResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateEphemeralResourceConfig, func() provider.ValidateEphemeralResourceConfigRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateEphemeralResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// OpenEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	resp := &tfplugin.OpenEphemeralResourceResponse{}
	c := s.call(ctx, "OpenEphemeralResource")
	resp.Diagnostics = unary(c, s.p.OpenEphemeralResource, func() provider.OpenEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.OpenEphemeralResourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Decode(req.Config, "configuration"),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.OpenEphemeralResourceResponse) diag.Diagnostics {
		resp.Result = c.Encode(got.Result, "result")
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		resp.Deferred = encodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp, nil
}

// RenewEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	resp := &tfplugin.RenewEphemeralResourceResponse{}
	c := s.call(ctx, "RenewEphemeralResource")
	resp.Diagnostics = unary(c, s.p.RenewEphemeralResource, func() provider.RenewEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got provider.RenewEphemeralResourceResponse) diag.Diagnostics {
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		return got.Diagnostics
	})
	return resp, nil
}

// CloseEphemeralResource implements tfplugin.EphemeralResourceServer.
func (s *server) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	resp := &tfplugin.CloseEphemeralResourceResponse{}
	c := s.call(ctx, "CloseEphemeralResource")
	resp.Diagnostics = unary(c, s.p.CloseEphemeralResource, func() provider.CloseEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return provider.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got provider.CloseEphemeralResourceResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}
