package before

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"example.com/from-framework/shop"
)

// NewShelf returns the resource type shop_shelf.
func NewShelf() resource.Resource { return &shelf{} }

type shelf struct{ shop *shop.Shop }

type shelfModel struct {
	ID       types.String      `tfsdk:"id"`
	Name     types.String      `tfsdk:"name"`
	Capacity types.Int64       `tfsdk:"capacity"`
	Labels   map[string]string `tfsdk:"labels"`
}

func (*shelf) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "shop_shelf"
}

func (*shelf) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":       schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name":     schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"capacity": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(10)},
		"labels":   schema.MapAttribute{ElementType: types.StringType, Optional: true},
	}}
}

func (s *shelf) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	s.shop, _ = req.ProviderData.(*shop.Shop)
}

func (m *shelfModel) object() shop.Shelf {
	return shop.Shelf{Name: m.Name.ValueString(), Capacity: m.Capacity.ValueInt64(), Labels: m.Labels}
}

func (s *shelf) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m shelfModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.ID = types.StringValue(s.shop.Shelves.Insert(m.object()))
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (s *shelf) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m shelfModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	object, ok := s.shop.Shelves.Get(m.ID.ValueString())
	if !ok {
		resp.State.RemoveResource(ctx)
		return
	}
	m.Name, m.Capacity, m.Labels = types.StringValue(object.Name), types.Int64Value(object.Capacity), object.Labels
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (s *shelf) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m shelfModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	s.shop.Shelves.Put(m.ID.ValueString(), m.object())
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (s *shelf) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m shelfModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	s.shop.Shelves.Delete(m.ID.ValueString())
}

func (*shelf) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}
