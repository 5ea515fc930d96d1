package provider

import "context"

// Interface has all requests of a client to a provider. It is composed of [Provider]
// and one interface for each kind of object. Embed [Unimplemented] for the kinds that
// a provider does not offer.
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

// Provider has the requests about the provider itself.
type Provider interface {
	GetProviderSchema(ctx context.Context, req GetProviderSchemaRequest) GetProviderSchemaResponse
	GetResourceIdentitySchemas(ctx context.Context, req GetResourceIdentitySchemasRequest) GetResourceIdentitySchemasResponse
	ValidateProviderConfig(ctx context.Context, req ValidateProviderConfigRequest) ValidateProviderConfigResponse
	ConfigureProvider(ctx context.Context, req ConfigureProviderRequest) ConfigureProviderResponse
	// Stop requests that running operations end soon. It does not wait for them.
	Stop(ctx context.Context) error
	// Close releases the resources of the provider. No method may be called
	// afterwards.
	Close() error
}

// ManagedResources has the requests about managed resources.
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

// DataSources has the requests about data sources.
type DataSources interface {
	ValidateDataResourceConfig(ctx context.Context, req ValidateDataResourceConfigRequest) ValidateDataResourceConfigResponse
	ReadDataSource(ctx context.Context, req ReadDataSourceRequest) ReadDataSourceResponse
}

// EphemeralResources has the requests about ephemeral resources, which exist
// during a run only.
type EphemeralResources interface {
	ValidateEphemeralResourceConfig(ctx context.Context, req ValidateEphemeralResourceConfigRequest) ValidateEphemeralResourceConfigResponse
	OpenEphemeralResource(ctx context.Context, req OpenEphemeralResourceRequest) OpenEphemeralResourceResponse
	RenewEphemeralResource(ctx context.Context, req RenewEphemeralResourceRequest) RenewEphemeralResourceResponse
	CloseEphemeralResource(ctx context.Context, req CloseEphemeralResourceRequest) CloseEphemeralResourceResponse
}

// Functions has the request that calls a function. Functions are pure; their
// declarations are in the provider schema.
type Functions interface {
	CallFunction(ctx context.Context, req CallFunctionRequest) CallFunctionResponse
}

// ListResources has the requests about list resources, which find existing
// objects.
type ListResources interface {
	ValidateListResourceConfig(ctx context.Context, req ValidateListResourceConfigRequest) ValidateListResourceConfigResponse
	ListResource(ctx context.Context, req ListResourceRequest) ListResourceResponse
}

// Actions has the requests about actions, which leave no object in the state.
type Actions interface {
	ValidateActionConfig(ctx context.Context, req ValidateActionConfigRequest) ValidateActionConfigResponse
	PlanAction(ctx context.Context, req PlanActionRequest) PlanActionResponse
	InvokeAction(ctx context.Context, req InvokeActionRequest) InvokeActionResponse
}

// StateStores has the requests about state stores, which store the states of
// clients.
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
