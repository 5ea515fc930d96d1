package framework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
)

const defaultTimeout = 20 * time.Minute

type siteResource struct{ sites *store.Store }

var (
	_ resource.ResourceWithConfigure    = (*siteResource)(nil)
	_ resource.ResourceWithIdentity     = (*siteResource)(nil)
	_ resource.ResourceWithImportState  = (*siteResource)(nil)
	_ resource.ResourceWithModifyPlan   = (*siteResource)(nil)
	_ resource.ResourceWithUpgradeState = (*siteResource)(nil)
)

func newSiteResource() resource.Resource { return &siteResource{} }

func (r *siteResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_site"
}

var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	redirectPattern = regexp.MustCompile(`^https?://`)
	pathPattern     = regexp.MustCompile(`^/`)
	tokenPattern    = regexp.MustCompile(`^tok_[0-9a-f]{8}$`)
)

type siteModel struct {
	Name      types.String         `tfsdk:"name"`
	Port      types.Int64          `tfsdk:"port"`
	Protocol  types.String         `tfsdk:"protocol"`
	Root      types.String         `tfsdk:"root"`
	Redirect  types.String         `tfsdk:"redirect"`
	Routes    []routeModel         `tfsdk:"routes"`
	Settings  jsontypes.Normalized `tfsdk:"settings"`
	Token     types.String         `tfsdk:"token"`
	URL       types.String         `tfsdk:"url"`
	Revision  types.Int64          `tfsdk:"revision"`
	CreatedAt types.String         `tfsdk:"created_at"`
	Timeouts  timeouts.Value       `tfsdk:"timeouts"`
}

type routeModel struct {
	Path    types.String `tfsdk:"path"`
	Backend types.String `tfsdk:"backend"`
	Weight  types.Int64  `tfsdk:"weight"`
}

type siteIdentityModel struct {
	Name types.String `tfsdk:"name"`
}

func (r *siteResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A site that responds under a host name.",
		Version:             1,
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				MarkdownDescription: "Host name of the site, unique in the directory. Changing this forces a new resource.",
				Required:            true,
				Validators: []validator.String{
					stringvalidator.LengthBetween(3, 63),
					stringvalidator.RegexMatches(namePattern, "must be lower-case letters, digits and dashes"),
				},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"port": schema.Int64Attribute{
				MarkdownDescription: "Port of the site. Defaults to 443.",
				Optional:            true,
				Computed:            true,
				Default:             int64default.StaticInt64(443),
				Validators:          []validator.Int64{int64validator.Between(1, 65535)},
			},
			"protocol": schema.StringAttribute{
				MarkdownDescription: "Protocol of the site: `http`, `https` or `tcp`. Defaults to `https`.",
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString("https"),
				Validators:          []validator.String{stringvalidator.OneOf("http", "https", "tcp")},
			},
			"root": schema.StringAttribute{
				MarkdownDescription: "Directory from which files are served. Either this or `redirect` must be set.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.ExactlyOneOf(path.MatchRoot("redirect"))},
			},
			"redirect": schema.StringAttribute{
				MarkdownDescription: "URL to which all requests are redirected.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.RegexMatches(redirectPattern, "must be a URL")},
			},
			"routes": schema.ListNestedAttribute{
				MarkdownDescription: "Routes for requests; the first that matches is used.",
				Optional:            true,
				Validators:          []validator.List{listvalidator.SizeBetween(1, 8)},
				NestedObject: schema.NestedAttributeObject{
					Attributes: map[string]schema.Attribute{
						"path": schema.StringAttribute{
							MarkdownDescription: "Path of the route, which includes everything below it.",
							Required:            true,
							Validators:          []validator.String{stringvalidator.RegexMatches(pathPattern, "must start with a slash")},
						},
						"backend": schema.StringAttribute{
							MarkdownDescription: "Host and port that requests are sent to.",
							Required:            true,
							Validators:          []validator.String{stringvalidator.LengthBetween(1, 253)},
						},
						"weight": schema.Int64Attribute{
							MarkdownDescription: "Share of the requests among routes with the same path.",
							Optional:            true,
							Validators:          []validator.Int64{int64validator.Between(1, 100)},
						},
					},
				},
			},
			"settings": schema.StringAttribute{
				MarkdownDescription: "Further settings as a JSON document; equivalent documents are not a change.",
				Optional:            true,
				CustomType:          jsontypes.NormalizedType{},
			},
			"token": schema.StringAttribute{
				MarkdownDescription: "Token that clients must send.",
				Optional:            true,
				Sensitive:           true,
				Validators:          []validator.String{stringvalidator.RegexMatches(tokenPattern, "must be a token")},
			},
			"url": schema.StringAttribute{
				MarkdownDescription: "URL of the site.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"revision": schema.Int64Attribute{
				MarkdownDescription: "Number of writes of the site.",
				Computed:            true,
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"created_at": schema.StringAttribute{
				MarkdownDescription: "Time at which the site was created.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{Create: true, Update: true, Delete: true}),
		},
	}
}

