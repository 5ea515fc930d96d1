package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// fleet exists only in memory: the plan or the prior state is the real object.
type fleet struct{}

var _ resource.Resource = (*fleet)(nil)

// fleetModel keeps the nodes in the framework's types, which is the fastest
// representation.
type fleetModel struct {
	Name  types.String `tfsdk:"name"`
	Nodes types.List   `tfsdk:"nodes"`
	Named types.Map    `tfsdk:"named"`
	Spare types.Set    `tfsdk:"spare"`
	Size  types.Int64  `tfsdk:"size"`
}

func (f *fleet) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_fleet"
}

func (f *fleet) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	node := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"host": schema.StringAttribute{Required: true},
		"port": schema.Int64Attribute{Required: true},
		"zone": schema.StringAttribute{Optional: true},
		"probe": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
			"path":    schema.StringAttribute{Required: true},
			"seconds": schema.Int64Attribute{Required: true},
		}},
		"disks": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Required: true},
			"gigabytes": schema.Int64Attribute{Required: true},
			"medium":    schema.StringAttribute{Optional: true},
		}}},
	}}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"nodes": schema.ListNestedAttribute{Optional: true, NestedObject: node},
		"named": schema.MapNestedAttribute{Optional: true, NestedObject: node},
		"spare": schema.SetNestedAttribute{Optional: true, NestedObject: node},
		"size":  schema.Int64Attribute{Computed: true},
	}}
}

func (f *fleet) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	count(ctx, req.Plan.Get, &resp.State, &resp.Diagnostics)
}

func (f *fleet) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	count(ctx, req.State.Get, &resp.State, &resp.Diagnostics)
}

func (f *fleet) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	count(ctx, req.Plan.Get, &resp.State, &resp.Diagnostics)
}

func (f *fleet) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// count sets the size to the number of nodes and stores the object.
func count(ctx context.Context, get func(context.Context, any) diag.Diagnostics, state *tfsdk.State, diags *diag.Diagnostics) {
	var m fleetModel
	diags.Append(get(ctx, &m)...)
	if diags.HasError() {
		return
	}
	m.Size = types.Int64Value(int64(len(m.Nodes.Elements()) + len(m.Named.Elements()) + len(m.Spare.Elements())))
	diags.Append(state.Set(ctx, &m)...)
}
