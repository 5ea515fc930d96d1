package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// fleet is in memory only, and so takes the plan and the prior state for what
// there is.
type fleet struct{}

var _ resource.Resource = (*fleet)(nil)

// fleetModel leaves the machines as the framework has them, which costs least:
// nobody looks at a single one here.
type fleetModel struct {
	Name     types.String `tfsdk:"name"`
	Machines types.List   `tfsdk:"machines"`
	Named    types.Map    `tfsdk:"named"`
	Spare    types.Set    `tfsdk:"spare"`
	Size     types.Int64  `tfsdk:"size"`
}

func (f *fleet) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_fleet"
}

func (f *fleet) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	machine := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
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
		"machines": schema.ListNestedAttribute{Optional: true, NestedObject: machine},
		"named":    schema.MapNestedAttribute{Optional: true, NestedObject: machine},
		"spare":    schema.SetNestedAttribute{Optional: true, NestedObject: machine},
		"size":     schema.Int64Attribute{Computed: true},
	}}
}

func (f *fleet) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m fleetModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.count()
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (f *fleet) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m fleetModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.count()
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (f *fleet) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m fleetModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.count()
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (f *fleet) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (m *fleetModel) count() {
	m.Size = types.Int64Value(int64(len(m.Machines.Elements()) + len(m.Named.Elements()) + len(m.Spare.Elements())))
}
