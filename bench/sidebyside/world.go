package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"os"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// world is a configured provider and Terraform's state of one resource instance. Its
// methods do what Terraform does: they send requests, and check plans and results by
// Terraform's rules.
type world struct {
	p        provider.Interface
	typeName string
	schema   provider.Schema
	sites    *store.Store // nil for resources other than the site

	state    cty.Value
	private  []byte
	identity cty.Value
	// legacy is set if the provider uses the legacy type system.
	legacy bool
}

var capabilities = provider.ClientCapabilities{WriteOnlyAttributesAllowed: true}

// brokenRule is a violation that Terraform, not the provider, detects in a response.
type brokenRule struct {
	rule string
	err  error
}

func (b *brokenRule) Error() string { return b.rule + ": " + b.err.Error() }

// newWorld starts the contender's site provider with a new directory. Unless there is
// an error, the caller must call remove, which deletes the directory.
func newWorld(ctx context.Context, c Contender) (w *world, remove func(), err error) {
	dir, err := os.MkdirTemp("", "sites")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a leftover temporary directory is harmless
	server, err := c.New(ctx)
	if err == nil {
		w, err = startWorld(ctx, server, "web_site", cty.ObjectVal(map[string]cty.Value{"directory": cty.StringVal(dir)}))
	}
	if err == nil {
		w.sites, err = store.Open(dir)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return w, remove, nil
}

func startWorld(ctx context.Context, server tfplugin.ProviderServer, typeName string, config cty.Value) (*world, error) {
	p, err := tfprotov6.NewClient(server)
	if err != nil {
		return nil, err
	}
	schemas := p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{})
	if schemas.Diagnostics.HasErrors() {
		return nil, schemas.Diagnostics.Err()
	}
	valid := p.ValidateProviderConfig(ctx, provider.ValidateProviderConfigRequest{Config: config})
	if valid.Diagnostics.HasErrors() {
		return nil, valid.Diagnostics.Err()
	}
	configured := p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{Config: config, ClientCapabilities: capabilities})
	if configured.Diagnostics.HasErrors() {
		return nil, configured.Diagnostics.Err()
	}
	schema := schemas.ResourceTypes[typeName]
	return &world{p: p, typeName: typeName, schema: schema, state: cty.NullVal(schema.Body.ImpliedType())}, nil
}

// validate returns the provider's diagnostics about a configuration.
func (w *world) validate(ctx context.Context, config cty.Value) diag.Diagnostics {
	return w.p.ValidateResourceConfig(ctx, provider.ValidateResourceConfigRequest{
		TypeName: w.typeName, Config: config, ClientCapabilities: capabilities,
	}).Diagnostics
}

// refresh reads the object in the state, if there is one.
func (w *world) refresh(ctx context.Context) error {
	if w.state.IsNull() {
		return nil
	}
	resp := w.p.ReadResource(ctx, provider.ReadResourceRequest{
		TypeName: w.typeName, PriorState: w.state, Private: w.private, CurrentIdentity: w.identity, ClientCapabilities: capabilities,
	})
	if resp.Diagnostics.HasErrors() {
		return fmt.Errorf("read: %w", resp.Diagnostics.Err())
	}
	if !resp.NewState.IsWhollyKnown() {
		return &brokenRule{"invalid object", errors.New("the result of the read has unknown values")}
	}
	w.state, w.private, w.identity = resp.NewState, resp.Private, resp.Identity
	return nil
}

// plan does what the plan command does: validate, refresh, plan.
func (w *world) plan(ctx context.Context, config cty.Value) (*plan, error) {
	if diags := w.validate(ctx, config); diags.HasErrors() {
		return nil, fmt.Errorf("validate: %w", diags.Err())
	}
	if err := w.refresh(ctx); err != nil {
		return nil, err
	}
	p, err := w.planFrom(ctx, w.state, w.private, w.identity, config)
	if err != nil || p.action != replaces {
		return p, err
	}
	// A replacement is planned a second time, as a create.
	second, err := w.planFrom(ctx, cty.NullVal(w.state.Type()), p.PlannedPrivate, cty.NilVal, config)
	if err != nil {
		return nil, err
	}
	second.action = replaces
	return second, nil
}

