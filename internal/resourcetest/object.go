package resourcetest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Attrs are values of attributes by name.
type Attrs = map[string]cty.Value

// Capabilities has the capabilities of a client that supports write-only attributes.
var Capabilities = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// Object is one instance of a managed resource. Its methods call the provider as
// Terraform does, without an engine.
type Object struct {
	T        *testing.T
	Provider provider.Interface
	TypeName string
	Body     *configschema.Block

	State    cty.Value // null if there is no object
	Private  []byte
	Identity cty.Value
	Tainted  bool

	nullID  cty.Value
	version int64
}

// NewObject returns an instance of a type, without state. The provider must be
// configured.
func NewObject(t *testing.T, p provider.Interface, typeName string) *Object {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	if !ok {
		t.Fatalf("the provider has no resource type %s", typeName)
	}
	o := &Object{T: t, Provider: p, TypeName: typeName, Body: schema.Body, nullID: cty.NullVal(schema.Identity.ImpliedType()), version: schema.Version}
	o.Forget()
	return o
}

// Null returns the value of an object that does not exist.
func (o *Object) Null() cty.Value { return cty.NullVal(o.Body.ImpliedType()) }

// Forget removes the object from the state without destroying it.
func (o *Object) Forget() {
	o.State, o.Private, o.Identity, o.Tainted = o.Null(), nil, o.nullID, false
}

// Config returns a configuration. Attributes that are not set are null. Config ends the test if
// the type does not have one of the attributes.
func (o *Object) Config(set Attrs) cty.Value {
	o.T.Helper()
	return complete(o.T, o.Body, set)
}

// complete returns a value of the body with the attributes in set. All other attributes are null.
func complete(t *testing.T, body *configschema.Block, set Attrs) cty.Value {
	t.Helper()
	all := body.EmptyValue().AsValueMap()
	for name, v := range set {
		if _, ok := all[name]; !ok {
			t.Fatalf("the schema has no attribute %s", name)
		}
		all[name] = v
	}
	return cty.ObjectVal(all)
}

// Validate validates a configuration.
func (o *Object) Validate(set Attrs) diag.Diagnostics {
	o.T.Helper()
	return o.Provider.ValidateResourceConfig(o.T.Context(), provider.ValidateResourceConfigRequest{
		TypeName: o.TypeName, Config: o.Config(set), ClientCapabilities: Capabilities,
	}).Diagnostics
}

// Plan validates a configuration and plans it from the state, or as a create if the object is
// tainted.
func (o *Object) Plan(set Attrs) provider.PlanResourceChangeResponse {
	o.T.Helper()
	if diags := o.Validate(set); diags.HasErrors() {
		return provider.PlanResourceChangeResponse{Diagnostics: diags}
	}
	if o.Tainted {
		return o.PlanFrom(o.Null(), o.Config(set), nil)
	}
	return o.PlanFrom(o.State, o.Config(set), o.Private)
}

// PlanFrom plans a change of a prior state, without a validation.
func (o *Object) PlanFrom(prior, config cty.Value, private []byte) provider.PlanResourceChangeResponse {
	o.T.Helper()
	id := o.Identity
	if prior.IsNull() {
		id = o.nullID
	}
	return o.Provider.PlanResourceChange(o.T.Context(), provider.PlanResourceChangeRequest{
		TypeName: o.TypeName, PriorState: prior, Config: config, PriorPrivate: private, PriorIdentity: id,
		ProposedNewState: objchange.ProposedNew(o.Body, prior, config), ClientCapabilities: Capabilities,
	})
}

// ApplyPlan applies a plan, as a replacement if it requires one or the object is tainted.
func (o *Object) ApplyPlan(set Attrs, plan provider.PlanResourceChangeResponse) diag.Diagnostics {
	o.T.Helper()
	config := o.Config(set)
	if len(plan.RequiresReplace) > 0 && !o.State.IsNull() || o.Tainted {
		if plan = o.PlanFrom(o.Null(), config, plan.PlannedPrivate); plan.Diagnostics.HasErrors() {
			return plan.Diagnostics
		}
		if diags := o.Destroy(); diags.HasErrors() {
			return diags
		}
	}
	id := plan.PlannedIdentity
	if id == cty.NilVal {
		id = o.nullID
	}
	resp := o.Provider.ApplyResourceChange(o.T.Context(), provider.ApplyResourceChangeRequest{
		TypeName: o.TypeName, PriorState: o.State, PlannedState: plan.PlannedState, Config: config,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: id,
	})
	if !resp.NewState.IsNull() {
		o.Tainted = o.State.IsNull() && resp.Diagnostics.HasErrors()
		o.State, o.Private, o.Identity = resp.NewState, resp.Private, resp.NewIdentity
	}
	return resp.Diagnostics
}

