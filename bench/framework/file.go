package framework

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

const defaultMode = "0644"

type file struct {
	name  string // type name without the prefix of the provider
	files *disk.Files
}

var _ resource.ResourceWithConfigure = (*file)(nil)

type model struct {
	Path    types.String `tfsdk:"path"`
	Content types.String `tfsdk:"content"`
	Mode    types.String `tfsdk:"mode"`
	Size    types.Int64  `tfsdk:"size"`
	Exists  types.Bool   `tfsdk:"exists"`
	Tags    types.Map    `tfsdk:"tags"`
}

func (f *file) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + f.name
}

func (f *file) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"path": schema.StringAttribute{
			Required:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"content": schema.StringAttribute{Required: true},
		"mode": schema.StringAttribute{
			Optional:      true,
			Computed:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		// The size has no plan modifier: by default, the framework makes it unknown with
		// any change.
		"size": schema.Int64Attribute{Computed: true},
		"exists": schema.BoolAttribute{
			Computed:      true,
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		},
		"tags": schema.MapAttribute{Optional: true, ElementType: types.StringType},
	}}
}

func (f *file) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return
	}
	files, ok := req.ProviderData.(*disk.Files)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("Expected *disk.Files, got %T.", req.ProviderData))
		return
	}
	f.files = files
}

func (f *file) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	f.set(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

func (f *file) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if f.files != nil {
		content, mode, err := f.files.Read(m.Path.ValueString())
		if errors.Is(err, fs.ErrNotExist) {
			resp.State.RemoveResource(ctx)
			return
		}
		if err != nil {
			resp.Diagnostics.AddError("Cannot read file", err.Error())
			return
		}
		m.Content, m.Mode = types.StringValue(content), types.StringValue(mode)
	}
	m.Size = types.Int64Value(int64(len(m.Content.ValueString())))
	m.Exists = types.BoolValue(true)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (f *file) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	f.set(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

// set writes the planned file and stores the object.
func (f *file) set(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, diags *diag.Diagnostics) {
	var m model
	diags.Append(plan.Get(ctx, &m)...)
	if diags.HasError() {
		return
	}
	if err := f.write(&m); err != nil {
		diags.AddError("Cannot write file", err.Error())
		return
	}
	diags.Append(state.Set(ctx, &m)...)
}

func (f *file) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if f.files == nil {
		return
	}
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := f.files.Remove(m.Path.ValueString()); err != nil {
		resp.Diagnostics.AddError("Cannot remove file", err.Error())
	}
}

// write writes the file and sets the values that were unknown.
func (f *file) write(m *model) error {
	if m.Mode.IsUnknown() {
		m.Mode = types.StringValue(defaultMode)
	}
	content := m.Content.ValueString()
	if f.files != nil {
		if err := f.files.Write(m.Path.ValueString(), content, m.Mode.ValueString()); err != nil {
			return err
		}
	}
	m.Size = types.Int64Value(int64(len(content)))
	m.Exists = types.BoolValue(true)
	return nil
}
