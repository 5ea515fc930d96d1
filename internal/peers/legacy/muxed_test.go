package legacy_test

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// V5 returns a server of both parts over protocol 5, which both parts support.
func V5(ctx context.Context, cloud *Cloud) (tfprotov5.ProviderServer, error) {
	mux, err := tf5muxserver.NewMuxServer(ctx,
		Provider(cloud).GRPCProvider,
		providerserver.NewProtocol5(migrated{}),
	)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}

// V6 returns a server of both parts over protocol 6. It upgrades the protocol of the part
// on terraform-plugin-sdk.
func V6(ctx context.Context, cloud *Cloud) (tfplugin.ProviderServer, error) {
	upgraded, err := tf5to6server.UpgradeServer(ctx, Provider(cloud).GRPCProvider)
	if err != nil {
		return nil, err
	}
	mux, err := tf6muxserver.NewMuxServer(ctx,
		func() tfplugin.ProviderServer { return upgraded },
		providerserver.NewProtocol6(migrated{}),
	)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}

// Downgraded returns V6 over protocol 5, so that the protocol of the part on
// terraform-plugin-sdk is translated twice.
func Downgraded(ctx context.Context, cloud *Cloud) (tfprotov5.ProviderServer, error) {
	server, err := V6(ctx, cloud)
	if err != nil {
		return nil, err
	}
	return tf6to5server.DowngradeServer(ctx, func() tfplugin.ProviderServer { return server })
}

// migrated is the part of the provider that is on terraform-plugin-framework.
type migrated struct{}

func (migrated) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "legacy"
}

// Schema returns the same provider schema as the part on terraform-plugin-sdk, as muxed
// servers must.
func (migrated) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{Attributes: map[string]providerschema.Attribute{
		"zone": providerschema.StringAttribute{Description: "Default zone of servers.", Optional: true},
	}}
}

func (migrated) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (migrated) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (migrated) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return alias{} }}
}

// alias is a resource with a name and a secret token.
type alias struct{}

var _ resource.ResourceWithImportState = alias{}

type aliasModel struct {
	Name  types.String `tfsdk:"name"`
	ID    types.String `tfsdk:"id"`
	Token types.String `tfsdk:"token"`
}

func (alias) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "legacy_alias"
}

func (alias) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	stored := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":  schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"id":    schema.StringAttribute{Computed: true, PlanModifiers: stored},
		"token": schema.StringAttribute{Computed: true, Sensitive: true, PlanModifiers: stored},
	}}
}

func (alias) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m aliasModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.ID, m.Token = m.Name, types.StringValue("token of "+m.Name.ValueString())
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// Read sets the computed attributes, which the state of an import lacks.
func (alias) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m aliasModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	m.ID, m.Token = m.Name, types.StringValue("token of "+m.Name.ValueString())
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (alias) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (alias) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (alias) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}
