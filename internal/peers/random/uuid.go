package random

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type uuid struct{ value }

var _ resource.ResourceWithImportState = (*uuid)(nil)

type uuidModel struct {
	ID      types.String `tfsdk:"id"`
	Keepers types.Map    `tfsdk:"keepers"`
	Result  types.String `tfsdk:"result"`
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func newUUID() resource.Resource {
	return &uuid{value{name: "uuid", schema: schema.Schema{
		Description: "A random UUID.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"result":  computed("The UUID."),
			"id":      computed("The UUID."),
		},
	}}}
}

func (*uuid) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m uuidModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	r := source(types.StringNull())
	high := r.Uint64()&^0xf000 | 0x4000            // version 4
	low := r.Uint64()&^(3<<62) | (uint64(2) << 62) // the variant
	m.Result = types.StringValue(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1)))
	m.ID = m.Result
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// ImportState imports the UUID given as id.
func (*uuid) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !uuidPattern.MatchString(req.ID) {
		resp.Diagnostics.AddError("Import of a random UUID failed", fmt.Sprintf("%q is no UUID.", req.ID))
		return
	}
	v := types.StringValue(req.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, uuidModel{ID: v, Keepers: types.MapNull(types.StringType), Result: v})...)
}
