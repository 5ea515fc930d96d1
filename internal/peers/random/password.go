package random

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// passwordVersion is the schema version of a password in Current.
const passwordVersion = 2

type password struct{ value }

var (
	_ resource.ResourceWithImportState    = (*password)(nil)
	_ resource.ResourceWithUpgradeState   = (*password)(nil)
	_ resource.ResourceWithValidateConfig = (*password)(nil)
)

type passwordModel struct {
	textModel
	Hash types.String `tfsdk:"hash"`
}

func newPassword() resource.Resource {
	attributes := textAttributes(true)
	hash := computed("The SHA-256 of the password.")
	hash.Sensitive = true
	attributes["hash"] = hash
	return &password{value{name: "password", schema: schema.Schema{
		Description: "A random password.",
		Version:     passwordVersion,
		Attributes:  attributes,
	}}}
}

// hide sets the password and its hash. The id is "none", because ids are not sensitive.
func (m *passwordModel) hide(result string) {
	sum := sha256.Sum256([]byte(result))
	m.Result, m.ID, m.Hash = types.StringValue(result), types.StringValue("none"), types.StringValue(hex.EncodeToString(sum[:]))
}

func (*password) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m passwordModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); !resp.Diagnostics.HasError() {
		m.validate(resp)
	}
}

func (*password) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m passwordModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	result, err := m.generate(source(types.StringNull()))
	if err != nil {
		resp.Diagnostics.AddError("No random password", err.Error())
		return
	}
	m.hide(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// ImportState imports the password given as id.
func (*password) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	m := passwordModel{textModel: importedText(req.ID)}
	m.hide(req.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// UpgradeState upgrades the state of First, and of a release between the two, which had
// numeric and no hash.
func (*password) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	between := schema.Schema{Version: 1, Attributes: textAttributes(true)}
	return map[int64]resource.StateUpgrader{
		0: {
			PriorSchema: &firstPasswordSchema,
			StateUpgrader: func(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
				var old firstPasswordModel
				if resp.Diagnostics.Append(req.State.Get(ctx, &old)...); resp.Diagnostics.HasError() {
					return
				}
				m := passwordModel{textModel: importedText(old.Result.ValueString())}
				m.Keepers, m.Length, m.Special, m.Numeric = old.Keepers, old.Length, old.Special, old.Number
				m.hide(old.Result.ValueString())
				resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
			},
		},
		1: {
			PriorSchema: &between,
			StateUpgrader: func(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
				var m passwordModel
				if resp.Diagnostics.Append(req.State.Get(ctx, &m.textModel)...); resp.Diagnostics.HasError() {
					return
				}
				m.hide(m.Result.ValueString())
				resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
			},
		},
	}
}

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
		Description: "A random password.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"length": schema.Int64Attribute{
				Description:   "Number of characters.",
				Required:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"number":  allowed("Whether to include digits."),
			"special": allowed("Whether to include special characters."),
			"result":  result,
			"id":      computed("Always `none`."),
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
