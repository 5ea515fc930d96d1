package client

import (
	"context"
	"errors"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

// GetProviderSchema implements provider.Interface.
func (cl *client) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return cl.schemas.Response
}

// GetResourceIdentitySchemas implements provider.Interface.
func (cl *client) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return cl.schemas.Identities
}

// ValidateProviderConfig implements provider.Interface.
func (cl *client) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	c := cl.call(ctx, "ValidateProviderConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateProviderConfig, func() *tfplugin.ValidateProviderConfigRequest {
		c.Provider()
		return &tfplugin.ValidateProviderConfigRequest{Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateProviderConfigResponse) []*tfplugin.Diagnostic {
		resp.PreparedConfig = c.Decode(got.PreparedConfig, "prepared configuration")
		return got.Diagnostics
	})
	return resp
}

// ConfigureProvider implements provider.Interface.
func (cl *client) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) (resp provider.ConfigureProviderResponse) {
	c := cl.call(ctx, "ConfigureProvider")
	resp.Diagnostics = unary(c, cl.server.ConfigureProvider, func() *tfplugin.ConfigureProviderRequest {
		c.Provider()
		return &tfplugin.ConfigureProviderRequest{
			TerraformVersion:   req.TerraformVersion,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.ConfigureProviderClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.ConfigureProviderResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// Stop implements provider.Interface.
func (cl *client) Stop(ctx context.Context) error {
	got, err := cl.server.StopProvider(ctx, &tfplugin.StopProviderRequest{})
	switch {
	case err != nil:
		return fmt.Errorf("stop provider: %w", err)
	case got != nil && got.Error != "":
		return errors.New(got.Error)
	}
	return nil
}

// Close implements provider.Interface. It does nothing: the protocol has no such
// RPC, a provider ends with its process.
func (cl *client) Close() error { return nil }

func decodeDeferred(d *tfplugin.Deferred) *provider.Deferred {
	if d == nil {
		return nil
	}
	reason := provider.DeferredReasonInvalid
	switch d.Reason {
	case tfplugin.DeferredReasonResourceConfigUnknown:
		reason = provider.DeferredReasonResourceConfigUnknown
	case tfplugin.DeferredReasonProviderConfigUnknown:
		reason = provider.DeferredReasonProviderConfigUnknown
	case tfplugin.DeferredReasonAbsentPrereq:
		reason = provider.DeferredReasonAbsentPrereq
	}
	return &provider.Deferred{Reason: reason}
}
