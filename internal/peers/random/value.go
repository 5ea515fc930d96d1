package random

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// value is the base of all resources of this provider: after the creation, only the
// state exists.
type value struct {
	name   string
	schema schema.Schema
}

func (v value) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + v.name
}

func (v value) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = v.schema
}

// Read keeps the state.
func (value) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update stores keepers that do not force replacement.
func (value) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete does nothing: the framework removes the state.
func (value) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// keepers returns the attribute that forces a new value when it changes, except if all
// keepers are null, as in the state after an import.
func keepers() schema.Attribute {
	return schema.MapAttribute{
		Description: "Arbitrary values. Changing them forces a new value.",
		ElementType: types.StringType,
		Optional:    true,
		PlanModifiers: []planmodifier.Map{
			mapplanmodifier.RequiresReplaceIf(keepersForce, "If a keeper that is not null changes.", "If a keeper that is not null changes."),
		},
	}
}

func keepersForce(_ context.Context, req planmodifier.MapRequest, resp *mapplanmodifier.RequiresReplaceIfFuncResponse) {
	before, after := filled(req.StateValue), filled(req.ConfigValue)
	if len(before) != len(after) {
		resp.RequiresReplace = true
		return
	}
	for k, v := range after {
		if prior, ok := before[k]; !ok || !prior.Equal(v) {
			resp.RequiresReplace = true
			return
		}
	}
}

// filled returns the keepers that are not null.
func filled(keepers types.Map) map[string]types.String {
	values := map[string]types.String{}
	for k, v := range keepers.Elements() {
		if s, ok := v.(types.String); ok && !s.IsNull() {
			values[k] = s
		}
	}
	return values
}

// computed returns a string attribute that is set once.
func computed(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Description:   description,
		Computed:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// chosen returns an optional string attribute that forces a new value.
func chosen(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Description:   description,
		Optional:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// source returns a source of random numbers. Equal seeds give equal sources; a null seed
// gives a randomly seeded one.
func source(seed types.String) *rand.Rand {
	if seed.IsNull() {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) //nolint:gosec // values of a test provider keep nothing secret
	}
	sum := sha256.Sum256([]byte(seed.ValueString()))
	return rand.New(rand.NewChaCha8(sum)) //nolint:gosec // a seed is there to be predictable
}
