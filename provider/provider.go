package provider

import "context"

// Interface is everything that a client can ask of a provider. It is composed
// of families so that a reader, and an implementation, can take one at a time.
// [Unimplemented] can be embedded for the families that are not offered.
type Interface interface {
	Provider
	ManagedResources
	DataSources
	EphemeralResources
	Functions
	ListResources
	Actions
	StateStores
}

// Provider is the family that concerns the provider as a whole.
type Provider interface {
	GetProviderSchema(ctx context.Context, req GetProviderSchemaRequest) GetProviderSchemaResponse
	GetResourceIdentitySchemas(ctx context.Context, req GetResourceIdentitySchemasRequest) GetResourceIdentitySchemasResponse
	ValidateProviderConfig(ctx context.Context, req ValidateProviderConfigRequest) ValidateProviderConfigResponse
	ConfigureProvider(ctx context.Context, req ConfigureProviderRequest) ConfigureProviderResponse
	// Stop asks operations that run to end soon. It does not wait for them.
	Stop(ctx context.Context) error
	// Close releases what the provider holds; nothing is called after it.
	Close() error
}

// ManagedResources is the family of resources with a life of their own.
type ManagedResources interface {
	ValidateResourceConfig(ctx context.Context, req ValidateResourceConfigRequest) ValidateResourceConfigResponse
	UpgradeResourceState(ctx context.Context, req UpgradeResourceStateRequest) UpgradeResourceStateResponse
	UpgradeResourceIdentity(ctx context.Context, req UpgradeResourceIdentityRequest) UpgradeResourceIdentityResponse
	ReadResource(ctx context.Context, req ReadResourceRequest) ReadResourceResponse
	PlanResourceChange(ctx context.Context, req PlanResourceChangeRequest) PlanResourceChangeResponse
	ApplyResourceChange(ctx context.Context, req ApplyResourceChangeRequest) ApplyResourceChangeResponse
	ImportResourceState(ctx context.Context, req ImportResourceStateRequest) ImportResourceStateResponse
	MoveResourceState(ctx context.Context, req MoveResourceStateRequest) MoveResourceStateResponse
	GenerateResourceConfig(ctx context.Context, req GenerateResourceConfigRequest) GenerateResourceConfigResponse
}

// DataSources is the family of data that is only read.
type DataSources interface {
	ValidateDataResourceConfig(ctx context.Context, req ValidateDataResourceConfigRequest) ValidateDataResourceConfigResponse
	ReadDataSource(ctx context.Context, req ReadDataSourceRequest) ReadDataSourceResponse
}

// EphemeralResources is the family of objects that last no longer than a run.
type EphemeralResources interface {
	ValidateEphemeralResourceConfig(ctx context.Context, req ValidateEphemeralResourceConfigRequest) ValidateEphemeralResourceConfigResponse
	OpenEphemeralResource(ctx context.Context, req OpenEphemeralResourceRequest) OpenEphemeralResourceResponse
	RenewEphemeralResource(ctx context.Context, req RenewEphemeralResourceRequest) RenewEphemeralResourceResponse
	CloseEphemeralResource(ctx context.Context, req CloseEphemeralResourceRequest) CloseEphemeralResourceResponse
}

// Functions is the family of pure functions; their declarations come with the
// provider schema.
type Functions interface {
	CallFunction(ctx context.Context, req CallFunctionRequest) CallFunctionResponse
}

// ListResources is the family that finds existing objects.
type ListResources interface {
	ValidateListResourceConfig(ctx context.Context, req ValidateListResourceConfigRequest) ValidateListResourceConfigResponse
	ListResource(ctx context.Context, req ListResourceRequest) ListResourceResponse
}

// Actions is the family of deeds that leave no object in state.
type Actions interface {
	ValidateActionConfig(ctx context.Context, req ValidateActionConfigRequest) ValidateActionConfigResponse
	PlanAction(ctx context.Context, req PlanActionRequest) PlanActionResponse
	InvokeAction(ctx context.Context, req InvokeActionRequest) InvokeActionResponse
}

// StateStores is the family of places where clients keep their state.
type StateStores interface {
	ValidateStateStoreConfig(ctx context.Context, req ValidateStateStoreConfigRequest) ValidateStateStoreConfigResponse
	ConfigureStateStore(ctx context.Context, req ConfigureStateStoreRequest) ConfigureStateStoreResponse
	ReadStateBytes(ctx context.Context, req ReadStateBytesRequest) ReadStateBytesResponse
	WriteStateBytes(ctx context.Context, req WriteStateBytesRequest) WriteStateBytesResponse
	LockState(ctx context.Context, req LockStateRequest) LockStateResponse
	UnlockState(ctx context.Context, req UnlockStateRequest) UnlockStateResponse
	GetStates(ctx context.Context, req GetStatesRequest) GetStatesResponse
	DeleteState(ctx context.Context, req DeleteStateRequest) DeleteStateResponse
}
