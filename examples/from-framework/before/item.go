package before

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"example.com/from-framework/shop"
)

// NewItem returns the resource type shop_item.
func NewItem() resource.Resource { return &item{} }

type item struct{ shop *shop.Shop }

type itemModel struct {
	ID       types.String   `tfsdk:"id"`
	Shelf    types.String   `tfsdk:"shelf"`
	Price    types.Float64  `tfsdk:"price"`
	Tags     []string       `tfsdk:"tags"`
	Supplier *supplierModel `tfsdk:"supplier"`
	Token    types.String   `tfsdk:"token"`
}

type supplierModel struct {
	Name  string  `tfsdk:"name"`
	Phone *string `tfsdk:"phone"`
}

func (*item) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "shop_item"
}

func (*item) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":    schema.StringAttribute{Computed: true, PlanModifiers: kept},
		"shelf": schema.StringAttribute{Required: true},
		"price": schema.Float64Attribute{Required: true},
		"tags":  schema.SetAttribute{ElementType: types.StringType, Optional: true},
		"supplier": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
			"name":  schema.StringAttribute{Required: true},
			"phone": schema.StringAttribute{Optional: true},
		}},
		"token": schema.StringAttribute{Computed: true, Sensitive: true, PlanModifiers: kept},
	}}
}

func (i *item) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	i.shop, _ = req.ProviderData.(*shop.Shop)
}

func (m *itemModel) object() shop.Item {
	return shop.Item{
		Shelf: m.Shelf.ValueString(), Price: m.Price.ValueFloat64(), Tags: m.Tags, Supplier: (*shop.Supplier)(m.Supplier), Token: m.Token.ValueString(),
	}
}

func (i *item) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m itemModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.Token = types.StringValue("token of " + m.Shelf.ValueString())
	m.ID = types.StringValue(i.shop.Items.Insert(m.object()))
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (i *item) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m itemModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	object, ok := i.shop.Items.Get(m.ID.ValueString())
	if !ok {
		resp.State.RemoveResource(ctx)
		return
	}
	m.Shelf, m.Price, m.Tags = types.StringValue(object.Shelf), types.Float64Value(object.Price), object.Tags
	m.Supplier, m.Token = (*supplierModel)(object.Supplier), types.StringValue(object.Token)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (i *item) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m itemModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	i.shop.Items.Put(m.ID.ValueString(), m.object())
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (i *item) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m itemModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	i.shop.Items.Delete(m.ID.ValueString())
}
