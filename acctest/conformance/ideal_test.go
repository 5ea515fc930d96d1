package conformance_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// cloud stores the objects of ideal providers.
type cloud struct {
	mu      sync.Mutex
	objects map[string]cty.Value
	made    int
}

// ideal is a provider of one type with any schema that has an id. It is correct unless
// a hook changes that.
type ideal struct {
	provider.Unimplemented
	*cloud
	body *configschema.Block
	// validate refuses configurations; apply changes the created or updated object. The
	// others change responses. All may be nil.
	validate   func(config cty.Value) diag.Diagnostics
	apply      func(planned cty.Value) cty.Value
	onPlan     func(req provider.PlanResourceChangeRequest, resp *provider.PlanResourceChangeResponse)
	onApply    func(req provider.ApplyResourceChangeRequest, resp *provider.ApplyResourceChangeResponse)
	onRead     func(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse)
	onImport   func(resp *provider.ImportResourceStateResponse)
	onUpgrade  func(resp *provider.UpgradeResourceStateResponse)
	onGenerate func(resp *provider.GenerateResourceConfigResponse)
}

type attrs = map[string]*configschema.Attribute

var idealIdentity = &configschema.Object{Nesting: configschema.NestingSingle, Attributes: attrs{"id": {Type: cty.String, Required: true}}}

func (p *ideal) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider:           provider.Schema{Body: &configschema.Block{}},
		ResourceTypes:      map[string]provider.Schema{"ideal_thing": {Body: p.body, Identity: idealIdentity}},
		ServerCapabilities: provider.ServerCapabilities{GetProviderSchemaOptional: true, PlanDestroy: true, GenerateResourceConfig: p.onGenerate != nil},
	}
}

func (p *ideal) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return provider.GetResourceIdentitySchemasResponse{IdentityTypes: map[string]provider.IdentitySchema{"ideal_thing": {Body: idealIdentity}}}
}

func (p *ideal) ValidateProviderConfig(context.Context, provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	return provider.ValidateProviderConfigResponse{}
}

func (p *ideal) ConfigureProvider(context.Context, provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	return provider.ConfigureProviderResponse{}
}

func (p *ideal) ValidateResourceConfig(_ context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	if p.validate != nil {
		resp.Diagnostics = p.validate(req.Config)
	}
	return resp
}

func (p *ideal) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	if p.onPlan != nil {
		defer func() { p.onPlan(req, &resp) }()
	}
	resp = provider.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedIdentity: req.PriorIdentity, PlannedPrivate: req.PriorPrivate}
	if !req.ProposedNewState.IsNull() {
		resp.PlannedState = p.chosen(req.ProposedNewState, func(_ cty.Path, ty cty.Type) cty.Value { return cty.UnknownVal(ty) })
	}
	return resp
}

// chosen returns v with the results of choose for computed attributes that are null or
// unknown, and with null for write-only attributes.
func (p *ideal) chosen(v cty.Value, choose func(cty.Path, cty.Type) cty.Value) cty.Value {
	v, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		attr := p.body.EnclosingAttribute(path)
		switch {
		case len(path) == 0 || attr == nil:
		case attr.WriteOnly:
			return cty.NullVal(v.Type()), nil
		case attr.Computed && (v.IsNull() || !v.IsKnown()):
			return choose(path, v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return v
}

func (p *ideal) ApplyResourceChange(_ context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	if p.onApply != nil {
		defer func() { p.onApply(req, &resp) }()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if req.PlannedState.IsNull() {
		delete(p.objects, idOf(req.PriorState))
		return provider.ApplyResourceChangeResponse{NewState: req.PlannedState, NewIdentity: cty.NullVal(idealIdentity.ImpliedType())}
	}
	now := req.PlannedState
	if req.PriorState.IsNull() {
		p.made++
	}
	now = p.chosen(now, func(path cty.Path, ty cty.Type) cty.Value {
		if ty == cty.String {
			return cty.StringVal(fmt.Sprintf("%d%s", p.made, diag.FormatPath(path)))
		}
		return cty.NumberIntVal(int64(p.made))
	})
	if p.apply != nil {
		now = p.apply(now)
	}
	p.objects[idOf(now)] = now
	return provider.ApplyResourceChangeResponse{NewState: now, NewIdentity: identityOf(idOf(now)), Private: req.PlannedPrivate}
}

func (p *ideal) ReadResource(_ context.Context, req provider.ReadResourceRequest) (resp provider.ReadResourceResponse) {
	if p.onRead != nil {
		defer func() { p.onRead(req, &resp) }()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, ok := p.objects[idOf(req.PriorState)]
	if !ok {
		return provider.ReadResourceResponse{NewState: cty.NullVal(p.body.ImpliedType()), Identity: req.CurrentIdentity}
	}
	return provider.ReadResourceResponse{NewState: now, Identity: identityOf(idOf(now)), Private: req.Private}
}

func (p *ideal) ImportResourceState(_ context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	if p.onImport != nil {
		defer func() { p.onImport(&resp) }()
	}
	id := req.ID
	if id == "" {
		id = idOf(req.Identity)
	}
	values := p.body.EmptyValue().AsValueMap()
	values["id"] = cty.StringVal(id)
	return provider.ImportResourceStateResponse{ImportedResources: []provider.ImportedResource{
		{TypeName: req.TypeName, State: cty.ObjectVal(values), Identity: identityOf(id)},
	}}
}

func (p *ideal) UpgradeResourceState(_ context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	if p.onUpgrade != nil {
		defer func() { p.onUpgrade(&resp) }()
	}
	v, err := ctyjson.Unmarshal(req.RawStateJSON, p.body.ImpliedType())
	return provider.UpgradeResourceStateResponse{UpgradedState: v, Diagnostics: diag.FromError("Cannot read", err)}
}

// GenerateResourceConfig returns a configuration with all configurable attributes.
func (p *ideal) GenerateResourceConfig(_ context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	config, err := cty.Transform(req.State, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if attr := p.body.EnclosingAttribute(path); len(path) > 0 && attr != nil && attr.Computed && !attr.Optional {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	resp := provider.GenerateResourceConfigResponse{Config: config, Diagnostics: diag.FromError("Cannot generate", err)}
	p.onGenerate(&resp)
	return resp
}

func (p *ideal) Stop(context.Context) error { return nil }
func (p *ideal) Close() error               { return nil }

func idOf(v cty.Value) string { return v.GetAttr("id").AsString() }

func identityOf(id string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})
}
