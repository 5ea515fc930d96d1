package provider

import (
	"context"
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Unimplemented answers everything with an error diagnostic that says what is
// not offered. It is for embedding: an implementation overrides the methods of
// the families that it has.
type Unimplemented struct{}

var _ Interface = Unimplemented{}

// ErrUnimplemented is the error of a function call to a provider that has no
// functions.
var ErrUnimplemented = errors.New("this provider has no functions")

func unimplemented(what string) diag.Diagnostics {
	return diag.Diagnostics{}.Errorf(nil, "Not offered by this provider", "This provider does not offer %s.", what)
}

// GetProviderSchema is part of [Interface].
func (Unimplemented) GetProviderSchema(context.Context, GetProviderSchemaRequest) GetProviderSchemaResponse {
	return GetProviderSchemaResponse{Diagnostics: unimplemented("a schema")}
}

// GetResourceIdentitySchemas is part of [Interface].
func (Unimplemented) GetResourceIdentitySchemas(context.Context, GetResourceIdentitySchemasRequest) GetResourceIdentitySchemasResponse {
	return GetResourceIdentitySchemasResponse{}
}

// ValidateProviderConfig is part of [Interface].
func (Unimplemented) ValidateProviderConfig(_ context.Context, req ValidateProviderConfigRequest) ValidateProviderConfigResponse {
	return ValidateProviderConfigResponse{PreparedConfig: req.Config}
}

// ConfigureProvider is part of [Interface].
func (Unimplemented) ConfigureProvider(context.Context, ConfigureProviderRequest) ConfigureProviderResponse {
	return ConfigureProviderResponse{}
}

// ValidateResourceConfig is part of [Interface].
func (Unimplemented) ValidateResourceConfig(_ context.Context, req ValidateResourceConfigRequest) ValidateResourceConfigResponse {
	return ValidateResourceConfigResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// UpgradeResourceState is part of [Interface].
func (Unimplemented) UpgradeResourceState(_ context.Context, req UpgradeResourceStateRequest) UpgradeResourceStateResponse {
	return UpgradeResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// UpgradeResourceIdentity is part of [Interface].
func (Unimplemented) UpgradeResourceIdentity(_ context.Context, req UpgradeResourceIdentityRequest) UpgradeResourceIdentityResponse {
	return UpgradeResourceIdentityResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ReadResource is part of [Interface].
func (Unimplemented) ReadResource(_ context.Context, req ReadResourceRequest) ReadResourceResponse {
	return ReadResourceResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// PlanResourceChange is part of [Interface].
func (Unimplemented) PlanResourceChange(_ context.Context, req PlanResourceChangeRequest) PlanResourceChangeResponse {
	return PlanResourceChangeResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ApplyResourceChange is part of [Interface].
func (Unimplemented) ApplyResourceChange(_ context.Context, req ApplyResourceChangeRequest) ApplyResourceChangeResponse {
	return ApplyResourceChangeResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ImportResourceState is part of [Interface].
func (Unimplemented) ImportResourceState(_ context.Context, req ImportResourceStateRequest) ImportResourceStateResponse {
	return ImportResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// MoveResourceState is part of [Interface].
func (Unimplemented) MoveResourceState(_ context.Context, req MoveResourceStateRequest) MoveResourceStateResponse {
	return MoveResourceStateResponse{Diagnostics: unimplemented("the managed resource type " + req.TargetTypeName)}
}

// GenerateResourceConfig is part of [Interface].
func (Unimplemented) GenerateResourceConfig(_ context.Context, req GenerateResourceConfigRequest) GenerateResourceConfigResponse {
	return GenerateResourceConfigResponse{Diagnostics: unimplemented("the managed resource type " + req.TypeName)}
}

// ValidateDataResourceConfig is part of [Interface].
func (Unimplemented) ValidateDataResourceConfig(_ context.Context, req ValidateDataResourceConfigRequest) ValidateDataResourceConfigResponse {
	return ValidateDataResourceConfigResponse{Diagnostics: unimplemented("the data source " + req.TypeName)}
}

// ReadDataSource is part of [Interface].
func (Unimplemented) ReadDataSource(_ context.Context, req ReadDataSourceRequest) ReadDataSourceResponse {
	return ReadDataSourceResponse{Diagnostics: unimplemented("the data source " + req.TypeName)}
}

// ValidateEphemeralResourceConfig is part of [Interface].
func (Unimplemented) ValidateEphemeralResourceConfig(_ context.Context, req ValidateEphemeralResourceConfigRequest) ValidateEphemeralResourceConfigResponse {
	return ValidateEphemeralResourceConfigResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// OpenEphemeralResource is part of [Interface].
func (Unimplemented) OpenEphemeralResource(_ context.Context, req OpenEphemeralResourceRequest) OpenEphemeralResourceResponse {
	return OpenEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// RenewEphemeralResource is part of [Interface].
func (Unimplemented) RenewEphemeralResource(_ context.Context, req RenewEphemeralResourceRequest) RenewEphemeralResourceResponse {
	return RenewEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// CloseEphemeralResource is part of [Interface].
func (Unimplemented) CloseEphemeralResource(_ context.Context, req CloseEphemeralResourceRequest) CloseEphemeralResourceResponse {
	return CloseEphemeralResourceResponse{Diagnostics: unimplemented("the ephemeral resource type " + req.TypeName)}
}

// CallFunction is part of [Interface].
func (Unimplemented) CallFunction(context.Context, CallFunctionRequest) CallFunctionResponse {
	return CallFunctionResponse{Err: ErrUnimplemented}
}

// ValidateListResourceConfig is part of [Interface].
func (Unimplemented) ValidateListResourceConfig(_ context.Context, req ValidateListResourceConfigRequest) ValidateListResourceConfigResponse {
	return ValidateListResourceConfigResponse{Diagnostics: unimplemented("the list resource type " + req.TypeName)}
}

// ListResource is part of [Interface].
func (Unimplemented) ListResource(_ context.Context, req ListResourceRequest) ListResourceResponse {
	return ListResourceResponse{Diagnostics: unimplemented("the list resource type " + req.TypeName)}
}

// ValidateActionConfig is part of [Interface].
func (Unimplemented) ValidateActionConfig(_ context.Context, req ValidateActionConfigRequest) ValidateActionConfigResponse {
	return ValidateActionConfigResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// PlanAction is part of [Interface].
func (Unimplemented) PlanAction(_ context.Context, req PlanActionRequest) PlanActionResponse {
	return PlanActionResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// InvokeAction is part of [Interface].
func (Unimplemented) InvokeAction(_ context.Context, req InvokeActionRequest) InvokeActionResponse {
	return InvokeActionResponse{Diagnostics: unimplemented("the action " + req.ActionType)}
}

// ValidateStateStoreConfig is part of [Interface].
func (Unimplemented) ValidateStateStoreConfig(_ context.Context, req ValidateStateStoreConfigRequest) ValidateStateStoreConfigResponse {
	return ValidateStateStoreConfigResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// ConfigureStateStore is part of [Interface].
func (Unimplemented) ConfigureStateStore(_ context.Context, req ConfigureStateStoreRequest) ConfigureStateStoreResponse {
	return ConfigureStateStoreResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// ReadStateBytes is part of [Interface].
func (Unimplemented) ReadStateBytes(_ context.Context, req ReadStateBytesRequest) ReadStateBytesResponse {
	return ReadStateBytesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// WriteStateBytes is part of [Interface].
func (Unimplemented) WriteStateBytes(_ context.Context, req WriteStateBytesRequest) WriteStateBytesResponse {
	return WriteStateBytesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// LockState is part of [Interface].
func (Unimplemented) LockState(_ context.Context, req LockStateRequest) LockStateResponse {
	return LockStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// UnlockState is part of [Interface].
func (Unimplemented) UnlockState(_ context.Context, req UnlockStateRequest) UnlockStateResponse {
	return UnlockStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// GetStates is part of [Interface].
func (Unimplemented) GetStates(_ context.Context, req GetStatesRequest) GetStatesResponse {
	return GetStatesResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// DeleteState is part of [Interface].
func (Unimplemented) DeleteState(_ context.Context, req DeleteStateRequest) DeleteStateResponse {
	return DeleteStateResponse{Diagnostics: unimplemented("the state store " + req.TypeName)}
}

// Stop is part of [Interface]; there is nothing to stop.
func (Unimplemented) Stop(context.Context) error { return nil }

// Close is part of [Interface]; there is nothing to release.
func (Unimplemented) Close() error { return nil }
