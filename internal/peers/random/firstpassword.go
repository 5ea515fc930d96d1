package random

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// firstPassword is a password of the first release.
type firstPassword struct{ value }

type firstPasswordModel struct {
	ID      types.String `tfsdk:"id"`
	Keepers types.Map    `tfsdk:"keepers"`
	Length  types.Int64  `tfsdk:"length"`
	Number  types.Bool   `tfsdk:"number"`
	Special types.Bool   `tfsdk:"special"`
	Result  types.String `tfsdk:"result"`
}

var firstPasswordSchema = func() schema.Schema {
	allowed := func(description string) schema.Attribute {
		return schema.BoolAttribute{
			Description:   description,
			Optional:      true,
			Computed:      true,
			Default:       booldefault.StaticBool(true),
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
		}
	}
	result := computed("The password.")
	result.Sensitive = true
	return schema.Schema{
		Description: "A random text that is not shown.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"length": schema.Int64Attribute{
				Description:   "How many characters.",
				Required:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"number":  allowed("Whether there may be digits."),
			"special": allowed("Whether there may be special characters."),
			"result":  result,
			"id":      computed("None."),
		},
	}
}()

func newFirstPassword() resource.Resource {
	return &firstPassword{value{name: "password", schema: firstPasswordSchema}}
}

func (*firstPassword) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m firstPasswordModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	wanted := importedText("")
	wanted.Length, wanted.Numeric, wanted.Special = m.Length, m.Number, m.Special
	result, err := wanted.generate(source(types.StringNull()))
	if err != nil {
		resp.Diagnostics.AddError("No random password", err.Error())
		return
	}
	m.Result, m.ID = types.StringValue(result), types.StringValue("none")
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
