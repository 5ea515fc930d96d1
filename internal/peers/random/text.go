package random

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// textModel has the attributes that strings and passwords share.
type textModel struct {
	ID              types.String `tfsdk:"id"`
	Keepers         types.Map    `tfsdk:"keepers"`
	Length          types.Int64  `tfsdk:"length"`
	Upper           types.Bool   `tfsdk:"upper"`
	Lower           types.Bool   `tfsdk:"lower"`
	Numeric         types.Bool   `tfsdk:"numeric"`
	Special         types.Bool   `tfsdk:"special"`
	MinUpper        types.Int64  `tfsdk:"min_upper"`
	MinLower        types.Int64  `tfsdk:"min_lower"`
	MinNumeric      types.Int64  `tfsdk:"min_numeric"`
	MinSpecial      types.Int64  `tfsdk:"min_special"`
	OverrideSpecial types.String `tfsdk:"override_special"`
	Result          types.String `tfsdk:"result"`
}

// textAttributes returns the attributes of a textModel.
func textAttributes(sensitive bool) map[string]schema.Attribute {
	result := computed("The text.")
	result.Sensitive = sensitive
	attributes := map[string]schema.Attribute{
		"keepers": keepers(),
		"length": schema.Int64Attribute{
			Description:   "Number of characters.",
			Required:      true,
			Validators:    []validator.Int64{int64validator.AtLeast(1)},
			PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
		},
		"override_special": chosen("Special characters to use."),
		"result":           result,
		"id":               computed("The text, or `none` for a password."),
	}
	for _, kind := range []string{"upper", "lower", "numeric", "special"} {
		attributes[kind] = schema.BoolAttribute{
			Description:   "Whether to include characters of this kind. Defaults to `true`.",
			Optional:      true,
			Computed:      true,
			Default:       booldefault.StaticBool(true),
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
		}
		attributes["min_"+kind] = schema.Int64Attribute{
			Description:   "Minimum number of characters of this kind. Defaults to `0`.",
			Optional:      true,
			Computed:      true,
			Default:       int64default.StaticInt64(0),
			Validators:    []validator.Int64{int64validator.AtLeast(0)},
			PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
		}
	}
	return attributes
}

// validate adds an error to resp if the sum of the minimums exceeds the length.
func (m *textModel) validate(resp *resource.ValidateConfigResponse) {
	least := m.MinUpper.ValueInt64() + m.MinLower.ValueInt64() + m.MinNumeric.ValueInt64() + m.MinSpecial.ValueInt64()
	if !m.Length.IsUnknown() && m.Length.ValueInt64() < least {
		resp.Diagnostics.AddAttributeError(path.Root("length"), "Length below the minimums",
			fmt.Sprintf("The length is %d, and the sum of the minimums is %d.", m.Length.ValueInt64(), least))
	}
}

const (
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	digits   = "0123456789"
	specials = "!@#$%&*()-_=+[]{}<>:?"
)

// generate returns a text, or an error if no kind of character is permitted.
func (m *textModel) generate(r *rand.Rand) (string, error) {
	special := specials
	if s := m.OverrideSpecial.ValueString(); s != "" {
		special = s
	}
	var all strings.Builder
	var text []byte
	for _, kind := range []struct {
		letters string
		allowed types.Bool
		least   types.Int64
	}{{uppers, m.Upper, m.MinUpper}, {lowers, m.Lower, m.MinLower}, {digits, m.Numeric, m.MinNumeric}, {special, m.Special, m.MinSpecial}} {
		if kind.allowed.ValueBool() {
			all.WriteString(kind.letters)
		}
		for range kind.least.ValueInt64() {
			text = append(text, kind.letters[r.IntN(len(kind.letters))])
		}
	}
	if all.Len() == 0 {
		return "", fmt.Errorf("at least one of upper, lower, numeric and special must be true")
	}
	allowed := all.String()
	for len(text) < int(m.Length.ValueInt64()) {
		text = append(text, allowed[r.IntN(len(allowed))])
	}
	r.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
	return string(text), nil
}

// importedText returns the model of an imported text.
func importedText(result string) textModel {
	yes, none := types.BoolValue(true), types.Int64Value(0)
	return textModel{
		ID:      types.StringValue(result),
		Keepers: types.MapNull(types.StringType),
		Length:  types.Int64Value(int64(len(result))),
		Upper:   yes, Lower: yes, Numeric: yes, Special: yes,
		MinUpper: none, MinLower: none, MinNumeric: none, MinSpecial: none,
		OverrideSpecial: types.StringNull(),
		Result:          types.StringValue(result),
	}
}

type text struct{ value }

var (
	_ resource.ResourceWithImportState    = (*text)(nil)
	_ resource.ResourceWithValidateConfig = (*text)(nil)
)

func newString() resource.Resource {
	return &text{value{name: "string", schema: schema.Schema{
		Description: "A random text.",
		Attributes:  textAttributes(false),
	}}}
}

func (*text) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m textModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); !resp.Diagnostics.HasError() {
		m.validate(resp)
	}
}

func (*text) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m textModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	result, err := m.generate(source(types.StringNull()))
	if err != nil {
		resp.Diagnostics.AddError("No random text", err.Error())
		return
	}
	m.Result, m.ID = types.StringValue(result), types.StringValue(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// ImportState imports the text given as id.
func (*text) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if strings.TrimSpace(req.ID) == "" {
		resp.Diagnostics.AddError("Import of a random string failed", "The id must be the text to import.")
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, importedText(req.ID))...)
}
