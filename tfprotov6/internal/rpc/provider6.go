package rpc

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
)

// provider6 asks a provider that speaks protocol 6.
type provider6 struct{ caller }

var (
	_ tfplugin.ProviderServerWithListResource = (*provider6)(nil)
	_ tfplugin.ProviderServerWithActions      = (*provider6)(nil)
	_ tfplugin.ProviderServerWithStateStores  = (*provider6)(nil)
)

// Provider is the provider at the other end of a connection that speaks that
// version of the protocol, as one of protocol 6. Whether it is there shows with
// the first call.
func Provider(ctx context.Context, conn Conn, version int) (tfplugin.ProviderServer, error) {
	switch version {
	case 6:
		return Provider6(conn)
	case 5:
		p, err := Provider5(conn)
		if err != nil {
			return nil, err
		}
		return tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return p })
	}
	return nil, fmt.Errorf("the provider speaks protocol %d; this client speaks 5 and 6", version)
}

// Provider6 is a provider of protocol 6. It has the optional interfaces of
// terraform-plugin-go; a provider without them answers that it has not.
func Provider6(conn Conn) (tfplugin.ProviderServer, error) {
	s, err := service6()
	if err != nil {
		return nil, err
	}
	return &provider6{caller{conn: conn, service: s}}, nil
}

// GetMetadata is part of tfplugin.ProviderServer.
func (p *provider6) GetMetadata(ctx context.Context, req *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return unary[tfplugin.GetMetadataResponse](ctx, &p.caller, "GetMetadata", req)
}

// GetProviderSchema is part of tfplugin.ProviderServer.
func (p *provider6) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return unary[tfplugin.GetProviderSchemaResponse](ctx, &p.caller, "GetProviderSchema", req)
}

// GetResourceIdentitySchemas is part of tfplugin.ProviderServer.
func (p *provider6) GetResourceIdentitySchemas(ctx context.Context, req *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return unary[tfplugin.GetResourceIdentitySchemasResponse](ctx, &p.caller, "GetResourceIdentitySchemas", req)
}

// ValidateProviderConfig is part of tfplugin.ProviderServer.
func (p *provider6) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return unary[tfplugin.ValidateProviderConfigResponse](ctx, &p.caller, "ValidateProviderConfig", req)
}

// ConfigureProvider is part of tfplugin.ProviderServer.
func (p *provider6) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return unary[tfplugin.ConfigureProviderResponse](ctx, &p.caller, "ConfigureProvider", req)
}

// StopProvider is part of tfplugin.ProviderServer.
func (p *provider6) StopProvider(ctx context.Context, req *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return unary[tfplugin.StopProviderResponse](ctx, &p.caller, "StopProvider", req)
}

// ValidateResourceConfig is part of tfplugin.ProviderServer.
func (p *provider6) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	return unary[tfplugin.ValidateResourceConfigResponse](ctx, &p.caller, "ValidateResourceConfig", req)
}

// UpgradeResourceState is part of tfplugin.ProviderServer.
func (p *provider6) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	return unary[tfplugin.UpgradeResourceStateResponse](ctx, &p.caller, "UpgradeResourceState", req)
}

// UpgradeResourceIdentity is part of tfplugin.ProviderServer.
func (p *provider6) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	return unary[tfplugin.UpgradeResourceIdentityResponse](ctx, &p.caller, "UpgradeResourceIdentity", req)
}

// ReadResource is part of tfplugin.ProviderServer.
func (p *provider6) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return unary[tfplugin.ReadResourceResponse](ctx, &p.caller, "ReadResource", req)
}

// PlanResourceChange is part of tfplugin.ProviderServer.
func (p *provider6) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	return unary[tfplugin.PlanResourceChangeResponse](ctx, &p.caller, "PlanResourceChange", req)
}

// ApplyResourceChange is part of tfplugin.ProviderServer.
func (p *provider6) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	return unary[tfplugin.ApplyResourceChangeResponse](ctx, &p.caller, "ApplyResourceChange", req)
}

// ImportResourceState is part of tfplugin.ProviderServer.
func (p *provider6) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	return unary[tfplugin.ImportResourceStateResponse](ctx, &p.caller, "ImportResourceState", req)
}

// MoveResourceState is part of tfplugin.ProviderServer.
func (p *provider6) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	return unary[tfplugin.MoveResourceStateResponse](ctx, &p.caller, "MoveResourceState", req)
}

// GenerateResourceConfig is part of tfplugin.ProviderServer.
func (p *provider6) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return unary[tfplugin.GenerateResourceConfigResponse](ctx, &p.caller, "GenerateResourceConfig", req)
}

// ValidateDataResourceConfig is part of tfplugin.ProviderServer.
func (p *provider6) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	return unary[tfplugin.ValidateDataResourceConfigResponse](ctx, &p.caller, "ValidateDataResourceConfig", req)
}

// ReadDataSource is part of tfplugin.ProviderServer.
func (p *provider6) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	return unary[tfplugin.ReadDataSourceResponse](ctx, &p.caller, "ReadDataSource", req)
}

// CallFunction is part of tfplugin.ProviderServer.
func (p *provider6) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	return unary[tfplugin.CallFunctionResponse](ctx, &p.caller, "CallFunction", req)
}

// GetFunctions is part of tfplugin.ProviderServer.
func (p *provider6) GetFunctions(ctx context.Context, req *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	return unary[tfplugin.GetFunctionsResponse](ctx, &p.caller, "GetFunctions", req)
}

// ValidateEphemeralResourceConfig is part of tfplugin.ProviderServer.
func (p *provider6) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	return unary[tfplugin.ValidateEphemeralResourceConfigResponse](ctx, &p.caller, "ValidateEphemeralResourceConfig", req)
}

// OpenEphemeralResource is part of tfplugin.ProviderServer.
func (p *provider6) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	return unary[tfplugin.OpenEphemeralResourceResponse](ctx, &p.caller, "OpenEphemeralResource", req)
}

// RenewEphemeralResource is part of tfplugin.ProviderServer.
func (p *provider6) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	return unary[tfplugin.RenewEphemeralResourceResponse](ctx, &p.caller, "RenewEphemeralResource", req)
}

// CloseEphemeralResource is part of tfplugin.ProviderServer.
func (p *provider6) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	return unary[tfplugin.CloseEphemeralResourceResponse](ctx, &p.caller, "CloseEphemeralResource", req)
}

// ValidateListResourceConfig is part of tfplugin.ListResourceServer.
func (p *provider6) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return unary[tfplugin.ValidateListResourceConfigResponse](ctx, &p.caller, "ValidateListResourceConfig", req)
}

// ListResource is part of tfplugin.ListResourceServer.
func (p *provider6) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return &tfplugin.ListResourceServerStream{Results: events(ctx, &p.caller, "ListResource", req, failedResult)}, nil
}

// ValidateActionConfig is part of tfplugin.ActionServer.
func (p *provider6) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	return unary[tfplugin.ValidateActionConfigResponse](ctx, &p.caller, "ValidateActionConfig", req)
}

// PlanAction is part of tfplugin.ActionServer.
func (p *provider6) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	return unary[tfplugin.PlanActionResponse](ctx, &p.caller, "PlanAction", req)
}

// InvokeAction is part of tfplugin.ActionServer.
func (p *provider6) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return &tfplugin.InvokeActionServerStream{Events: events(ctx, &p.caller, "InvokeAction", req, failedEvent)}, nil
}
