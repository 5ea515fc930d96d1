package runtime_test

import (
	"encoding/json"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// driver acts as Terraform for one resource instance: it calls the RPCs in the client's
// order, checks their responses, and keeps the state.
type driver struct {
	t        *testing.T
	p        provider.Interface
	typeName string
	schema   provider.Schema
	caps     provider.ClientCapabilities

	state    cty.Value
	private  []byte
	identity cty.Value
	tainted  bool
}

func newProvider(t *testing.T, def runtime.Definition) provider.Interface {
	t.Helper()
	p, err := runtime.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newDriver(t *testing.T, p provider.Interface, typeName string) *driver {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	if !ok {
		t.Fatalf("the provider has no resource type %s", typeName)
	}
	return &driver{
		t: t, p: p, typeName: typeName, schema: schema, identity: cty.NilVal,
		state: cty.NullVal(schema.Body.ImpliedType()), caps: provider.ClientCapabilities{WriteOnlyAttributesAllowed: true},
	}
}

// config returns a configuration with the attributes; all others are null, or empty for
// repeated blocks.
func (d *driver) config(attrs map[string]cty.Value) cty.Value {
	d.t.Helper()
	all := d.schema.Body.EmptyValue().AsValueMap()
	for name, v := range attrs {
		if _, ok := all[name]; !ok {
			d.t.Fatalf("no attribute %s", name)
		}
		all[name] = v
	}
	return cty.ObjectVal(all)
}

func (d *driver) validate(config cty.Value) diag.Diagnostics {
	return d.p.ValidateResourceConfig(d.t.Context(), provider.ValidateResourceConfigRequest{
		TypeName: d.typeName, Config: config, ClientCapabilities: d.caps,
	}).Diagnostics
}

// plan requests a plan, of a create if the object is tainted, and checks it.
func (d *driver) plan(config cty.Value) provider.PlanResourceChangeResponse {
	d.t.Helper()
	prior, private, identity := d.state, d.private, d.identity
	if d.tainted {
		prior, private, identity = cty.NullVal(d.schema.Body.ImpliedType()), nil, cty.NilVal
	}
	return d.planFrom(prior, config, private, identity)
}

func (d *driver) planFrom(prior, config cty.Value, private []byte, identity cty.Value) provider.PlanResourceChangeResponse {
	d.t.Helper()
	resp := d.p.PlanResourceChange(d.t.Context(), provider.PlanResourceChangeRequest{
		TypeName: d.typeName, PriorState: prior, Config: config, PriorPrivate: private, PriorIdentity: identity,
		ProposedNewState: objchange.ProposedNew(d.schema.Body, prior, config), ClientCapabilities: d.caps,
	})
	if !resp.Diagnostics.HasErrors() && resp.Deferred == nil {
		for _, err := range objchange.AssertPlanValid(d.schema.Body, prior, config, resp.PlannedState) {
			d.t.Errorf("invalid plan: %v", err)
		}
	}
	return resp
}

// applyPlan applies a plan for config and stores the response as a client does. It destroys a
// tainted object, or one that must be replaced, first.
func (d *driver) applyPlan(config cty.Value, plan provider.PlanResourceChangeResponse) diag.Diagnostics {
	d.t.Helper()
	if len(plan.RequiresReplace) > 0 && !d.state.IsNull() {
		second := d.planFrom(cty.NullVal(d.schema.Body.ImpliedType()), config, plan.PlannedPrivate, plan.PlannedIdentity)
		if diags := d.destroyWith(second.PlannedPrivate); diags.HasErrors() {
			return diags
		}
		plan = second
	}
	prior := d.state
	if d.tainted {
		if diags := d.destroyWith(plan.PlannedPrivate); diags.HasErrors() {
			return diags
		}
		prior = d.state
	}
	resp := d.p.ApplyResourceChange(d.t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: prior, PlannedState: plan.PlannedState, Config: config,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	failed := resp.Diagnostics.HasErrors()
	if !failed {
		for _, err := range objchange.AssertObjectCompatible(d.schema.Body, plan.PlannedState, resp.NewState) {
			d.t.Errorf("inconsistent result: %v", err)
		}
	}
	if !resp.NewState.IsWhollyKnown() {
		d.t.Errorf("the new state is not wholly known")
	}
	if failed && resp.NewState.IsNull() {
		return resp.Diagnostics // the prior object stays
	}
	d.tainted = failed && prior.IsNull()
	d.state, d.private, d.identity = resp.NewState, resp.Private, resp.NewIdentity
	return resp.Diagnostics
}

// apply validates, plans and applies config, and fails the test on any error. It returns the plan.
func (d *driver) apply(config cty.Value) provider.PlanResourceChangeResponse {
	d.t.Helper()
	if diags := d.validate(config); diags.HasErrors() {
		d.t.Fatal(diags)
	}
	plan := d.plan(config)
	if plan.Diagnostics.HasErrors() {
		d.t.Fatal(plan.Diagnostics)
	}
	if diags := d.applyPlan(config, plan); diags.HasErrors() {
		d.t.Fatal(diags)
	}
	return plan
}

func (d *driver) destroyWith(private []byte) diag.Diagnostics {
	d.t.Helper()
	null := cty.NullVal(d.schema.Body.ImpliedType())
	resp := d.p.ApplyResourceChange(d.t.Context(), provider.ApplyResourceChangeRequest{
		TypeName: d.typeName, PriorState: d.state, PlannedState: null, Config: null, PlannedPrivate: private,
	})
	if !resp.Diagnostics.HasErrors() {
		if !resp.NewState.IsNull() {
			d.t.Errorf("a destroyed object has a state")
		}
		d.state, d.private, d.identity, d.tainted = null, nil, cty.NilVal, false
	}
	return resp.Diagnostics
}

func (d *driver) destroy() {
	d.t.Helper()
	if diags := d.destroyWith(d.private); diags.HasErrors() {
		d.t.Fatal(diags)
	}
}

// refresh upgrades the state and reads the object, as clients do before every plan.
func (d *driver) refresh() diag.Diagnostics {
	d.t.Helper()
	if d.state.IsNull() {
		return nil
	}
	raw, err := ctyjson.Marshal(d.state, d.schema.Body.ImpliedType())
	if err != nil {
		d.t.Fatal(err)
	}
	up := d.p.UpgradeResourceState(d.t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: d.typeName, Version: d.schema.Version, RawStateJSON: raw,
	})
	if up.Diagnostics.HasErrors() {
		d.t.Fatal(up.Diagnostics)
	}
	if !up.UpgradedState.RawEquals(d.state) {
		d.t.Errorf("upgrading a state of the current version changed it\nfrom %#v\nto   %#v", d.state, up.UpgradedState)
	}
	resp := d.p.ReadResource(d.t.Context(), provider.ReadResourceRequest{
		TypeName: d.typeName, PriorState: up.UpgradedState, Private: d.private, CurrentIdentity: d.identity, ClientCapabilities: d.caps,
	})
	if !resp.Diagnostics.HasErrors() {
		d.state, d.private, d.identity = resp.NewState, resp.Private, resp.Identity
	}
	return resp.Diagnostics
}

// imports imports an object, by ID or by identity, and refreshes it.
func (d *driver) imports(id string, identity cty.Value) diag.Diagnostics {
	d.t.Helper()
	if d.schema.Identity != nil && identity == cty.NilVal {
		identity = cty.NullVal(d.schema.Identity.ImpliedType())
	}
	resp := d.p.ImportResourceState(d.t.Context(), provider.ImportResourceStateRequest{
		TypeName: d.typeName, ID: id, Identity: identity, ClientCapabilities: d.caps,
	})
	if resp.Diagnostics.HasErrors() {
		return resp.Diagnostics
	}
	if n := len(resp.ImportedResources); n != 1 {
		d.t.Fatalf("%d objects imported, want 1", n)
	}
	got := resp.ImportedResources[0]
	d.state, d.private, d.identity = got.State, got.Private, got.Identity
	return d.refresh()
}

// noChange refreshes, and fails the test unless the plan for config is a no-op.
func (d *driver) noChange(config cty.Value) {
	d.t.Helper()
	if diags := d.refresh(); diags.HasErrors() {
		d.t.Fatal(diags)
	}
	plan := d.plan(config)
	if plan.Diagnostics.HasErrors() {
		d.t.Fatal(plan.Diagnostics)
	}
	if !plan.PlannedState.RawEquals(d.state) {
		d.t.Errorf("a change is planned:\nstate %s\nplan  %s", show(d.t, d.state), show(d.t, plan.PlannedState))
	}
}

// attr returns an attribute of the state.
func (d *driver) attr(name string) cty.Value {
	d.t.Helper()
	if d.state.IsNull() {
		d.t.Fatalf("attribute %s: the object has no state", name)
	}
	return d.state.GetAttr(name)
}

// show returns a value as JSON, with a word for unknown strings and null for other unknown values.
func show(t *testing.T, v cty.Value) string {
	t.Helper()
	known, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		if v.Type() == cty.String {
			return cty.StringVal("(unknown)"), nil
		}
		return cty.NullVal(v.Type()), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := ctyjson.Marshal(known, known.Type())
	if err != nil {
		t.Fatal(err)
	}
	return string(json.RawMessage(raw))
}

func str(s string) cty.Value { return cty.StringVal(s) }
func num(n int64) cty.Value  { return cty.NumberIntVal(n) }
