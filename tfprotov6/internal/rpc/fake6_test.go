package rpc_test

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// fake6 records requests and returns given responses.
type fake6 struct{ memory }

var (
	_ tfplugin.ProviderServerWithListResource = (*fake6)(nil)
	_ tfplugin.ProviderServerWithActions      = (*fake6)(nil)
	_ tfplugin.ProviderServerWithStateStores  = (*fake6)(nil)
)

func (f *fake6) GetMetadata(ctx context.Context, req *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return reply[tfplugin.GetMetadataResponse](ctx, &f.memory, req)
}

func (f *fake6) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return reply[tfplugin.GetProviderSchemaResponse](ctx, &f.memory, req)
}

func (f *fake6) GetResourceIdentitySchemas(ctx context.Context, req *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return reply[tfplugin.GetResourceIdentitySchemasResponse](ctx, &f.memory, req)
}

func (f *fake6) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return reply[tfplugin.ValidateProviderConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return reply[tfplugin.ConfigureProviderResponse](ctx, &f.memory, req)
}

func (f *fake6) StopProvider(ctx context.Context, req *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return reply[tfplugin.StopProviderResponse](ctx, &f.memory, req)
}

func (f *fake6) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	return reply[tfplugin.ValidateResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	return reply[tfplugin.UpgradeResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake6) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	return reply[tfplugin.UpgradeResourceIdentityResponse](ctx, &f.memory, req)
}

func (f *fake6) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return reply[tfplugin.ReadResourceResponse](ctx, &f.memory, req)
}

func (f *fake6) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	return reply[tfplugin.PlanResourceChangeResponse](ctx, &f.memory, req)
}

func (f *fake6) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	return reply[tfplugin.ApplyResourceChangeResponse](ctx, &f.memory, req)
}

func (f *fake6) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	return reply[tfplugin.ImportResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake6) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	return reply[tfplugin.MoveResourceStateResponse](ctx, &f.memory, req)
}

func (f *fake6) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return reply[tfplugin.GenerateResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	return reply[tfplugin.ValidateDataResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	return reply[tfplugin.ReadDataSourceResponse](ctx, &f.memory, req)
}

func (f *fake6) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	return reply[tfplugin.CallFunctionResponse](ctx, &f.memory, req)
}

func (f *fake6) GetFunctions(ctx context.Context, req *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	return reply[tfplugin.GetFunctionsResponse](ctx, &f.memory, req)
}

func (f *fake6) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	return reply[tfplugin.ValidateEphemeralResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	return reply[tfplugin.OpenEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake6) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	return reply[tfplugin.RenewEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake6) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	return reply[tfplugin.CloseEphemeralResourceResponse](ctx, &f.memory, req)
}

func (f *fake6) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return reply[tfplugin.ValidateListResourceConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return reply[tfplugin.ListResourceServerStream](ctx, &f.memory, req)
}

func (f *fake6) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	return reply[tfplugin.ValidateActionConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	return reply[tfplugin.PlanActionResponse](ctx, &f.memory, req)
}

func (f *fake6) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return reply[tfplugin.InvokeActionServerStream](ctx, &f.memory, req)
}

func (f *fake6) ValidateStateStoreConfig(ctx context.Context, req *tfplugin.ValidateStateStoreConfigRequest) (*tfplugin.ValidateStateStoreConfigResponse, error) {
	return reply[tfplugin.ValidateStateStoreConfigResponse](ctx, &f.memory, req)
}

func (f *fake6) ConfigureStateStore(ctx context.Context, req *tfplugin.ConfigureStateStoreRequest) (*tfplugin.ConfigureStateStoreResponse, error) {
	return reply[tfplugin.ConfigureStateStoreResponse](ctx, &f.memory, req)
}

func (f *fake6) ReadStateBytes(ctx context.Context, req *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	return reply[tfplugin.ReadStateBytesStream](ctx, &f.memory, req)
}

func (f *fake6) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	return reply[tfplugin.WriteStateBytesResponse](ctx, &f.memory, req)
}

func (f *fake6) GetStates(ctx context.Context, req *tfplugin.GetStatesRequest) (*tfplugin.GetStatesResponse, error) {
	return reply[tfplugin.GetStatesResponse](ctx, &f.memory, req)
}

func (f *fake6) DeleteState(ctx context.Context, req *tfplugin.DeleteStateRequest) (*tfplugin.DeleteStateResponse, error) {
	return reply[tfplugin.DeleteStateResponse](ctx, &f.memory, req)
}

func (f *fake6) LockState(ctx context.Context, req *tfplugin.LockStateRequest) (*tfplugin.LockStateResponse, error) {
	return reply[tfplugin.LockStateResponse](ctx, &f.memory, req)
}

func (f *fake6) UnlockState(ctx context.Context, req *tfplugin.UnlockStateRequest) (*tfplugin.UnlockStateResponse, error) {
	return reply[tfplugin.UnlockStateResponse](ctx, &f.memory, req)
}
