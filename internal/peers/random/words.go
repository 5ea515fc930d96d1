package random

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type pet struct{ value }

type petModel struct {
	ID        types.String `tfsdk:"id"`
	Keepers   types.Map    `tfsdk:"keepers"`
	Length    types.Int64  `tfsdk:"length"`
	Prefix    types.String `tfsdk:"prefix"`
	Separator types.String `tfsdk:"separator"`
}

func newPet() resource.Resource {
	return &pet{value{name: "pet", schema: schema.Schema{
		Description: "A random pet name.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"length": schema.Int64Attribute{
				Description:   "Number of words. Defaults to `2`.",
				Optional:      true,
				Computed:      true,
				Default:       int64default.StaticInt64(2),
				Validators:    []validator.Int64{int64validator.AtLeast(1)},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"prefix": chosen("First word of the name."),
			"separator": schema.StringAttribute{
				Description:   "Separator of the words. Defaults to `-`.",
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("-"),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"id": computed("The name."),
		},
	}}}
}

var (
	manners = []string{"gently", "boldly", "rarely", "wholly", "kindly"}
	looks   = []string{"amber", "woolly", "spotted", "silent", "tidy"}
	animals = []string{"otter", "heron", "lynx", "beetle", "marten"}
)

func (*pet) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m petModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	r := source(types.StringNull())
	var words []string
	if !m.Prefix.IsNull() {
		words = append(words, m.Prefix.ValueString())
	}
	for left := m.Length.ValueInt64(); left > 0; left-- {
		list := manners
		switch left {
		case 1:
			list = animals
		case 2:
			list = looks
		}
		words = append(words, list[r.IntN(len(list))])
	}
	m.ID = types.StringValue(strings.Join(words, m.Separator.ValueString()))
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

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
		Description: "A list in random order.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"seed":    chosen("Seed that makes the order reproducible."),
			"input": schema.ListAttribute{
				Description:   "List to shuffle.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()},
			},
			"result_count": schema.Int64Attribute{
				Description:   "Number of elements of the result. Defaults to all elements. If it is larger than the list, elements are repeated.",
				Optional:      true,
				Validators:    []validator.Int64{int64validator.AtLeast(0)},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"result": schema.ListAttribute{
				Description:   "The list in random order.",
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
