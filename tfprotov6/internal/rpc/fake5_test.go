package rpc_test

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// fake5 records requests and returns given responses.
type fake5 struct{ memory }

var (
	_ tfprotov5.ProviderServerWithListResource = (*fake5)(nil)
	_ tfprotov5.ProviderServerWithActions      = (*fake5)(nil)
)

func (f *fake5) GetMetadata(ctx context.Context, req *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return reply[tfprotov5.GetMetadataResponse](ctx, &f.memory, req)
}

func (f *fake5) GetProviderSchema(ctx context.Context, req *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return reply[tfprotov5.GetProviderSchemaResponse](ctx, &f.memory, req)
}

func (f *fake5) GetResourceIdentitySchemas(ctx context.Context, req *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return reply[tfprotov5.GetResourceIdentitySchemasResponse](ctx, &f.memory, req)
}

func (f *fake5) PrepareProviderConfig(ctx context.Context, req *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return reply[tfprotov5.PrepareProviderConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) ConfigureProvider(ctx context.Context, req *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return reply[tfprotov5.ConfigureProviderResponse](ctx, &f.memory, req)
}

func (f *fake5) StopProvider(ctx context.Context, req *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return reply[tfprotov5.StopProviderResponse](ctx, &f.memory, req)
}

func (f *fake5) ValidateResourceTypeConfig(ctx context.Context, req *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return reply[tfprotov5.ValidateResourceTypeConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) UpgradeResourceState(ctx context.Context, req *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	return reply[tfprotov5.UpgradeResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake5) UpgradeResourceIdentity(ctx context.Context, req *tfprotov5.UpgradeResourceIdentityRequest) (*tfprotov5.UpgradeResourceIdentityResponse, error) {
	return reply[tfprotov5.UpgradeResourceIdentityResponse](ctx, &f.memory, req)
}

func (f *fake5) ReadResource(ctx context.Context, req *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return reply[tfprotov5.ReadResourceResponse](ctx, &f.memory, req)
}

func (f *fake5) PlanResourceChange(ctx context.Context, req *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	return reply[tfprotov5.PlanResourceChangeResponse](ctx, &f.memory, req)
}

func (f *fake5) ApplyResourceChange(ctx context.Context, req *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	return reply[tfprotov5.ApplyResourceChangeResponse](ctx, &f.memory, req)
}

func (f *fake5) ImportResourceState(ctx context.Context, req *tfprotov5.ImportResourceStateRequest) (*tfprotov5.ImportResourceStateResponse, error) {
	return reply[tfprotov5.ImportResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake5) MoveResourceState(ctx context.Context, req *tfprotov5.MoveResourceStateRequest) (*tfprotov5.MoveResourceStateResponse, error) {
	return reply[tfprotov5.MoveResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake5) GenerateResourceConfig(ctx context.Context, req *tfprotov5.GenerateResourceConfigRequest) (*tfprotov5.GenerateResourceConfigResponse, error) {
	return reply[tfprotov5.GenerateResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) ValidateDataSourceConfig(ctx context.Context, req *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return reply[tfprotov5.ValidateDataSourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) ReadDataSource(ctx context.Context, req *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	return reply[tfprotov5.ReadDataSourceResponse](ctx, &f.memory, req)
}

func (f *fake5) CallFunction(ctx context.Context, req *tfprotov5.CallFunctionRequest) (*tfprotov5.CallFunctionResponse, error) {
	return reply[tfprotov5.CallFunctionResponse](ctx, &f.memory, req)
}

func (f *fake5) GetFunctions(ctx context.Context, req *tfprotov5.GetFunctionsRequest) (*tfprotov5.GetFunctionsResponse, error) {
	return reply[tfprotov5.GetFunctionsResponse](ctx, &f.memory, req)
}

func (f *fake5) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov5.ValidateEphemeralResourceConfigRequest) (*tfprotov5.ValidateEphemeralResourceConfigResponse, error) {
	return reply[tfprotov5.ValidateEphemeralResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) OpenEphemeralResource(ctx context.Context, req *tfprotov5.OpenEphemeralResourceRequest) (*tfprotov5.OpenEphemeralResourceResponse, error) {
	return reply[tfprotov5.OpenEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake5) RenewEphemeralResource(ctx context.Context, req *tfprotov5.RenewEphemeralResourceRequest) (*tfprotov5.RenewEphemeralResourceResponse, error) {
	return reply[tfprotov5.RenewEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake5) CloseEphemeralResource(ctx context.Context, req *tfprotov5.CloseEphemeralResourceRequest) (*tfprotov5.CloseEphemeralResourceResponse, error) {
	return reply[tfprotov5.CloseEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake5) ValidateListResourceConfig(ctx context.Context, req *tfprotov5.ValidateListResourceConfigRequest) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	return reply[tfprotov5.ValidateListResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) ListResource(ctx context.Context, req *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	return reply[tfprotov5.ListResourceServerStream](ctx, &f.memory, req)
}

func (f *fake5) ValidateActionConfig(ctx context.Context, req *tfprotov5.ValidateActionConfigRequest) (*tfprotov5.ValidateActionConfigResponse, error) {
	return reply[tfprotov5.ValidateActionConfigResponse](ctx, &f.memory, req)
}

func (f *fake5) PlanAction(ctx context.Context, req *tfprotov5.PlanActionRequest) (*tfprotov5.PlanActionResponse, error) {
	return reply[tfprotov5.PlanActionResponse](ctx, &f.memory, req)
}

func (f *fake5) InvokeAction(ctx context.Context, req *tfprotov5.InvokeActionRequest) (*tfprotov5.InvokeActionServerStream, error) {
	return reply[tfprotov5.InvokeActionServerStream](ctx, &f.memory, req)
}
