package guard_test

import (
	"context"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// secret is in the text of every value that no message may show.
const secret = "hunter2"

type (
	attributes = map[string]*configschema.Attribute
	values     = map[string]cty.Value
)

// thingBody returns a body with every kind of attribute and block that the rules
// distinguish.
func thingBody() *configschema.Block {
	return &configschema.Block{
		Attributes: attributes{
			"path":     {Type: cty.String, Required: true},
			"content":  {Type: cty.String, Optional: true},
			"mode":     {Type: cty.String, Optional: true, Computed: true},
			"size":     {Type: cty.Number, Computed: true},
			"password": {Type: cty.String, Optional: true, Sensitive: true},
			"token":    {Type: cty.String, Optional: true, WriteOnly: true},
			"tags":     {Type: cty.Map(cty.String), Optional: true},
			"secrets":  {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
			"words":    {Type: cty.List(cty.String), Optional: true},
			"settings": {Optional: true, NestedType: &configschema.Object{
				Nesting: configschema.NestingSingle,
				Attributes: attributes{
					"level": {Type: cty.Number, Optional: true},
					"pin":   {Type: cty.String, Optional: true, Sensitive: true},
					"note":  {Type: cty.String, Optional: true, Computed: true},
					"once":  {Type: cty.String, Optional: true, WriteOnly: true},
				},
			}},
			"keys": {Optional: true, NestedType: &configschema.Object{
				Nesting: configschema.NestingSet,
				Attributes: attributes{
					"name": {Type: cty.String, Optional: true},
					"key":  {Type: cty.String, Optional: true, Sensitive: true},
				},
			}},
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"rule": {Nesting: configschema.NestingList, Block: configschema.Block{Attributes: attributes{
				"name": {Type: cty.String, Required: true},
				"note": {Type: cty.String, Optional: true, Computed: true},
			}}},
		},
	}
}

func plainBody() *configschema.Block {
	return &configschema.Block{Attributes: attributes{"name": {Type: cty.String, Required: true}}}
}

func thingIdentity() *configschema.Object {
	return &configschema.Object{Nesting: configschema.NestingSingle, Attributes: attributes{
		"host": {Type: cty.String, Optional: true},
		"path": {Type: cty.String, Required: true},
	}}
}

func identityOf(host, path cty.Value) cty.Value {
	return cty.ObjectVal(values{"host": host, "path": path})
}

func fakeSchema() provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider: provider.Schema{Body: &configschema.Block{Attributes: attributes{"region": {Type: cty.String, Optional: true}}}},
		ResourceTypes: map[string]provider.Schema{
			"fake_thing": {Version: 1, Body: thingBody(), IdentityVersion: 1, Identity: thingIdentity()},
			"fake_plain": {Body: plainBody()},
		},
		DataSources:            map[string]provider.Schema{"fake_data": {Body: dataBody()}},
		EphemeralResourceTypes: map[string]provider.Schema{"fake_lease": {Body: dataBody()}},
		ListResourceTypes:      map[string]provider.Schema{"fake_thing": {Body: textBody("prefix")}},
		Actions:                map[string]provider.Schema{"fake_act": {Body: actionBody()}},
		StateStores:            map[string]provider.Schema{"fake_store": {Body: textBody("directory")}},
		Functions:              fakeFunctions(),
		ServerCapabilities:     provider.ServerCapabilities{PlanDestroy: true, MoveResourceState: true, GenerateResourceConfig: true},
	}
}

func fakeIdentities() provider.GetResourceIdentitySchemasResponse {
	return provider.GetResourceIdentitySchemasResponse{
		IdentityTypes: map[string]provider.IdentitySchema{"fake_thing": {Version: 1, Body: thingIdentity()}},
	}
}

func bodyOf(typeName string) *configschema.Block { return fakeSchema().ResourceTypes[typeName].Body }

// fake is a correct provider, with or without private data.
type fake struct {
	provider.Unimplemented
	private []byte
}

func (f fake) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return fakeSchema()
}

func (f fake) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return fakeIdentities()
}

func (f fake) ValidateResourceConfig(context.Context, provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return provider.ValidateResourceConfigResponse{}
}

