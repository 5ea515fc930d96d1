package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
)

// New returns a protocol server with the provider.
func New() (tfplugin.ProviderServer, error) {
	return providerserver.NewProtocol6WithError(&webProvider{})()
}

type webProvider struct{}

type webModel struct {
	Directory string `tfsdk:"directory"`
}

var _ provider.Provider = (*webProvider)(nil)

func (*webProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "web"
}

func (*webProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"directory": schema.StringAttribute{
				MarkdownDescription: "Directory of the sites, which must exist.",
				Required:            true,
			},
		},
	}
}

func (*webProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config webModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	sites, err := store.Open(config.Directory)
	if err != nil {
		resp.Diagnostics.AddError("Cannot open the directory of sites", err.Error())
		return
	}
	resp.ResourceData = sites
}

func (*webProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*webProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newSiteResource}
}
