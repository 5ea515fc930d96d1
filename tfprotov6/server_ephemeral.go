package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

const ephemeralResource = "ephemeral resource type"

// ValidateEphemeralResourceConfig is part of tfplugin.EphemeralResourceServer.
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (resp *tfplugin.ValidateEphemeralResourceConfigResponse, _ error) {
	resp = &tfplugin.ValidateEphemeralResourceConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateEphemeralResourceConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.ephemerals, ephemeralResource, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateEphemeralResourceConfig(ctx, provider.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: config})
	c.add(got.Diagnostics)
	return resp, nil
}

// OpenEphemeralResource is part of tfplugin.EphemeralResourceServer.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (resp *tfplugin.OpenEphemeralResourceResponse, _ error) {
	resp = &tfplugin.OpenEphemeralResourceResponse{}
	c := call{ctx: ctx, rpc: "OpenEphemeralResource"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.ephemerals, ephemeralResource, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.OpenEphemeralResource(ctx, provider.OpenEphemeralResourceRequest{
		TypeName:           req.TypeName,
		Config:             config,
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
	})
	c.add(got.Diagnostics)
	resp.Result = c.encode(codec, got.Result, "result")
	resp.Private = got.Private
	resp.RenewAt = got.RenewAt
	resp.Deferred = deferredToProto(got.Deferred)
	return resp, nil
}

// RenewEphemeralResource is part of tfplugin.EphemeralResourceServer.
func (s *server) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (resp *tfplugin.RenewEphemeralResourceResponse, _ error) {
	resp = &tfplugin.RenewEphemeralResourceResponse{}
	c := call{ctx: ctx, rpc: "RenewEphemeralResource"}
	defer c.end(&resp.Diagnostics)
	if c.codec(s.schemas, s.schemas.ephemerals, ephemeralResource, req.TypeName) == nil {
		return resp, nil
	}
	got := s.p.RenewEphemeralResource(ctx, provider.RenewEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private})
	c.add(got.Diagnostics)
	resp.Private = got.Private
	resp.RenewAt = got.RenewAt
	return resp, nil
}

// CloseEphemeralResource is part of tfplugin.EphemeralResourceServer.
func (s *server) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (resp *tfplugin.CloseEphemeralResourceResponse, _ error) {
	resp = &tfplugin.CloseEphemeralResourceResponse{}
	c := call{ctx: ctx, rpc: "CloseEphemeralResource"}
	defer c.end(&resp.Diagnostics)
	if c.codec(s.schemas, s.schemas.ephemerals, ephemeralResource, req.TypeName) == nil {
		return resp, nil
	}
	got := s.p.CloseEphemeralResource(ctx, provider.CloseEphemeralResourceRequest{TypeName: req.TypeName, Private: req.Private})
	c.add(got.Diagnostics)
	return resp, nil
}
