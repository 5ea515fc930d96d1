package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateEphemeralResourceConfig implements provider.Interface.
func (cl *client) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) (resp provider.ValidateEphemeralResourceConfigResponse) {
	c := cl.call(ctx, "ValidateEphemeralResourceConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateEphemeralResourceConfig, func() *tfplugin.ValidateEphemeralResourceConfigRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateEphemeralResourceConfigResponse) []*tfplugin.Diagnostic {
		return got.Diagnostics
	})
	return resp
}

// OpenEphemeralResource implements provider.Interface.
func (cl *client) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	c := cl.call(ctx, "OpenEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.OpenEphemeralResource, func() *tfplugin.OpenEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.OpenEphemeralResourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.OpenEphemeralResourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.OpenEphemeralResourceResponse) []*tfplugin.Diagnostic {
		resp.Result = c.Decode(got.Result, "result")
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		resp.Deferred = decodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp
}

// RenewEphemeralResource implements provider.Interface.
func (cl *client) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) (resp provider.RenewEphemeralResourceResponse) {
	c := cl.call(ctx, "RenewEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.RenewEphemeralResource, func() *tfplugin.RenewEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got *tfplugin.RenewEphemeralResourceResponse) []*tfplugin.Diagnostic {
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		return got.Diagnostics
	})
	return resp
}

// CloseEphemeralResource implements provider.Interface.
func (cl *client) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	c := cl.call(ctx, "CloseEphemeralResource")
	resp.Diagnostics = unary(c, cl.server.CloseEphemeralResource, func() *tfplugin.CloseEphemeralResourceRequest {
		c.Type(call.EphemeralResource, req.TypeName)
		return &tfplugin.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private}
	}, func(got *tfplugin.CloseEphemeralResourceResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}