func (w *world) planFrom(ctx context.Context, prior cty.Value, private []byte, identity, config cty.Value) (*plan, error) {
	resp := w.p.PlanResourceChange(ctx, provider.PlanResourceChangeRequest{
		TypeName: w.typeName, PriorState: prior, Config: config, PriorPrivate: private, PriorIdentity: identity,
		ProposedNewState: objchange.ProposedNew(w.schema.Body, prior, config), ClientCapabilities: capabilities,
	})
	if resp.Diagnostics.HasErrors() {
		return nil, fmt.Errorf("plan: %w", resp.Diagnostics.Err())
	}
	w.legacy = w.legacy || resp.LegacyTypeSystem
	if !resp.LegacyTypeSystem {
		if errs := objchange.AssertPlanValid(w.schema.Body, prior, config, resp.PlannedState); len(errs) > 0 {
			return nil, &brokenRule{"invalid plan", errors.Join(errs...)}
		}
	}
	return newPlan(prior, config, resp), nil
}

// apply applies a plan and stores the result in w. For a replacement, it destroys the old object first.
func (w *world) apply(ctx context.Context, p *plan) error {
	prior := w.state
	if p.action == replaces {
		if err := w.destroy(ctx, p.PlannedPrivate); err != nil {
			return err
		}
		prior = w.state
	}
	resp := w.p.ApplyResourceChange(ctx, provider.ApplyResourceChangeRequest{
		TypeName: w.typeName, PriorState: prior, PlannedState: p.PlannedState, Config: p.config,
		PlannedPrivate: p.PlannedPrivate, PlannedIdentity: p.PlannedIdentity,
	})
	w.legacy = w.legacy || resp.LegacyTypeSystem
	if resp.NewState != cty.NilVal && !resp.NewState.IsNull() { // even with an error
		w.state, w.private, w.identity = resp.NewState, resp.Private, resp.NewIdentity
	}
	if resp.Diagnostics.HasErrors() {
		return fmt.Errorf("apply: %w", resp.Diagnostics.Err())
	}
	if !resp.NewState.IsWhollyKnown() {
		return &brokenRule{"inconsistent result", errors.New("the result of the apply has unknown values")}
	}
	if !resp.LegacyTypeSystem {
		if errs := objchange.AssertObjectCompatible(w.schema.Body, p.PlannedState, resp.NewState); len(errs) > 0 {
			return &brokenRule{"inconsistent result", errors.Join(errs...)}
		}
	}
	return nil
}

// destroy makes the provider delete the object, and then clears the state.
func (w *world) destroy(ctx context.Context, private []byte) error {
	null := cty.NullVal(w.state.Type())
	resp := w.p.ApplyResourceChange(ctx, provider.ApplyResourceChangeRequest{
		TypeName: w.typeName, PriorState: w.state, PlannedState: null, Config: null, PlannedPrivate: private,
	})
	if resp.Diagnostics.HasErrors() {
		return fmt.Errorf("destroy: %w", resp.Diagnostics.Err())
	}
	w.state, w.private, w.identity = null, nil, cty.NilVal
	return nil
}

// importObject imports an object by ID, or by identity if id is empty.
func (w *world) importObject(ctx context.Context, id string, identity cty.Value) error {
	resp := w.p.ImportResourceState(ctx, provider.ImportResourceStateRequest{
		TypeName: w.typeName, ID: id, Identity: identity, ClientCapabilities: capabilities,
	})
	if resp.Diagnostics.HasErrors() {
		return fmt.Errorf("import: %w", resp.Diagnostics.Err())
	}
	if len(resp.ImportedResources) != 1 {
		return fmt.Errorf("import: got %d objects, want 1", len(resp.ImportedResources))
	}
	got := resp.ImportedResources[0]
	w.state, w.private, w.identity = got.State, got.Private, got.Identity
	if err := w.refresh(ctx); err != nil {
		return err
	}
	if w.state.IsNull() {
		return errors.New("import: the object does not exist")
	}
	return nil
}

// upgrade makes the provider upgrade a stored state of an older schema version, and keeps the result.
func (w *world) upgrade(ctx context.Context, version int64, stored string) error {
	resp := w.p.UpgradeResourceState(ctx, provider.UpgradeResourceStateRequest{
		TypeName: w.typeName, Version: version, RawStateJSON: []byte(stored),
	})
	if resp.Diagnostics.HasErrors() {
		return fmt.Errorf("upgrade: %w", resp.Diagnostics.Err())
	}
	w.state = resp.UpgradedState
	return nil
}