// Apply refreshes, plans and applies. The test ends on an error, and fails if the
// next plan has changes.
func (o *Object) Apply(set Attrs) provider.PlanResourceChangeResponse {
	o.T.Helper()
	o.Refresh()
	plan := o.Plan(set)
	NoErrors(o.T, plan.Diagnostics)
	NoErrors(o.T, o.ApplyPlan(set, plan))
	o.NoChange(set)
	return plan
}

// NextRun configures the provider, like a client at the beginning of each run.
func (o *Object) NextRun() {
	o.T.Helper()
	Configure(o.T, o.Provider)
}

// Destroy destroys the object in a new run.
func (o *Object) Destroy() diag.Diagnostics {
	o.T.Helper()
	o.NextRun()
	return o.DeleteNow()
}

// DeleteNow destroys the object in the current run.
func (o *Object) DeleteNow() diag.Diagnostics {
	o.T.Helper()
	resp := o.Provider.ApplyResourceChange(o.T.Context(), provider.ApplyResourceChangeRequest{
		TypeName: o.TypeName, PriorState: o.State, PlannedState: o.Null(), Config: o.Null(), PlannedPrivate: o.Private, PlannedIdentity: o.nullID,
	})
	if !resp.Diagnostics.HasErrors() {
		o.Forget()
	}
	return resp.Diagnostics
}

// Read reads the object, unless the state is null. The state is first encoded as JSON and
// upgraded, like a stored state.
func (o *Object) Read() diag.Diagnostics {
	o.T.Helper()
	if o.State.IsNull() {
		return nil
	}
	raw, err := ctyjson.Marshal(o.State, o.Body.ImpliedType())
	Must(o.T, err)
	up := o.Provider.UpgradeResourceState(o.T.Context(), provider.UpgradeResourceStateRequest{TypeName: o.TypeName, Version: o.version, RawStateJSON: raw})
	if up.Diagnostics.HasErrors() {
		return up.Diagnostics
	}
	resp := o.Provider.ReadResource(o.T.Context(), provider.ReadResourceRequest{
		TypeName: o.TypeName, PriorState: up.UpgradedState, Private: o.Private, CurrentIdentity: o.Identity, ClientCapabilities: Capabilities,
	})
	if !resp.Diagnostics.HasErrors() {
		o.State, o.Private, o.Identity = resp.NewState, resp.Private, resp.Identity
	}
	return resp.Diagnostics
}

// Refresh calls [Object.Read] and ends the test on an error.
func (o *Object) Refresh() {
	o.T.Helper()
	NoErrors(o.T, o.Read())
}

// Import imports and reads the object. If identity is [cty.NilVal], it imports by ID.
func (o *Object) Import(id string, identity cty.Value) diag.Diagnostics {
	o.T.Helper()
	if identity == cty.NilVal {
		identity = o.nullID
	}
	resp := o.Provider.ImportResourceState(o.T.Context(), provider.ImportResourceStateRequest{
		TypeName: o.TypeName, ID: id, Identity: identity, ClientCapabilities: Capabilities,
	})
	if resp.Diagnostics.HasErrors() {
		return resp.Diagnostics
	}
	got := resp.ImportedResources[0]
	o.State, o.Private, o.Identity = got.State, got.Private, got.Identity
	return append(resp.Diagnostics, o.Read()...)
}

// Move moves the state of another provider's resource to the object.
func (o *Object) Move(req provider.MoveResourceStateRequest) diag.Diagnostics {
	o.T.Helper()
	req.TargetTypeName = o.TypeName
	resp := o.Provider.MoveResourceState(o.T.Context(), req)
	if !resp.Diagnostics.HasErrors() {
		o.State, o.Private, o.Identity = resp.TargetState, resp.TargetPrivate, resp.TargetIdentity
	}
	return resp.Diagnostics
}

// Generate returns the attributes of the generated configuration of the object that are not null,
// and the messages of the provider. The validation of the configuration must have diagnostics if
// and only if there are messages. Without messages, a plan must have no changes.
func (o *Object) Generate() (Attrs, []string) {
	o.T.Helper()
	resp := o.Provider.GenerateResourceConfig(o.T.Context(), provider.GenerateResourceConfigRequest{TypeName: o.TypeName, State: o.State})
	set := Attrs{}
	for name, v := range resp.Config.AsValueMap() {
		if !v.IsNull() {
			set[name] = v
		}
	}
	var messages []string
	for _, d := range resp.Diagnostics {
		messages = append(messages, d.Error())
	}
	if diags := o.Validate(set); (len(diags) > 0) != (len(messages) > 0) {
		o.T.Errorf("got messages %q for the generated configuration and diagnostics %v of its validation, want both or neither", messages, diags)
	}
	if len(messages) == 0 {
		o.NoChange(set)
	}
	return set, messages
}

