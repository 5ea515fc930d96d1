package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

const dataSource = "data source"

// ValidateDataResourceConfig is part of tfplugin.DataSourceServer.
func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (resp *tfplugin.ValidateDataResourceConfigResponse, _ error) {
	resp = &tfplugin.ValidateDataResourceConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateDataResourceConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.dataSources, dataSource, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateDataResourceConfig(ctx, provider.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: config})
	c.add(got.Diagnostics)
	return resp, nil
}

// ReadDataSource is part of tfplugin.DataSourceServer.
func (s *server) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (resp *tfplugin.ReadDataSourceResponse, _ error) {
	resp = &tfplugin.ReadDataSourceResponse{}
	c := call{ctx: ctx, rpc: "ReadDataSource"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.dataSources, dataSource, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	ask := provider.ReadDataSourceRequest{
		TypeName:           req.TypeName,
		Config:             c.decode(codec, req.Config, "configuration"),
		ProviderMeta:       c.decodeMeta(s.schemas, req.ProviderMeta),
		ClientCapabilities: allowing(req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed),
	}
	if c.failed() {
		return resp, nil
	}
	got := s.p.ReadDataSource(ctx, ask)
	c.add(got.Diagnostics)
	resp.State = c.encode(codec, got.State, "state")
	resp.Deferred = deferredToProto(got.Deferred)
	return resp, nil
}
