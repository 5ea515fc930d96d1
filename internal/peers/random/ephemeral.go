package random

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ephemeralPassword is a password that is never stored.
type ephemeralPassword struct{}

type ephemeralPasswordModel struct {
	Length types.Int64  `tfsdk:"length"`
	Result types.String `tfsdk:"result"`
}

func newEphemeralPassword() ephemeral.EphemeralResource { return ephemeralPassword{} }

func (ephemeralPassword) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_password"
}

func (ephemeralPassword) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A random password that is not stored.",
		Attributes: map[string]schema.Attribute{
			"length": schema.Int64Attribute{Description: "Number of characters.", Required: true},
			"result": schema.StringAttribute{Description: "The password.", Computed: true, Sensitive: true},
		},
	}
}

func (ephemeralPassword) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m ephemeralPasswordModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	wanted := importedText("")
	wanted.Length = m.Length
	result, err := wanted.generate(source(types.StringNull()))
	if err != nil {
		resp.Diagnostics.AddError("No random password", err.Error())
		return
	}
	m.Result = types.StringValue(result)
	resp.Diagnostics.Append(resp.Result.Set(ctx, m)...)
}