// NoChange fails the test if a plan after a refresh has changes.
func (o *Object) NoChange(set Attrs) {
	o.T.Helper()
	o.Refresh()
	o.Changes(set)
}

// Changes plans and checks that exactly the attributes in names, which must be sorted, change.
// It returns the plan.
func (o *Object) Changes(set Attrs, names ...string) provider.PlanResourceChangeResponse {
	o.T.Helper()
	plan := o.Plan(set)
	NoErrors(o.T, plan.Diagnostics)
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(o.Body.Attributes)), func(name string) bool {
		return plan.PlannedState.GetAttr(name).RawEquals(o.Attr(name))
	})
	if strings.Join(got, " ") != strings.Join(names, " ") {
		o.T.Errorf("planned changes of %q, want %q", got, names)
	}
	return plan
}

// ChangesTo plans and checks the planned values.
func (o *Object) ChangesTo(set, want Attrs) {
	o.T.Helper()
	plan := o.Plan(set)
	NoErrors(o.T, plan.Diagnostics)
	wantAttrs(o.T, plan.PlannedState, want)
}

// Attr returns an attribute of the state. It ends the test if the state is null.
func (o *Object) Attr(name string) cty.Value {
	o.T.Helper()
	if o.State.IsNull() {
		o.T.Fatalf("attribute %s: the state is null", name)
	}
	return o.State.GetAttr(name)
}

// WantAttrs fails the test unless the state has these values.
func (o *Object) WantAttrs(want Attrs) {
	o.T.Helper()
	if o.State.IsNull() {
		o.T.Fatalf("the state is null, want the attributes %q", slices.Sorted(maps.Keys(want)))
	}
	wantAttrs(o.T, o.State, want)
}

// Lookup is one data source or ephemeral resource. Its methods call the provider as
// Terraform does, without an engine.
type Lookup struct {
	T        *testing.T
	Provider provider.Interface
	TypeName string
	Body     *configschema.Block

	Result  cty.Value
	Private []byte
	RenewAt time.Time
}

// NewData returns a data source. The provider must be configured.
func NewData(t *testing.T, p provider.Interface, typeName string) *Lookup {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources[typeName]
	if !ok {
		t.Fatalf("the provider has no data source %s", typeName)
	}
	return &Lookup{T: t, Provider: p, TypeName: typeName, Body: schema.Body}
}

// NewEphemeral returns an ephemeral resource. The provider must be configured.
func NewEphemeral(t *testing.T, p provider.Interface, typeName string) *Lookup {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes[typeName]
	if !ok {
		t.Fatalf("the provider has no ephemeral resource %s", typeName)
	}
	return &Lookup{T: t, Provider: p, TypeName: typeName, Body: schema.Body}
}

// Read validates and reads a data source.
func (l *Lookup) Read(set Attrs) diag.Diagnostics {
	l.T.Helper()
	config := complete(l.T, l.Body, set)
	diags := l.Provider.ValidateDataResourceConfig(l.T.Context(), provider.ValidateDataResourceConfigRequest{TypeName: l.TypeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := l.Provider.ReadDataSource(l.T.Context(), provider.ReadDataSourceRequest{TypeName: l.TypeName, Config: config})
	l.Result = resp.State
	return resp.Diagnostics
}

// Open validates and opens an ephemeral resource.
func (l *Lookup) Open(set Attrs) diag.Diagnostics {
	l.T.Helper()
	config := complete(l.T, l.Body, set)
	diags := l.Provider.ValidateEphemeralResourceConfig(l.T.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: l.TypeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := l.Provider.OpenEphemeralResource(l.T.Context(), provider.OpenEphemeralResourceRequest{TypeName: l.TypeName, Config: config})
	l.Result, l.Private, l.RenewAt = resp.Result, resp.Private, resp.RenewAt
	return resp.Diagnostics
}

// Renew renews an ephemeral resource.
func (l *Lookup) Renew() diag.Diagnostics {
	l.T.Helper()
	resp := l.Provider.RenewEphemeralResource(l.T.Context(), provider.RenewEphemeralResourceRequest{TypeName: l.TypeName, Private: l.Private})
	l.Private, l.RenewAt = resp.Private, resp.RenewAt
	return resp.Diagnostics
}

// Close closes an ephemeral resource.
func (l *Lookup) Close() diag.Diagnostics {
	l.T.Helper()
	return l.Provider.CloseEphemeralResource(l.T.Context(), provider.CloseEphemeralResourceRequest{TypeName: l.TypeName, Private: l.Private}).Diagnostics
}

// WantAttrs fails the test unless the result has these values.
func (l *Lookup) WantAttrs(want Attrs) {
	l.T.Helper()
	wantAttrs(l.T, l.Result, want)
}
