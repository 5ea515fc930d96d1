package server

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateDataResourceConfig implements tfplugin.DataSourceServer.
func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	resp := &tfplugin.ValidateDataResourceConfigResponse{}
	c := s.call(ctx, "ValidateDataResourceConfig")
	resp.Diagnostics = unary(c, s.p.ValidateDataResourceConfig, func() provider.ValidateDataResourceConfigRequest {
		c.Type(call.DataSource, req.TypeName)
		return provider.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateDataResourceConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// ReadDataSource implements tfplugin.DataSourceServer.
func (s *server) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	resp := &tfplugin.ReadDataSourceResponse{}
	c := s.call(ctx, "ReadDataSource")
	resp.Diagnostics = unary(c, s.p.ReadDataSource, func() provider.ReadDataSourceRequest {
		c.Type(call.DataSource, req.TypeName)
		return provider.ReadDataSourceRequest{
			TypeName:           req.TypeName,
			Config:             c.Decode(req.Config, "configuration"),
			ProviderMeta:       c.DecodeMeta(req.ProviderMeta),
			ClientCapabilities: deferralAllowed(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
		}
	}, func(got provider.ReadDataSourceResponse) diag.Diagnostics {
		resp.State = c.Encode(got.State, "state")
		resp.Deferred = encodeDeferred(got.Deferred)
		return got.Diagnostics
	})
	return resp, nil
}
