package tfprotov6_test

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// requests returns a random request for every method except Stop, Close and those for schemas.
func (m maker) requests(ctx context.Context) []request {
	var all []request
	add := func(name string, f func(p provider.Interface) any) { all = append(all, request{name, f}) }

	validateProvider := provider.ValidateProviderConfigRequest{Config: m.small()}
	add("ValidateProviderConfig", func(p provider.Interface) any { return p.ValidateProviderConfig(ctx, validateProvider) })
	configure := provider.ConfigureProviderRequest{TerraformVersion: m.text(), Config: m.small(), ClientCapabilities: m.can()}
	add("ConfigureProvider", func(p provider.Interface) any { return p.ConfigureProvider(ctx, configure) })

	validate := provider.ValidateResourceConfigRequest{TypeName: thing, Config: m.object()}
	validate.ClientCapabilities.WriteOnlyAttributesAllowed = m.IntN(2) == 0
	add("ValidateResourceConfig", func(p provider.Interface) any { return p.ValidateResourceConfig(ctx, validate) })
	upgrade := provider.UpgradeResourceStateRequest{TypeName: thing, Version: m.Int64(), RawStateJSON: m.bytes()}
	if m.IntN(2) == 0 {
		upgrade.RawStateJSON, upgrade.RawStateFlatmap = nil, map[string]string{"name": m.text()}
	}
	add("UpgradeResourceState", func(p provider.Interface) any { return p.UpgradeResourceState(ctx, upgrade) })
	upgradeIdentity := provider.UpgradeResourceIdentityRequest{TypeName: thing, Version: m.Int64(), RawIdentityJSON: m.bytes()}
	add("UpgradeResourceIdentity", func(p provider.Interface) any { return p.UpgradeResourceIdentity(ctx, upgradeIdentity) })
	read := provider.ReadResourceRequest{
		TypeName: thing, PriorState: m.object(), Private: m.bytes(), ProviderMeta: m.small(), ClientCapabilities: m.can(), CurrentIdentity: m.requestIdentity(),
	}
	add("ReadResource", func(p provider.Interface) any { return p.ReadResource(ctx, read) })
	plan := provider.PlanResourceChangeRequest{
		TypeName: thing, PriorState: m.object(), ProposedNewState: m.object(), Config: m.object(), PriorPrivate: m.bytes(),
		ProviderMeta: m.small(), ClientCapabilities: m.can(), PriorIdentity: m.requestIdentity(),
	}
	add("PlanResourceChange", func(p provider.Interface) any { return p.PlanResourceChange(ctx, plan) })
	apply := provider.ApplyResourceChangeRequest{
		TypeName: thing, PriorState: m.object(), PlannedState: m.object(), Config: m.object(), PlannedPrivate: m.bytes(),
		ProviderMeta: m.small(), PlannedIdentity: m.requestIdentity(),
	}
	add("ApplyResourceChange", func(p provider.Interface) any { return p.ApplyResourceChange(ctx, apply) })
	importState := provider.ImportResourceStateRequest{TypeName: thing, ID: m.text(), ClientCapabilities: m.can(), Identity: m.requestIdentity()}
	add("ImportResourceState", func(p provider.Interface) any { return p.ImportResourceState(ctx, importState) })
	move := provider.MoveResourceStateRequest{
		SourceProviderAddress: m.text(), SourceTypeName: m.text(), SourceSchemaVersion: m.Int64(), SourceStateJSON: m.bytes(),
		SourcePrivate: m.bytes(), TargetTypeName: thing, SourceIdentity: m.bytes(),
	}
	add("MoveResourceState", func(p provider.Interface) any { return p.MoveResourceState(ctx, move) })
	generate := provider.GenerateResourceConfigRequest{TypeName: thing, State: m.object()}
	add("GenerateResourceConfig", func(p provider.Interface) any { return p.GenerateResourceConfig(ctx, generate) })

	validateData := provider.ValidateDataResourceConfigRequest{TypeName: thing, Config: m.object()}
	add("ValidateDataResourceConfig", func(p provider.Interface) any { return p.ValidateDataResourceConfig(ctx, validateData) })
	readData := provider.ReadDataSourceRequest{TypeName: thing, Config: m.object(), ProviderMeta: m.small(), ClientCapabilities: m.can()}
	add("ReadDataSource", func(p provider.Interface) any { return p.ReadDataSource(ctx, readData) })

	validateEphemeral := provider.ValidateEphemeralResourceConfigRequest{TypeName: thing, Config: m.object()}
	add("ValidateEphemeralResourceConfig", func(p provider.Interface) any { return p.ValidateEphemeralResourceConfig(ctx, validateEphemeral) })
	open := provider.OpenEphemeralResourceRequest{TypeName: thing, Config: m.object(), ClientCapabilities: m.can()}
	add("OpenEphemeralResource", func(p provider.Interface) any { return p.OpenEphemeralResource(ctx, open) })
	renew := provider.RenewEphemeralResourceRequest{TypeName: thing, Private: m.bytes()}
	add("RenewEphemeralResource", func(p provider.Interface) any { return p.RenewEphemeralResource(ctx, renew) })
	closing := provider.CloseEphemeralResourceRequest{TypeName: thing, Private: m.bytes()}
	add("CloseEphemeralResource", func(p provider.Interface) any { return p.CloseEphemeralResource(ctx, closing) })

	call := provider.CallFunctionRequest{FunctionName: "join", Arguments: []cty.Value{cty.StringVal(m.text()), cty.NullVal(cty.DynamicPseudoType), cty.DynamicVal, cty.True}}
	add("CallFunction", func(p provider.Interface) any { return p.CallFunction(ctx, call) })

	validateList := provider.ValidateListResourceConfigRequest{TypeName: thing, Config: m.object(), IncludeResourceObject: cty.NullVal(cty.Bool), Limit: cty.UnknownVal(cty.Number)}
	add("ValidateListResourceConfig", func(p provider.Interface) any { return p.ValidateListResourceConfig(ctx, validateList) })
	list := provider.ListResourceRequest{TypeName: thing, Config: m.object(), IncludeResourceObject: m.IntN(2) == 0, Limit: m.Int64()}
	add("ListResource", func(p provider.Interface) any { return p.ListResource(ctx, list) })

	validateAction := provider.ValidateActionConfigRequest{ActionType: thing, Config: m.object()}
	add("ValidateActionConfig", func(p provider.Interface) any { return p.ValidateActionConfig(ctx, validateAction) })
	planAction := provider.PlanActionRequest{ActionType: thing, Config: m.object(), ClientCapabilities: m.can()}
	add("PlanAction", func(p provider.Interface) any { return p.PlanAction(ctx, planAction) })
	invoke := provider.InvokeActionRequest{ActionType: thing, Config: m.object()}
	add("InvokeAction", func(p provider.Interface) any { return p.InvokeAction(ctx, invoke) })

	validateStore := provider.ValidateStateStoreConfigRequest{TypeName: thing, Config: m.object()}
	add("ValidateStateStoreConfig", func(p provider.Interface) any { return p.ValidateStateStoreConfig(ctx, validateStore) })
	configureStore := provider.ConfigureStateStoreRequest{TypeName: thing, Config: m.object(), ChunkSize: m.Int64()}
	add("ConfigureStateStore", func(p provider.Interface) any { return p.ConfigureStateStore(ctx, configureStore) })
	readBytes := provider.ReadStateBytesRequest{TypeName: thing, StateID: m.text()}
	add("ReadStateBytes", func(p provider.Interface) any { return p.ReadStateBytes(ctx, readBytes) })
	write := provider.WriteStateBytesRequest{TypeName: thing, StateID: m.text(), Chunks: m.chunks()}
	add("WriteStateBytes", func(p provider.Interface) any { return p.WriteStateBytes(ctx, write) })
	lock := provider.LockStateRequest{TypeName: thing, StateID: m.text(), Operation: m.text()}
	add("LockState", func(p provider.Interface) any { return p.LockState(ctx, lock) })
	unlock := provider.UnlockStateRequest{TypeName: thing, StateID: m.text(), LockID: m.text()}
	add("UnlockState", func(p provider.Interface) any { return p.UnlockState(ctx, unlock) })
	states := provider.GetStatesRequest{TypeName: thing}
	add("GetStates", func(p provider.Interface) any { return p.GetStates(ctx, states) })
	remove := provider.DeleteStateRequest{TypeName: thing, StateID: m.text()}
	add("DeleteState", func(p provider.Interface) any { return p.DeleteState(ctx, remove) })
	return all
}
