package rpc

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// provider5 is a provider with protocol 5. Some RPCs of that protocol have
// different names in terraform-plugin-go.
type provider5 struct{ caller }

var (
	_ tfprotov5.ProviderServerWithListResource = (*provider5)(nil)
	_ tfprotov5.ProviderServerWithActions      = (*provider5)(nil)
)

// Provider5 returns a provider with protocol 5. It returns an error if
// terraform-plugin-go does not have the protocol.
func Provider5(conn Conn) (tfprotov5.ProviderServer, error) {
	s, err := service5()
	if err != nil {
		return nil, err
	}
	return &provider5{caller{conn: conn, service: s}}, nil
}

// GetMetadata implements tfprotov5.ProviderServer.
func (p *provider5) GetMetadata(ctx context.Context, req *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return unary[tfprotov5.GetMetadataResponse](ctx, &p.caller, "GetMetadata", req)
}

// GetProviderSchema implements tfprotov5.ProviderServer.
func (p *provider5) GetProviderSchema(ctx context.Context, req *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return unary[tfprotov5.GetProviderSchemaResponse](ctx, &p.caller, "GetSchema", req)
}

// GetResourceIdentitySchemas implements tfprotov5.ProviderServer.
func (p *provider5) GetResourceIdentitySchemas(ctx context.Context, req *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return unary[tfprotov5.GetResourceIdentitySchemasResponse](ctx, &p.caller, "GetResourceIdentitySchemas", req)
}

// PrepareProviderConfig implements tfprotov5.ProviderServer.
func (p *provider5) PrepareProviderConfig(ctx context.Context, req *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return unary[tfprotov5.PrepareProviderConfigResponse](ctx, &p.caller, "PrepareProviderConfig", req)
}

// ConfigureProvider implements tfprotov5.ProviderServer.
func (p *provider5) ConfigureProvider(ctx context.Context, req *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return unary[tfprotov5.ConfigureProviderResponse](ctx, &p.caller, "Configure", req)
}

// StopProvider implements tfprotov5.ProviderServer.
func (p *provider5) StopProvider(ctx context.Context, req *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return unary[tfprotov5.StopProviderResponse](ctx, &p.caller, "Stop", req)
}

// ValidateResourceTypeConfig implements tfprotov5.ProviderServer.
func (p *provider5) ValidateResourceTypeConfig(ctx context.Context, req *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return unary[tfprotov5.ValidateResourceTypeConfigResponse](ctx, &p.caller, "ValidateResourceTypeConfig", req)
}

// UpgradeResourceState implements tfprotov5.ProviderServer.
func (p *provider5) UpgradeResourceState(ctx context.Context, req *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	return unary[tfprotov5.UpgradeResourceStateResponse](ctx, &p.caller, "UpgradeResourceState", req)
}

// UpgradeResourceIdentity implements tfprotov5.ProviderServer.
func (p *provider5) UpgradeResourceIdentity(ctx context.Context, req *tfprotov5.UpgradeResourceIdentityRequest) (*tfprotov5.UpgradeResourceIdentityResponse, error) {
	return unary[tfprotov5.UpgradeResourceIdentityResponse](ctx, &p.caller, "UpgradeResourceIdentity", req)
}

// ReadResource implements tfprotov5.ProviderServer.
func (p *provider5) ReadResource(ctx context.Context, req *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return unary[tfprotov5.ReadResourceResponse](ctx, &p.caller, "ReadResource", req)
}

// PlanResourceChange implements tfprotov5.ProviderServer.
func (p *provider5) PlanResourceChange(ctx context.Context, req *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	return unary[tfprotov5.PlanResourceChangeResponse](ctx, &p.caller, "PlanResourceChange", req)
}

// ApplyResourceChange implements tfprotov5.ProviderServer.
func (p *provider5) ApplyResourceChange(ctx context.Context, req *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	return unary[tfprotov5.ApplyResourceChangeResponse](ctx, &p.caller, "ApplyResourceChange", req)
}

// ImportResourceState implements tfprotov5.ProviderServer.
func (p *provider5) ImportResourceState(ctx context.Context, req *tfprotov5.ImportResourceStateRequest) (*tfprotov5.ImportResourceStateResponse, error) {
	return unary[tfprotov5.ImportResourceStateResponse](ctx, &p.caller, "ImportResourceState", req)
}

// MoveResourceState implements tfprotov5.ProviderServer.
func (p *provider5) MoveResourceState(ctx context.Context, req *tfprotov5.MoveResourceStateRequest) (*tfprotov5.MoveResourceStateResponse, error) {
	return unary[tfprotov5.MoveResourceStateResponse](ctx, &p.caller, "MoveResourceState", req)
}

