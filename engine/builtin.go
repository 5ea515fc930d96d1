package engine

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// builtin is the provider of terraform_data and of functions that decode and encode configuration.
type builtin struct {
	provider.Unimplemented

	// terraform selects the rules of Terraform instead of those of OpenTofu.
	terraform bool
}

func (e *Engine) newBuiltin(context.Context) (provider.Interface, error) {
	return builtin{terraform: e.options.Flavor == Terraform}, nil
}

// dataCodec decodes stored objects of terraform_data.
var dataCodec = wire.NewCodec(dataSchema.Body.ImpliedType())

var dataSchema = provider.Schema{Body: &configschema.Block{Attributes: map[string]*configschema.Attribute{
	"input":            {Type: cty.DynamicPseudoType, Optional: true},
	"output":           {Type: cty.DynamicPseudoType, Computed: true},
	"triggers_replace": {Type: cty.DynamicPseudoType, Optional: true},
	"id":               {Type: cty.String, Computed: true},
}}}

// nullCodec decodes objects of null_resource, which can be moved to terraform_data.
var nullCodec = wire.NewCodec(cty.Object(map[string]cty.Type{"id": cty.String, "triggers": cty.Map(cty.String)}))

// GetProviderSchema returns the schema of terraform_data, and the functions.
func (builtin) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{
		Provider:           provider.Schema{Body: &configschema.Block{}},
		ResourceTypes:      map[string]provider.Schema{"terraform_data": dataSchema},
		Functions:          builtinFunctions,
		ServerCapabilities: provider.ServerCapabilities{GetProviderSchemaOptional: true, MoveResourceState: true},
	}
}

// ValidateResourceConfig rejects values of computed attributes.
func (builtin) ValidateResourceConfig(_ context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	resp := provider.ValidateResourceConfigResponse{}
	for _, name := range []string{"id", "output"} {
		if !req.Config.GetAttr(name).IsNull() {
			resp.Diagnostics = resp.Diagnostics.Errorf(nil, quoted(name)+" attribute is read-only", "Only the provider sets this attribute. Remove the argument.")
		}
	}
	return resp
}

// UpgradeResourceState decodes the state of the only version.
func (builtin) UpgradeResourceState(_ context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	v, err := dataCodec.DecodeStateJSON(req.RawStateJSON)
	if err != nil {
		resp := provider.UpgradeResourceStateResponse{}
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "The state of a terraform_data cannot be read", "%s.", err)
		return resp
	}
	return provider.UpgradeResourceStateResponse{UpgradedState: v}
}

// ReadResource returns the stored object.
func (builtin) ReadResource(_ context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	return provider.ReadResourceResponse{NewState: req.PriorState, Private: req.Private}
}

// PlanResourceChange makes the output unknown if a create sets the input or an update changes it.
// A change of triggers_replace requires replacement.
func (builtin) PlanResourceChange(_ context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	resp := provider.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate}
	if req.ProposedNewState.IsNull() {
		return resp
	}
	vals := req.ProposedNewState.AsValueMap()
	input := vals["input"]
	output := input // null
	if !input.IsNull() {
		output = cty.UnknownVal(input.Type())
	}
	if req.PriorState.IsNull() {
		vals["id"], vals["output"] = cty.UnknownVal(cty.String).RefineNotNull(), output
	} else {
		prior := req.PriorState.AsValueMap()
		if !prior["input"].RawEquals(input) {
			vals["output"] = cty.UnknownVal(input.Type()) // even if the input is now null
		}
		if !prior["triggers_replace"].RawEquals(vals["triggers_replace"]) {
			resp.RequiresReplace = []cty.Path{cty.GetAttrPath("triggers_replace")}
		}
	}
	resp.PlannedState = cty.ObjectVal(vals)
	return resp
}

// ApplyResourceChange sets an unknown output to the input, and an unknown ID to a new UUID.
func (builtin) ApplyResourceChange(_ context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	if req.PlannedState.IsNull() {
		return provider.ApplyResourceChangeResponse{NewState: req.PlannedState}
	}
	vals := req.PlannedState.AsValueMap()
	if !vals["output"].IsKnown() {
		vals["output"] = vals["input"]
	}
	if !vals["id"].IsKnown() {
		vals["id"] = cty.StringVal(lang.NewUUID())
	}
	return provider.ApplyResourceChangeResponse{NewState: cty.ObjectVal(vals), Private: req.PlannedPrivate}
}

// ImportResourceState accepts any ID.
func (builtin) ImportResourceState(_ context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	null := cty.NullVal(cty.DynamicPseudoType)
	return provider.ImportResourceStateResponse{ImportedResources: []provider.ImportedResource{{
		TypeName: req.TypeName,
		State: cty.ObjectVal(map[string]cty.Value{
			"id": cty.StringVal(req.ID), "input": null, "output": null, "triggers_replace": null,
		}),
	}}}
}

// MoveResourceState converts an object of null_resource. Its triggers become triggers_replace.
func (builtin) MoveResourceState(_ context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	resp := provider.MoveResourceStateResponse{}
	if req.SourceTypeName != "null_resource" {
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "Unsupported move to terraform_data", "A %s cannot be moved to a terraform_data. Only a null_resource can be moved.", req.SourceTypeName)
		return resp
	}
	v, err := nullCodec.DecodeStateJSON(req.SourceStateJSON)
	if err != nil {
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "The state of a null_resource cannot be read", "%s.", err)
		return resp
	}
	null := cty.NullVal(cty.DynamicPseudoType)
	triggers := null
	if t := v.GetAttr("triggers"); !t.IsNull() {
		triggers = cty.ObjectVal(t.AsValueMap())
	}
	resp.TargetState = cty.ObjectVal(map[string]cty.Value{"id": v.GetAttr("id"), "input": null, "output": null, "triggers_replace": triggers})
	resp.TargetPrivate = req.SourcePrivate
	return resp
}
