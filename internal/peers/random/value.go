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

// value is what all resources of this provider have in common: once made, the
// state is all that there is.
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

// Read leaves the state as it is.
func (value) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update has only keepers to store that do not force replacement.
func (value) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete leaves the removal from the state to the framework.
func (value) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// keepers force a new value when one of them changes, though not when they are
// all null, as they are in a state that an import left.
func keepers() schema.Attribute {
	return schema.MapAttribute{
		Description: "Arbitrary values that, when changed, make a new value.",
		ElementType: types.StringType,
		Optional:    true,
		PlanModifiers: []planmodifier.Map{
			mapplanmodifier.RequiresReplaceIf(keepersForce, "When a keeper that is not null changes.", "When a keeper that is not null changes."),
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

// filled are the keepers that are not null.
func filled(keepers types.Map) map[string]types.String {
	values := map[string]types.String{}
	for k, v := range keepers.Elements() {
		if s, ok := v.(types.String); ok && !s.IsNull() {
			values[k] = s
		}
	}
	return values
}

// computed is a string that is made once.
func computed(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Description:   description,
		Computed:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// chosen is an optional string that, when changed, makes a new value.
func chosen(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Description:   description,
		Optional:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// source is a source of random numbers: the same for the same seed, and another
// each time for none.
func source(seed types.String) *rand.Rand {
	if seed.IsNull() {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) //nolint:gosec // values of a test provider keep nothing secret
	}
	sum := sha256.Sum256([]byte(seed.ValueString()))
	return rand.New(rand.NewChaCha8(sum)) //nolint:gosec // a seed is there to be predictable
}
