package provider

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Unimplemented responds with an error diagnostic, and to CallFunction with
// [ErrUnimplemented]. Only GetResourceIdentitySchemas, ValidateProviderConfig,
// ConfigureProvider, Stop and Close succeed. Embed it in an implementation and override the
// methods that the provider offers.
type Unimplemented struct{}

var _ Interface = Unimplemented{}

// ErrUnimplemented is the error of a function call if the provider has no
// functions.
var ErrUnimplemented = errors.New("this provider has no functions")

func unimplemented(what string) diag.Diagnostics {
	return diag.Diagnostics{}.Errorf(nil, "Not offered by this provider", "This provider does not offer %s.", what)
}

// GetProviderSchema implements [Interface].
func (Unimplemented) GetProviderSchema(context.Context, GetProviderSchemaRequest) GetProviderSchemaResponse {
	return GetProviderSchemaResponse{Diagnostics: unimplemented("a schema")}
}

// GetResourceIdentitySchemas implements [Interface].
func (Unimplemented) GetResourceIdentitySchemas(context.Context, GetResourceIdentitySchemasRequest) GetResourceIdentitySchemasResponse {
	return GetResourceIdentitySchemasResponse{}
}

// ValidateProviderConfig implements [Interface].
func (Unimplemented) ValidateProviderConfig(_ context.Context, req ValidateProviderConfigRequest) ValidateProviderConfigResponse {
	return ValidateProviderConfigResponse{PreparedConfig: req.Config}
}

// ConfigureProvider implements [Interface].
func (Unimplemented) ConfigureProvider(context.Context, ConfigureProviderRequest) ConfigureProviderResponse {
	return ConfigureProviderResponse{}
}

