package random

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type shuffle struct{ value }

type shuffleModel struct {
	ID      types.String   `tfsdk:"id"`
	Keepers types.Map      `tfsdk:"keepers"`
	Seed    types.String   `tfsdk:"seed"`
	Input   []types.String `tfsdk:"input"`
	Count   types.Int64    `tfsdk:"result_count"`
	Result  types.List     `tfsdk:"result"`
}

func newShuffle() resource.Resource {
	return &shuffle{value{name: "shuffle", schema: schema.Schema{
		Description: "A list in another order.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"seed":    chosen("What makes the order the same each time."),
			"input": schema.ListAttribute{
				Description:   "What to shuffle.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()},
			},
			"result_count": schema.Int64Attribute{
				Description:   "How many to take, all by default; more than there are are taken again.",
				Optional:      true,
				Validators:    []validator.Int64{int64validator.AtLeast(0)},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"result": schema.ListAttribute{
				Description:   "The list in its new order.",
				ElementType:   types.StringType,
				Computed:      true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"id": computed("Always a dash."),
		},
	}}}
}

func (*shuffle) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m shuffleModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	count := len(m.Input)
	if !m.Count.IsNull() {
		count = int(m.Count.ValueInt64())
	}
	r := source(m.Seed)
	result := make([]types.String, 0, count)
	for len(m.Input) > 0 && len(result) < count {
		for _, i := range r.Perm(len(m.Input)) {
			if len(result) < count {
				result = append(result, m.Input[i])
			}
		}
	}
	list, diags := types.ListValueFrom(ctx, types.StringType, result)
	resp.Diagnostics.Append(diags...)
	m.Result, m.ID = list, types.StringValue("-")
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