func (r *siteResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"name": identityschema.StringAttribute{RequiredForImport: true},
		},
	}
}

func (r *siteResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return // not configured yet
	}
	sites, ok := req.ProviderData.(*store.Store)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("Expected *store.Store, got %T.", req.ProviderData))
		return
	}
	r.sites = sites
}

// ModifyPlan keeps the prior settings if the planned ones are equivalent, and determines which
// outputs an update changes; the others keep their values.
func (r *siteResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return // create or destroy
	}
	var before, after jsontypes.Normalized
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("settings"), &before)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("settings"), &after)...)
	if !before.IsNull() && !after.IsNull() && !after.IsUnknown() {
		same, diags := before.StringSemanticEquals(ctx, after)
		resp.Diagnostics.Append(diags...)
		if same {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("settings"), before)...)
		}
	}
	if resp.Diagnostics.HasError() || resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("revision"), types.Int64Unknown())...)
	var oldPort, newPort types.Int64
	var oldProtocol, newProtocol types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("port"), &oldPort)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("port"), &newPort)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("protocol"), &oldProtocol)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("protocol"), &newProtocol)...)
	if !oldPort.Equal(newPort) || !oldProtocol.Equal(newProtocol) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("url"), types.StringUnknown())...)
	}
}

func (r *siteResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan siteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	site, err := r.sites.Put(ctx, plan.site())
	if err != nil {
		resp.Diagnostics.AddError("Cannot create the site", err.Error())
		return
	}
	plan.set(site)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, siteIdentityModel{Name: plan.Name})...)
}

func (r *siteResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state siteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	site, err := r.sites.Get(ctx, state.Name.ValueString())
	if errors.Is(err, store.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the site", err.Error())
		return
	}
	state.set(site)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, siteIdentityModel{Name: state.Name})...)
}

func (r *siteResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan siteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	site, err := r.sites.Put(ctx, plan.site())
	if err != nil {
		resp.Diagnostics.AddError("Cannot update the site", err.Error())
		return
	}
	plan.set(site)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, siteIdentityModel{Name: plan.Name})...)
}

func (r *siteResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state siteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := r.sites.Delete(ctx, state.Name.ValueString()); err != nil {
		resp.Diagnostics.AddError("Cannot delete the site", err.Error())
	}
}

func (r *siteResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), req, resp)
}

// UpgradeState renames listen_port of version 0 to port.
func (r *siteResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{
		0: {
			StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
				var state map[string]json.RawMessage
				if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
					resp.Diagnostics.AddError("Cannot read the state", err.Error())
					return
				}
				state["port"] = state["listen_port"]
				delete(state, "listen_port")
				upgraded, err := json.Marshal(state)
				if err != nil {
					resp.Diagnostics.AddError("Cannot write the state", err.Error())
					return
				}
				resp.DynamicValue = &tfplugin.DynamicValue{JSON: upgraded}
			},
		},
	}
}

// site converts the model to a site of the store.
func (m *siteModel) site() store.Site {
	site := store.Site{
		Name: m.Name.ValueString(), Port: m.Port.ValueInt64(), Protocol: m.Protocol.ValueString(),
		Root: m.Root.ValueStringPointer(), Redirect: m.Redirect.ValueStringPointer(),
		Settings: m.Settings.ValueStringPointer(), Token: m.Token.ValueStringPointer(),
	}
	for _, route := range m.Routes {
		site.Routes = append(site.Routes, store.Route{
			Path:    route.Path.ValueString(),
			Backend: route.Backend.ValueString(),
			Weight:  route.Weight.ValueInt64Pointer(),
		})
	}
	return site
}

// set copies a stored site to the model.
func (m *siteModel) set(site *store.Site) {
	m.Name = types.StringValue(site.Name)
	m.Port = types.Int64Value(site.Port)
	m.Protocol = types.StringValue(site.Protocol)
	m.Root = types.StringPointerValue(site.Root)
	m.Redirect = types.StringPointerValue(site.Redirect)
	m.Settings = jsontypes.NewNormalizedPointerValue(site.Settings)
	m.Token = types.StringPointerValue(site.Token)
	m.URL = types.StringValue(store.URL(site.Protocol, site.Name, site.Port))
	m.Revision = types.Int64Value(site.Revision)
	m.CreatedAt = types.StringValue(site.CreatedAt)
	m.Routes = nil
	for _, route := range site.Routes {
		m.Routes = append(m.Routes, routeModel{
			Path:    types.StringValue(route.Path),
			Backend: types.StringValue(route.Backend),
			Weight:  types.Int64PointerValue(route.Weight),
		})
	}
}
