package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateEphemeralResourceConfig is part of provider.Interface.
func (cl *client) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) (resp provider.ValidateEphemeralResourceConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateEphemeralResourceConfig"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.ephemerals, ephemeralResource, req.TypeName)
	if codec == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.ValidateEphemeralResourceConfig(ctx, &tfplugin.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: config})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// OpenEphemeralResource is part of provider.Interface.
func (cl *client) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	c := call{ctx: ctx, rpc: "OpenEphemeralResource"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.ephemerals, ephemeralResource, req.TypeName)
	if codec == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.OpenEphemeralResource(ctx, &tfplugin.OpenEphemeralResourceRequest{
		TypeName:           req.TypeName,
		Config:             config,
		ClientCapabilities: &tfplugin.OpenEphemeralResourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.Result = c.decode(codec, got.Result, "result")
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
		resp.Deferred = deferredFromProto(got.Deferred)
	}
	return resp
}

// RenewEphemeralResource is part of provider.Interface.
func (cl *client) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) (resp provider.RenewEphemeralResourceResponse) {
	c := call{ctx: ctx, rpc: "RenewEphemeralResource"}
	defer c.finish(&resp.Diagnostics)
	if c.codec(cl.schemas, cl.schemas.ephemerals, ephemeralResource, req.TypeName) == nil {
		return resp
	}
	got, err := cl.server.RenewEphemeralResource(ctx, &tfplugin.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.Private = got.Private
		resp.RenewAt = got.RenewAt
	}
	return resp
}

// CloseEphemeralResource is part of provider.Interface.
func (cl *client) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	c := call{ctx: ctx, rpc: "CloseEphemeralResource"}
	defer c.finish(&resp.Diagnostics)
	if c.codec(cl.schemas, cl.schemas.ephemerals, ephemeralResource, req.TypeName) == nil {
		return resp
	}
	got, err := cl.server.CloseEphemeralResource(ctx, &tfplugin.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}
