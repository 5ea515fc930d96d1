package guard_test

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// mutant is a provider with functions that change its responses. A nil function changes
// nothing.
type mutant struct {
	provider.Interface
	mutable bool
	same    func(prior, current cty.Value) bool
	// every changes the response to each call that has a function below, after that function. It gets
	// a pointer to the response.
	every func(response any)

	schema          func(*provider.GetProviderSchemaResponse)
	identities      func(*provider.GetResourceIdentitySchemasResponse)
	validate        func(*provider.ValidateResourceConfigResponse)
	upgrade         func(*provider.UpgradeResourceStateResponse)
	upgradeIdentity func(*provider.UpgradeResourceIdentityResponse)
	read            func(*provider.ReadResourceResponse)
	plan            func(*provider.PlanResourceChangeResponse)
	apply           func(*provider.ApplyResourceChangeResponse)
	imports         func(*provider.ImportResourceStateResponse)
	move            func(*provider.MoveResourceStateResponse)
	generate        func(*provider.GenerateResourceConfigResponse)

	readData       func(*provider.ReadDataSourceResponse)
	open           func(*provider.OpenEphemeralResourceResponse)
	renew          func(*provider.RenewEphemeralResourceResponse)
	closes         func(*provider.CloseEphemeralResourceResponse)
	call           func(*provider.CallFunctionResponse)
	list           func(*provider.ListResourceResponse)
	planAction     func(*provider.PlanActionResponse)
	invoke         func(*provider.InvokeActionResponse)
	configureStore func(*provider.ConfigureStateStoreResponse)
	readBytes      func(*provider.ReadStateBytesResponse)
	writeBytes     func(*provider.WriteStateBytesResponse)
	lock           func(*provider.LockStateResponse)
	getStates      func(*provider.GetStatesResponse)
}

func changed[Resp any](m *mutant, resp Resp, change func(*Resp)) Resp {
	if change != nil {
		change(&resp)
	}
	if m.every != nil {
		m.every(&resp)
	}
	return resp
}

func (m *mutant) MutableIdentity(string) bool { return m.mutable }

func (m *mutant) SameIdentity(_ string, prior, current cty.Value) bool {
	return m.same != nil && m.same(prior, current)
}

func (m *mutant) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return changed(m, m.Interface.GetProviderSchema(ctx, req), m.schema)
}

func (m *mutant) GetResourceIdentitySchemas(ctx context.Context, req provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return changed(m, m.Interface.GetResourceIdentitySchemas(ctx, req), m.identities)
}

func (m *mutant) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return changed(m, m.Interface.ValidateResourceConfig(ctx, req), m.validate)
}

func (m *mutant) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	return changed(m, m.Interface.UpgradeResourceState(ctx, req), m.upgrade)
}

func (m *mutant) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	return changed(m, m.Interface.UpgradeResourceIdentity(ctx, req), m.upgradeIdentity)
}

func (m *mutant) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return changed(m, m.Interface.ReadResource(ctx, req), m.read)
}

func (m *mutant) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return changed(m, m.Interface.PlanResourceChange(ctx, req), m.plan)
}

func (m *mutant) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return changed(m, m.Interface.ApplyResourceChange(ctx, req), m.apply)
}

func (m *mutant) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	return changed(m, m.Interface.ImportResourceState(ctx, req), m.imports)
}

func (m *mutant) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	return changed(m, m.Interface.MoveResourceState(ctx, req), m.move)
}

func (m *mutant) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	return changed(m, m.Interface.GenerateResourceConfig(ctx, req), m.generate)
}

func (m *mutant) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return changed(m, m.Interface.ReadDataSource(ctx, req), m.readData)
}

func (m *mutant) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	return changed(m, m.Interface.OpenEphemeralResource(ctx, req), m.open)
}

func (m *mutant) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	return changed(m, m.Interface.RenewEphemeralResource(ctx, req), m.renew)
}

func (m *mutant) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	return changed(m, m.Interface.CloseEphemeralResource(ctx, req), m.closes)
}

func (m *mutant) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	return changed(m, m.Interface.CallFunction(ctx, req), m.call)
}

func (m *mutant) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	return changed(m, m.Interface.ListResource(ctx, req), m.list)
}

func (m *mutant) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	return changed(m, m.Interface.PlanAction(ctx, req), m.planAction)
}

func (m *mutant) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	return changed(m, m.Interface.InvokeAction(ctx, req), m.invoke)
}

func (m *mutant) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	return changed(m, m.Interface.ConfigureStateStore(ctx, req), m.configureStore)
}

func (m *mutant) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	return changed(m, m.Interface.ReadStateBytes(ctx, req), m.readBytes)
}

func (m *mutant) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	return changed(m, m.Interface.WriteStateBytes(ctx, req), m.writeBytes)
}

func (m *mutant) LockState(ctx context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	return changed(m, m.Interface.LockState(ctx, req), m.lock)
}

func (m *mutant) GetStates(ctx context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	return changed(m, m.Interface.GetStates(ctx, req), m.getStates)
}
