package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateDataResourceConfig implements provider.Interface.
func (cl *client) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) (resp provider.ValidateDataResourceConfigResponse) {
	c := cl.call(ctx, "ValidateDataResourceConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateDataResourceConfig, func() *tfplugin.ValidateDataResourceConfigRequest {
		c.Type(call.DataSource, req.TypeName)
		return &tfplugin.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateDataResourceConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// ReadDataSource implements provider.Interface.
func (cl *client) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	c := cl.call(ctx, "ReadDataSource")
	resp.Diagnostics = unary(c, cl.server.ReadDataSource, func() *tfplugin.ReadDataSourceRequest {
		c.Type(call.DataSource, req.TypeName)
		return &tfplugin.ReadDataSourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Encode(req.Config, "configuration"),
			ProviderMeta:       c.EncodeMeta(req.ProviderMeta),
			ClientCapabilities: &tfplugin.ReadDataSourceClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.ReadDataSourceResponse) []*tfplugin.Diagnostic {
		resp.State = c.Decode(got.State, "state")
		resp.Deferred = decodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp
}