func (f fake) UpgradeResourceState(_ context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	v, err := ctyjson.Unmarshal(req.RawStateJSON, bodyOf(req.TypeName).ImpliedType())
	if err != nil {
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "bad state", "%s", err)
	}
	resp.UpgradedState = v
	return resp
}

func (f fake) UpgradeResourceIdentity(_ context.Context, req provider.UpgradeResourceIdentityRequest) (resp provider.UpgradeResourceIdentityResponse) {
	if len(req.RawIdentityJSON) > 0 {
		resp.UpgradedIdentity, _ = ctyjson.Unmarshal(req.RawIdentityJSON, thingIdentity().ImpliedType())
	}
	return resp
}

func (f fake) ReadResource(_ context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return provider.ReadResourceResponse{NewState: req.PriorState, Private: req.Private, Identity: f.identify(req.TypeName, req.PriorState)}
}

func (f fake) identify(typeName string, state cty.Value) cty.Value {
	if typeName != "fake_thing" || state.IsNull() {
		return cty.NilVal
	}
	return identityOf(cty.StringVal("local"), state.GetAttr("path"))
}

func (f fake) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	resp.PlannedPrivate = req.PriorPrivate
	resp.PlannedIdentity = req.PriorIdentity
	resp.PlannedState = req.ProposedNewState
	if req.ProposedNewState.IsNull() {
		return resp
	}
	schema := bodyOf(req.TypeName)
	changed := req.PriorState.IsNull() || !req.PriorState.RawEquals(req.ProposedNewState)
	resp.PlannedState, _ = cty.Transform(req.ProposedNewState, func(path cty.Path, v cty.Value) (cty.Value, error) {
		attr := schema.EnclosingAttribute(path)
		switch {
		case len(path) == 0 || attr == nil:
			return v, nil
		case attr.WriteOnly:
			return cty.NullVal(v.Type()), nil
		case attr.Computed && changed && (v.IsNull() || !attr.Optional):
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if !req.PriorState.IsNull() && req.TypeName == "fake_thing" && !req.PriorState.GetAttr("path").RawEquals(resp.PlannedState.GetAttr("path")) {
		resp.RequiresReplace = []cty.Path{cty.GetAttrPath("path")}
	}
	if req.PriorState.IsNull() {
		resp.PlannedIdentity = cty.NilVal
	}
	return resp
}

func (f fake) ApplyResourceChange(_ context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	if req.PlannedState.IsNull() {
		resp.NewState = req.PlannedState
		return resp
	}
	resp.NewState, _ = cty.Transform(req.PlannedState, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case v.Type() == cty.Number:
			return cty.NumberIntVal(4), nil
		default:
			return cty.StringVal("chosen"), nil
		}
	})
	resp.Private = req.PlannedPrivate
	if req.PriorState.IsNull() {
		resp.Private = f.private
	}
	resp.NewIdentity = f.identify(req.TypeName, resp.NewState)
	return resp
}

func (f fake) ImportResourceState(_ context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	found := provider.ImportedResource{TypeName: req.TypeName, Private: f.private}
	attr, id := "name", cty.StringVal(req.ID)
	if req.TypeName == "fake_thing" {
		attr = "path"
		if !req.Identity.IsNull() {
			id = req.Identity.GetAttr("path")
		}
		// An incomplete identity; the read that follows completes it.
		found.Identity = identityOf(cty.NullVal(cty.String), id)
	}
	attrs := bodyOf(req.TypeName).EmptyValue().AsValueMap()
	attrs[attr] = id
	found.State = cty.ObjectVal(attrs)
	resp.ImportedResources = []provider.ImportedResource{found}
	return resp
}

func (f fake) MoveResourceState(_ context.Context, req provider.MoveResourceStateRequest) (resp provider.MoveResourceStateResponse) {
	attrs := bodyOf(req.TargetTypeName).EmptyValue().AsValueMap()
	attrs["path"] = cty.StringVal("/moved")
	resp.TargetState = cty.ObjectVal(attrs)
	resp.TargetIdentity = f.identify(req.TargetTypeName, resp.TargetState)
	return resp
}

func (f fake) GenerateResourceConfig(_ context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	if req.TypeName == "fake_thing" && !req.State.IsNull() {
		req.State = set(req.State, "size", cty.NullVal(cty.Number))
	}
	return provider.GenerateResourceConfigResponse{Config: req.State}
}
