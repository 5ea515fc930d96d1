package random

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type integer struct{ value }

var (
	_ resource.ResourceWithImportState    = (*integer)(nil)
	_ resource.ResourceWithValidateConfig = (*integer)(nil)
)

type integerModel struct {
	ID      types.String `tfsdk:"id"`
	Keepers types.Map    `tfsdk:"keepers"`
	Min     types.Int64  `tfsdk:"min"`
	Max     types.Int64  `tfsdk:"max"`
	Seed    types.String `tfsdk:"seed"`
	Result  types.Int64  `tfsdk:"result"`
}

func newInteger() resource.Resource {
	bound := func(description string) schema.Attribute {
		return schema.Int64Attribute{
			Description:   description,
			Required:      true,
			PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
		}
	}
	return &integer{value{name: "integer", schema: schema.Schema{
		Description: "A random integer from a range.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"min":     bound("Minimum, inclusive."),
			"max":     bound("Maximum, inclusive."),
			"seed":    chosen("Seed that makes the number reproducible."),
			"result": schema.Int64Attribute{
				Description:   "The number.",
				Computed:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"id": computed("The number as text."),
		},
	}}}
}

func (*integer) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m integerModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() || m.Min.IsUnknown() || m.Max.IsUnknown() {
		return
	}
	if m.Max.ValueInt64() < m.Min.ValueInt64() {
		resp.Diagnostics.AddAttributeError(path.Root("min"), "Empty range",
			fmt.Sprintf("The minimum (%d) must not be greater than the maximum (%d).", m.Min.ValueInt64(), m.Max.ValueInt64()))
	}
}

func (*integer) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m integerModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	n := m.Min.ValueInt64() + source(m.Seed).Int64N(m.Max.ValueInt64()-m.Min.ValueInt64()+1)
	m.Result, m.ID = types.Int64Value(n), types.StringValue(strconv.FormatInt(n, 10))
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// ImportState parses "result,min,max" or "result,min,max,seed".
func (*integer) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	m := integerModel{Keepers: types.MapNull(types.StringType), Seed: types.StringNull()}
	parts := strings.SplitN(req.ID, ",", 4)
	if len(parts) < 3 {
		resp.Diagnostics.AddError("Import of a random integer failed", "The id must be RESULT,MIN,MAX or RESULT,MIN,MAX,SEED.")
		return
	}
	for i, field := range []*types.Int64{&m.Result, &m.Min, &m.Max} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			resp.Diagnostics.AddError("Import of a random integer failed", fmt.Sprintf("%q is not an integer.", parts[i]))
			return
		}
		*field = types.Int64Value(n)
	}
	if len(parts) == 4 {
		m.Seed = types.StringValue(parts[3])
	}
	m.ID = types.StringValue(parts[0])
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
