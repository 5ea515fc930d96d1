package guard_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestCorrectProvider checks that a correct provider gets no diagnostics in complete
// lifecycles.
func TestCorrectProvider(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fake{"without private data": {}, "with private data": {private: []byte("mine")}} {
		for _, typeName := range []string{"fake_thing", "fake_plain"} {
			t.Run(typeName+" "+name, func(t *testing.T) {
				t.Parallel()
				live(t, guard.Wrap(f), newWorld(t, f, typeName))
			})
		}
	}
}

func live(t *testing.T, p provider.Interface, w world) {
	t.Helper()
	ctx := t.Context()
	quiet := func(step string, messages diag.Diagnostics) {
		t.Helper()
		for _, m := range messages {
			t.Errorf("%s: %s", step, m.Error())
		}
	}
	quiet("schema", p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}).Diagnostics)
	quiet("identity schemas", p.GetResourceIdentitySchemas(ctx, provider.GetResourceIdentitySchemasRequest{}).Diagnostics)
	quiet("validate", p.ValidateResourceConfig(ctx, w.validate).Diagnostics)
	quiet("upgrade", p.UpgradeResourceState(ctx, w.upgrade).Diagnostics)
	quiet("read", p.ReadResource(ctx, w.read).Diagnostics)
	quiet("plan create", p.PlanResourceChange(ctx, w.planCreate).Diagnostics)
	quiet("create", p.ApplyResourceChange(ctx, w.applyCreate).Diagnostics)
	quiet("plan without changes", p.PlanResourceChange(ctx, w.planNoop).Diagnostics)
	quiet("plan update", p.PlanResourceChange(ctx, w.planUpdate).Diagnostics)
	quiet("update", p.ApplyResourceChange(ctx, w.applyUpdate).Diagnostics)
	quiet("plan destroy", p.PlanResourceChange(ctx, w.planDestroy).Diagnostics)
	quiet("destroy", p.ApplyResourceChange(ctx, w.applyDestroy).Diagnostics)
	quiet("generate", p.GenerateResourceConfig(ctx, w.generate).Diagnostics)

	// A replacement: two plans, the second with the private data of the first; a delete; a
	// create.
	first := p.PlanResourceChange(ctx, w.planReplace)
	quiet("first plan of a replacement", first.Diagnostics)
	again := w.planReplace
	again.PriorState = cty.NullVal(w.planReplace.PriorState.Type())
	again.PriorPrivate, again.PriorIdentity = first.PlannedPrivate, first.PlannedIdentity
	second := p.PlanResourceChange(ctx, again)
	quiet("second plan of a replacement", second.Diagnostics)
	quiet("delete leg", p.ApplyResourceChange(ctx, provider.ApplyResourceChangeRequest{
		TypeName: again.TypeName, PriorState: w.planReplace.PriorState, PlannedState: again.PriorState,
		Config: again.PriorState, PlannedPrivate: second.PlannedPrivate,
	}).Diagnostics)
	quiet("create leg", p.ApplyResourceChange(ctx, provider.ApplyResourceChangeRequest{
		TypeName: again.TypeName, PriorState: again.PriorState, PlannedState: second.PlannedState,
		Config: again.Config, PlannedPrivate: second.PlannedPrivate, PlannedIdentity: second.PlannedIdentity,
	}).Diagnostics)

	// A stored null, in a request that also has an older form of a state.
	w.upgrade.RawStateJSON, w.upgrade.RawStateFlatmap = []byte("null"), map[string]string{"id": "1"}
	quiet("upgrade of a null state", p.UpgradeResourceState(ctx, w.upgrade).Diagnostics)

	// A read of an object that no longer exists.
	gone := w.read
	gone.PriorState = cty.NullVal(w.read.PriorState.Type())
	quiet("read of a null object", p.ReadResource(ctx, gone).Diagnostics)

	imports := []provider.ImportResourceStateRequest{w.importID}
	if w.read.TypeName == "fake_thing" {
		imports = append(imports, w.importIdentity)
		quiet("move", p.MoveResourceState(ctx, w.move).Diagnostics)
		quiet("upgrade of an identity", p.UpgradeResourceIdentity(ctx, w.upgradeIdentity).Diagnostics)
		w.upgradeIdentity.RawIdentityJSON = nil
		quiet("upgrade of a missing identity", p.UpgradeResourceIdentity(ctx, w.upgradeIdentity).Diagnostics)
	}
	for _, req := range imports {
		resp := p.ImportResourceState(ctx, req)
		quiet("import", resp.Diagnostics)
		found := resp.ImportedResources[0]
		quiet("read after import", p.ReadResource(ctx, provider.ReadResourceRequest{
			TypeName: found.TypeName, PriorState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
		}).Diagnostics)
	}
}

// TestUnknownConfiguration checks that a correct plan of a configuration that is unknown until
// apply gets no diagnostics.
func TestUnknownConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	config := w.planCreate.Config.AsValueMap()
	for name := range config {
		config[name] = cty.UnknownVal(config[name].Type())
	}
	config["size"] = cty.NullVal(cty.Number)
	req := changeOf("fake_thing", w.planCreate.PriorState, cty.ObjectVal(config), nil, w.planCreate.PriorIdentity)
	for _, m := range guard.Wrap(fake{}).PlanResourceChange(t.Context(), req).Diagnostics {
		t.Error(m.Error())
	}
}
