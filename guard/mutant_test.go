package guard_test

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// mutant is a correct provider whose answers are changed before they leave. A
// nil function changes nothing.
type mutant struct {
	provider.Interface
	mutable bool

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
}

func changed[Resp any](resp Resp, change func(*Resp)) Resp {
	if change != nil {
		change(&resp)
	}
	return resp
}

func (m *mutant) MutableIdentity(string) bool { return m.mutable }

func (m *mutant) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return changed(m.Interface.GetProviderSchema(ctx, req), m.schema)
}

func (m *mutant) GetResourceIdentitySchemas(ctx context.Context, req provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return changed(m.Interface.GetResourceIdentitySchemas(ctx, req), m.identities)
}

func (m *mutant) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return changed(m.Interface.ValidateResourceConfig(ctx, req), m.validate)
}

func (m *mutant) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	return changed(m.Interface.UpgradeResourceState(ctx, req), m.upgrade)
}

func (m *mutant) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	return changed(m.Interface.UpgradeResourceIdentity(ctx, req), m.upgradeIdentity)
}

func (m *mutant) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return changed(m.Interface.ReadResource(ctx, req), m.read)
}

func (m *mutant) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	return changed(m.Interface.PlanResourceChange(ctx, req), m.plan)
}

func (m *mutant) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	return changed(m.Interface.ApplyResourceChange(ctx, req), m.apply)
}

func (m *mutant) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	return changed(m.Interface.ImportResourceState(ctx, req), m.imports)
}

func (m *mutant) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	return changed(m.Interface.MoveResourceState(ctx, req), m.move)
}

func (m *mutant) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	return changed(m.Interface.GenerateResourceConfig(ctx, req), m.generate)
}
