package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ValidateDataResourceConfig is part of provider.Interface.
func (cl *client) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) (resp provider.ValidateDataResourceConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateDataResourceConfig"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.dataSources, dataSource, req.TypeName)
	if codec == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.ValidateDataResourceConfig(ctx, &tfplugin.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: config})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// ReadDataSource is part of provider.Interface.
func (cl *client) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	c := call{ctx: ctx, rpc: "ReadDataSource"}
	defer c.finish(&resp.Diagnostics)
	codec := c.codec(cl.schemas, cl.schemas.dataSources, dataSource, req.TypeName)
	if codec == nil {
		return resp
	}
	ask := &tfplugin.ReadDataSourceRequest{
		TypeName:           req.TypeName,
		Config:             c.encode(codec, req.Config, "configuration"),
		ProviderMeta:       c.encodeMeta(cl.schemas, req.ProviderMeta),
		ClientCapabilities: &tfplugin.ReadDataSourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
	}
	if c.failed() {
		return resp
	}
	got, err := cl.server.ReadDataSource(ctx, ask)
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.State = c.decode(codec, got.State, "state")
		resp.Deferred = deferredFromProto(got.Deferred)
	}
	return resp
}