// GenerateResourceConfig implements tfprotov5.ProviderServer.
func (p *provider5) GenerateResourceConfig(ctx context.Context, req *tfprotov5.GenerateResourceConfigRequest) (*tfprotov5.GenerateResourceConfigResponse, error) {
	return unary[tfprotov5.GenerateResourceConfigResponse](ctx, &p.caller, "GenerateResourceConfig", req)
}

// ValidateDataSourceConfig implements tfprotov5.ProviderServer.
func (p *provider5) ValidateDataSourceConfig(ctx context.Context, req *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return unary[tfprotov5.ValidateDataSourceConfigResponse](ctx, &p.caller, "ValidateDataSourceConfig", req)
}

// ReadDataSource implements tfprotov5.ProviderServer.
func (p *provider5) ReadDataSource(ctx context.Context, req *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	return unary[tfprotov5.ReadDataSourceResponse](ctx, &p.caller, "ReadDataSource", req)
}

// CallFunction implements tfprotov5.ProviderServer.
func (p *provider5) CallFunction(ctx context.Context, req *tfprotov5.CallFunctionRequest) (*tfprotov5.CallFunctionResponse, error) {
	return unary[tfprotov5.CallFunctionResponse](ctx, &p.caller, "CallFunction", req)
}

// GetFunctions implements tfprotov5.ProviderServer.
func (p *provider5) GetFunctions(ctx context.Context, req *tfprotov5.GetFunctionsRequest) (*tfprotov5.GetFunctionsResponse, error) {
	return unary[tfprotov5.GetFunctionsResponse](ctx, &p.caller, "GetFunctions", req)
}

// ValidateEphemeralResourceConfig implements tfprotov5.ProviderServer.
func (p *provider5) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov5.ValidateEphemeralResourceConfigRequest) (*tfprotov5.ValidateEphemeralResourceConfigResponse, error) {
	return unary[tfprotov5.ValidateEphemeralResourceConfigResponse](ctx, &p.caller, "ValidateEphemeralResourceConfig", req)
}

// OpenEphemeralResource implements tfprotov5.ProviderServer.
func (p *provider5) OpenEphemeralResource(ctx context.Context, req *tfprotov5.OpenEphemeralResourceRequest) (*tfprotov5.OpenEphemeralResourceResponse, error) {
	return unary[tfprotov5.OpenEphemeralResourceResponse](ctx, &p.caller, "OpenEphemeralResource", req)
}

// RenewEphemeralResource implements tfprotov5.ProviderServer.
func (p *provider5) RenewEphemeralResource(ctx context.Context, req *tfprotov5.RenewEphemeralResourceRequest) (*tfprotov5.RenewEphemeralResourceResponse, error) {
	return unary[tfprotov5.RenewEphemeralResourceResponse](ctx, &p.caller, "RenewEphemeralResource", req)
}

// CloseEphemeralResource implements tfprotov5.ProviderServer.
func (p *provider5) CloseEphemeralResource(ctx context.Context, req *tfprotov5.CloseEphemeralResourceRequest) (*tfprotov5.CloseEphemeralResourceResponse, error) {
	return unary[tfprotov5.CloseEphemeralResourceResponse](ctx, &p.caller, "CloseEphemeralResource", req)
}

// ValidateListResourceConfig implements tfprotov5.ListResourceServer.
func (p *provider5) ValidateListResourceConfig(ctx context.Context, req *tfprotov5.ValidateListResourceConfigRequest) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	return unary[tfprotov5.ValidateListResourceConfigResponse](ctx, &p.caller, "ValidateListResourceConfig", req)
}

// ListResource implements tfprotov5.ListResourceServer.
func (p *provider5) ListResource(ctx context.Context, req *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	return &tfprotov5.ListResourceServerStream{Results: events(ctx, &p.caller, "ListResource", req, failedResult5)}, nil
}

// ValidateActionConfig implements tfprotov5.ActionServer.
func (p *provider5) ValidateActionConfig(ctx context.Context, req *tfprotov5.ValidateActionConfigRequest) (*tfprotov5.ValidateActionConfigResponse, error) {
	return unary[tfprotov5.ValidateActionConfigResponse](ctx, &p.caller, "ValidateActionConfig", req)
}

// PlanAction implements tfprotov5.ActionServer.
func (p *provider5) PlanAction(ctx context.Context, req *tfprotov5.PlanActionRequest) (*tfprotov5.PlanActionResponse, error) {
	return unary[tfprotov5.PlanActionResponse](ctx, &p.caller, "PlanAction", req)
}

// InvokeAction implements tfprotov5.ActionServer.
func (p *provider5) InvokeAction(ctx context.Context, req *tfprotov5.InvokeActionRequest) (*tfprotov5.InvokeActionServerStream, error) {
	return &tfprotov5.InvokeActionServerStream{Events: events(ctx, &p.caller, "InvokeAction", req, failedEvent5)}, nil
}
