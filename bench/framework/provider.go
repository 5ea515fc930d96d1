package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Provider is the provider. Its zero value keeps objects in memory only, that
// is, takes the prior state for what is there.
type Provider struct {
	// Files, if set, makes the objects real files.
	Files *disk.Files
}

var _ provider.Provider = (*Provider)(nil)

// Metadata names the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "bench"
}

// Schema is empty.
func (p *Provider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure hands the file operations to the resource.
func (p *Provider) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = p.Files
}

// DataSources are none.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources is the one resource.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &file{} }}
}
