package random

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
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
		Description: "A random text that is not shown.",
		Version:     passwordVersion,
		Attributes:  attributes,
	}}}
}

// hide sets the values stored besides the password.
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
