package before

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"example.com/from-framework/shop"
)

// Provider has those resource types on terraform-plugin-framework that have not been migrated yet.
type Provider struct {
	Shop  *shop.Shop
	Types []func() resource.Resource
}

// Metadata implements provider.Provider.
func (*Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "shop"
}

// [schema

// Schema implements provider.Provider.
func (*Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{MarkdownDescription: "Address of the shop.", Optional: true},
		},
	}
}

// schema]

// Configure implements provider.Provider.
func (p *Provider) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = p.Shop
}

// DataSources implements provider.Provider.
func (*Provider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources implements provider.Provider.
func (p *Provider) Resources(context.Context) []func() resource.Resource { return p.Types }
