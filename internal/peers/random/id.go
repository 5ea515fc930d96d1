package random

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type id struct{ value }

var _ resource.ResourceWithImportState = (*id)(nil)

type idModel struct {
	ID         types.String `tfsdk:"id"`
	Keepers    types.Map    `tfsdk:"keepers"`
	ByteLength types.Int64  `tfsdk:"byte_length"`
	Prefix     types.String `tfsdk:"prefix"`
	B64URL     types.String `tfsdk:"b64_url"`
	B64Std     types.String `tfsdk:"b64_std"`
	Hex        types.String `tfsdk:"hex"`
	Dec        types.String `tfsdk:"dec"`
}

func newID() resource.Resource {
	return &id{value{name: "id", schema: schema.Schema{
		Description: "Random bytes in several encodings.",
		Attributes: map[string]schema.Attribute{
			"keepers": keepers(),
			"byte_length": schema.Int64Attribute{
				Description:   "Number of bytes.",
				Required:      true,
				Validators:    []validator.Int64{int64validator.AtLeast(1)},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"prefix":  chosen("Prefix of each encoding."),
			"b64_url": computed("The bytes in URL-safe base64, after the prefix."),
			"b64_std": computed("The bytes in base64, after the prefix."),
			"hex":     computed("The bytes in hexadecimal digits, after the prefix."),
			"dec":     computed("The bytes as a decimal number, after the prefix."),
			"id":      computed("The bytes in URL-safe base64, without the prefix."),
		},
	}}}
}

// write sets all encodings of the bytes.
func (m *idModel) write(b []byte) {
	prefix := m.Prefix.ValueString()
	m.ID = types.StringValue(base64.RawURLEncoding.EncodeToString(b))
	m.B64URL = types.StringValue(prefix + base64.RawURLEncoding.EncodeToString(b))
	m.B64Std = types.StringValue(prefix + base64.StdEncoding.EncodeToString(b))
	m.Hex = types.StringValue(prefix + hex.EncodeToString(b))
	m.Dec = types.StringValue(prefix + new(big.Int).SetBytes(b).String())
}

func (*id) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m idModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	b := make([]byte, m.ByteLength.ValueInt64())
	r := source(types.StringNull())
	for i := range b {
		b[i] = byte(r.Uint32() & 0xff)
	}
	m.write(b)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// ImportState parses "value" or "prefix,value", where value is the id.
func (*id) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	m := idModel{Keepers: types.MapNull(types.StringType), Prefix: types.StringNull()}
	text := req.ID
	if i := strings.LastIndex(text, ","); i >= 0 {
		m.Prefix, text = types.StringValue(text[:i]), text[i+1:]
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		resp.Diagnostics.AddError("Import of a random id failed", "The id must be URL-safe base64: "+err.Error())
		return
	}
	m.ByteLength = types.Int64Value(int64(len(b)))
	m.write(b)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

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
		resp.Diagnostics.AddError("Import of a random UUID failed", fmt.Sprintf("%q is not a UUID.", req.ID))
		return
	}
	v := types.StringValue(req.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, uuidModel{ID: v, Keepers: types.MapNull(types.StringType), Result: v})...)
}
