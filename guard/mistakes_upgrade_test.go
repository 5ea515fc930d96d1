package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

func upgrade(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.UpgradeResourceState(t.Context(), w.upgrade).Diagnostics
}

func upgradeIdentity(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.UpgradeResourceIdentity(t.Context(), w.upgradeIdentity).Diagnostics
}

func upgradePlainIdentity(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.upgradeIdentity.TypeName = "fake_plain"
	return upgradeIdentity(t, p, w)
}

func move(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.MoveResourceState(t.Context(), w.move).Diagnostics
}

func generate(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.GenerateResourceConfig(t.Context(), w.generate).Diagnostics
}

func upgraded(name string, v cty.Value) mutant {
	return mutant{upgrade: func(r *provider.UpgradeResourceStateResponse) { r.UpgradedState = set(r.UpgradedState, name, v) }}
}

func upgradedIdentity(v cty.Value) mutant {
	return mutant{upgradeIdentity: func(r *provider.UpgradeResourceIdentityResponse) { r.UpgradedIdentity = v }}
}

func moving(change func(*provider.MoveResourceStateResponse)) mutant { return mutant{move: change} }

func moved(name string, v cty.Value) mutant {
	return moving(func(r *provider.MoveResourceStateResponse) { r.TargetState = set(r.TargetState, name, v) })
}

func upgradeMistakes() []mistake {
	return []mistake{
		{rule: "UPGRADE-001", call: upgrade, wrong: upgraded("content", cty.UnknownVal(cty.String))},
		{rule: "UPGRADE-002", call: upgrade, wrong: upgraded("gone", cty.True)},
		{rule: "UPGRADE-003", call: upgrade, wrong: upgraded("token", hidden)},
		{rule: "UPGRADE-004", call: upgrade, wrong: mutant{upgrade: func(r *provider.UpgradeResourceStateResponse) {
			r.UpgradedState = cty.NullVal(r.UpgradedState.Type())
		}}},
		{rule: "UPGRADE-004", name: "flatmap", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.upgrade.RawStateJSON, w.upgrade.RawStateFlatmap = nil, map[string]string{"id": "1"}
			return upgrade(t, p, w)
		}, wrong: mutant{upgrade: func(r *provider.UpgradeResourceStateResponse) { *r = provider.UpgradeResourceStateResponse{} }}},
		{rule: "IDENTITY-001", call: upgradeIdentity, wrong: upgradedIdentity(identityOf(cty.UnknownVal(cty.String), cty.StringVal("/a")))},
		{rule: "IDENTITY-002", call: upgradeIdentity, wrong: upgradedIdentity(cty.EmptyObjectVal)},
		{rule: "IDENTITY-003", call: upgradeIdentity, wrong: upgradedIdentity(cty.NilVal)},
		{rule: "IDENTITY-004", call: upgradePlainIdentity, wrong: upgradedIdentity(someIdentity)},
	}
}

func moveMistakes() []mistake {
	return []mistake{
		{rule: "MOVE-001", call: move, wrong: moved("content", cty.UnknownVal(cty.String))},
		{rule: "MOVE-002", call: move, wrong: moved("content", cty.True)},
		{rule: "MOVE-003", call: move, wrong: moved("token", hidden)},
		{rule: "MOVE-004", call: move, wrong: moving(func(r *provider.MoveResourceStateResponse) { r.TargetState = cty.NilVal })},
		{rule: "MOVE-005", call: move, wrong: moving(func(r *provider.MoveResourceStateResponse) {
			r.TargetIdentity = set(r.TargetIdentity, "host", cty.UnknownVal(cty.String))
		})},
		{rule: "MOVE-006", call: move, wrong: moving(func(r *provider.MoveResourceStateResponse) { r.TargetIdentity = cty.EmptyObjectVal })},
		{rule: "MOVE-007", call: movePlain, wrong: moving(func(r *provider.MoveResourceStateResponse) {
			r.TargetState = cty.ObjectVal(values{"name": cty.StringVal("x")})
			r.TargetIdentity = someIdentity
		})},
		{rule: "MOVE-008", call: move, wrong: mutant{schema: func(r *provider.GetProviderSchemaResponse) { r.ServerCapabilities.MoveResourceState = false }}},
		{rule: "GENERATE-001", call: generate, wrong: mutant{generate: func(r *provider.GenerateResourceConfigResponse) {
			r.Config = set(r.Config, "content", cty.UnknownVal(cty.String))
		}}},
		{rule: "GENERATE-002", call: generate, wrong: mutant{generate: func(r *provider.GenerateResourceConfigResponse) {
			r.Config = unset(r.Config, "content")
		}}},
	}
}

func movePlain(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.move.TargetTypeName = "fake_plain"
	return move(t, p, w)
}