// ValidateResourceConfig implements [Interface].
func (Unimplemented) ValidateResourceConfig(_ context.Context, req ValidateResourceConfigRequest) ValidateResourceConfigResponse {
	return ValidateResourceConfigResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// UpgradeResourceState implements [Interface].
func (Unimplemented) UpgradeResourceState(_ context.Context, req UpgradeResourceStateRequest) UpgradeResourceStateResponse {
	return UpgradeResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// UpgradeResourceIdentity implements [Interface].
func (Unimplemented) UpgradeResourceIdentity(_ context.Context, req UpgradeResourceIdentityRequest) UpgradeResourceIdentityResponse {
	return UpgradeResourceIdentityResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ReadResource implements [Interface].
func (Unimplemented) ReadResource(_ context.Context, req ReadResourceRequest) ReadResourceResponse {
	return ReadResourceResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// PlanResourceChange implements [Interface].
func (Unimplemented) PlanResourceChange(_ context.Context, req PlanResourceChangeRequest) PlanResourceChangeResponse {
	return PlanResourceChangeResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ApplyResourceChange implements [Interface].
func (Unimplemented) ApplyResourceChange(_ context.Context, req ApplyResourceChangeRequest) ApplyResourceChangeResponse {
	return ApplyResourceChangeResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ImportResourceState implements [Interface].
func (Unimplemented) ImportResourceState(_ context.Context, req ImportResourceStateRequest) ImportResourceStateResponse {
	return ImportResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// MoveResourceState implements [Interface].
func (Unimplemented) MoveResourceState(_ context.Context, req MoveResourceStateRequest) MoveResourceStateResponse {
	return MoveResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TargetTypeName)}
}

// GenerateResourceConfig implements [Interface].
func (Unimplemented) GenerateResourceConfig(_ context.Context, req GenerateResourceConfigRequest) GenerateResourceConfigResponse {
	return GenerateResourceConfigResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ValidateDataResourceConfig implements [Interface].
func (Unimplemented) ValidateDataResourceConfig(_ context.Context, req ValidateDataResourceConfigRequest) ValidateDataResourceConfigResponse {
	return ValidateDataResourceConfigResponse{Diagnostics: unimplemented("the data source " + req.TypeName)}
}

// ReadDataSource implements [Interface].
func (Unimplemented) ReadDataSource(_ context.Context, req ReadDataSourceRequest) ReadDataSourceResponse {
	return ReadDataSourceResponse{Diagnostics: unimplemented("the data source " + req.TypeName)}
}

// ValidateEphemeralResourceConfig implements [Interface].
func (Unimplemented) ValidateEphemeralResourceConfig(_ context.Context, req ValidateEphemeralResourceConfigRequest) ValidateEphemeralResourceConfigResponse {
	return ValidateEphemeralResourceConfigResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// OpenEphemeralResource implements [Interface].
func (Unimplemented) OpenEphemeralResource(_ context.Context, req OpenEphemeralResourceRequest) OpenEphemeralResourceResponse {
	return OpenEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// RenewEphemeralResource implements [Interface].
func (Unimplemented) RenewEphemeralResource(_ context.Context, req RenewEphemeralResourceRequest) RenewEphemeralResourceResponse {
	return RenewEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// CloseEphemeralResource implements [Interface].
func (Unimplemented) CloseEphemeralResource(_ context.Context, req CloseEphemeralResourceRequest) CloseEphemeralResourceResponse {
	return CloseEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// CallFunction implements [Interface].
func (Unimplemented) CallFunction(context.Context, CallFunctionRequest) CallFunctionResponse {
	return CallFunctionResponse{Err: ErrUnimplemented}
}

// ValidateListResourceConfig implements [Interface].
func (Unimplemented) ValidateListResourceConfig(_ context.Context, req ValidateListResourceConfigRequest) ValidateListResourceConfigResponse {
	return ValidateListResourceConfigResponse{Diagnostics: unimplemented("the list resource type " + req.TypeName)}
}

// ListResource implements [Interface].
func (Unimplemented) ListResource(_ context.Context, req ListResourceRequest) ListResourceResponse {
	return ListResourceResponse{Diagnostics: unimplemented("the list resource type " + req.TypeName)}
}

// ValidateActionConfig implements [Interface].
func (Unimplemented) ValidateActionConfig(_ context.Context, req ValidateActionConfigRequest) ValidateActionConfigResponse {
	return ValidateActionConfigResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// PlanAction implements [Interface].
func (Unimplemented) PlanAction(_ context.Context, req PlanActionRequest) PlanActionResponse {
	return PlanActionResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// InvokeAction implements [Interface].
func (Unimplemented) InvokeAction(_ context.Context, req InvokeActionRequest) InvokeActionResponse {
	return InvokeActionResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// ValidateStateStoreConfig implements [Interface].
func (Unimplemented) ValidateStateStoreConfig(_ context.Context, req ValidateStateStoreConfigRequest) ValidateStateStoreConfigResponse {
	return ValidateStateStoreConfigResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// ConfigureStateStore implements [Interface].
func (Unimplemented) ConfigureStateStore(_ context.Context, req ConfigureStateStoreRequest) ConfigureStateStoreResponse {
	return ConfigureStateStoreResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// ReadStateBytes implements [Interface].
func (Unimplemented) ReadStateBytes(_ context.Context, req ReadStateBytesRequest) ReadStateBytesResponse {
	return ReadStateBytesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// WriteStateBytes implements [Interface].
func (Unimplemented) WriteStateBytes(_ context.Context, req WriteStateBytesRequest) WriteStateBytesResponse {
	return WriteStateBytesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// LockState implements [Interface].
func (Unimplemented) LockState(_ context.Context, req LockStateRequest) LockStateResponse {
	return LockStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// UnlockState implements [Interface].
func (Unimplemented) UnlockState(_ context.Context, req UnlockStateRequest) UnlockStateResponse {
	return UnlockStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// GetStates implements [Interface].
func (Unimplemented) GetStates(_ context.Context, req GetStatesRequest) GetStatesResponse {
	return GetStatesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// DeleteState implements [Interface].
func (Unimplemented) DeleteState(_ context.Context, req DeleteStateRequest) DeleteStateResponse {
	return DeleteStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// Stop implements [Interface]; there is nothing to stop.
func (Unimplemented) Stop(context.Context) error { return nil }

// Close implements [Interface]; there is nothing to release.
func (Unimplemented) Close() error { return nil }
