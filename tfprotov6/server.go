package tfprotov6

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

// server answers protocol requests out of a provider.Interface.
type server struct {
	p       provider.Interface
	schemas *schemas

	// The protocol form of the schemas is made when first asked for: clients
	// that cache it never ask.
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

// NewServer serves p. It asks p for its schemas at once and never again; error
// diagnostics that come instead of them are the answer to every RPC. The error
// is for a p that cannot be asked.
//
// The server offers the optional interfaces for list resources, actions and
// state stores too. It does not close p.
func NewServer(ctx context.Context, p provider.Interface) (_ tfplugin.ProviderServer, err error) {
	if p == nil {
		return nil, errors.New("serve a provider: there is none")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("serve a provider: it panicked when asked for its schemas: %v", r)
		}
	}()
	s := &server{p: p}
	s.schemas = newSchemas(
		p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}),
		p.GetResourceIdentitySchemas(ctx, provider.GetResourceIdentitySchemasRequest{}),
	)
	return s, nil
}

// StopProvider is part of tfplugin.ProviderServer.
func (s *server) StopProvider(ctx context.Context, _ *tfplugin.StopProviderRequest) (resp *tfplugin.StopProviderResponse, _ error) {
	resp = &tfplugin.StopProviderResponse{}
	defer func() {
		if r := recover(); r != nil {
			c := call{ctx: ctx, rpc: "StopProvider"}
			c.panicked(r)
			resp.Error = c.diags.Error()
		}
	}()
	if err := s.p.Stop(ctx); err != nil {
		resp.Error = err.Error()
	}
	return resp, nil
}

// ValidateProviderConfig is part of tfplugin.ProviderServer.
func (s *server) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (resp *tfplugin.ValidateProviderConfigResponse, _ error) {
	resp = &tfplugin.ValidateProviderConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateProviderConfig"}
	defer c.end(&resp.Diagnostics)
	config := c.providerConfig(s.schemas, req.Config)
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateProviderConfig(ctx, provider.ValidateProviderConfigRequest{Config: config})
	c.add(got.Diagnostics)
	resp.PreparedConfig = c.encode(s.schemas.provider.get(), got.PreparedConfig, "prepared configuration")
	return resp, nil
}

// ConfigureProvider is part of tfplugin.ProviderServer.
func (s *server) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (resp *tfplugin.ConfigureProviderResponse, _ error) {
	resp = &tfplugin.ConfigureProviderResponse{}
	c := call{ctx: ctx, rpc: "ConfigureProvider"}
	defer c.end(&resp.Diagnostics)
	config := c.providerConfig(s.schemas, req.Config)
	if c.failed() {
		return resp, nil
	}
	got := s.p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{
		TerraformVersion:   req.TerraformVersion,
		Config:             config,
		ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	})
	c.add(got.Diagnostics)
	return resp, nil
}
