package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Provider is the provider. Its zero value keeps objects only in memory: the prior state is
// the real object.
type Provider struct {
	// Files, if set, makes the objects real files.
	Files *disk.Files
}

var _ provider.ProviderWithFunctions = (*Provider)(nil)

// Metadata sets the name of the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "bench"
}

// Schema returns an empty schema.
func (p *Provider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure passes the file operations to the resource.
func (p *Provider) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = p.Files
}

// DataSources returns none.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources returns the two resource types.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &file{name: "_file"} },
		func() resource.Resource { return &fleet{} },
	}
}

// Functions returns the functions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	var all []func() function.Function
	for _, c := range calls {
		all = append(all, func() function.Function { return c })
	}
	return all
}

// Large is a provider of many resource types. Only its schema is requested.
type Large struct {
	Provider
	// Types is the number of resource types, each with the attributes of a file.
	Types int
}

var _ provider.Provider = (*Large)(nil)

// Resources returns the types.
func (p *Large) Resources(context.Context) []func() resource.Resource {
	types := make([]func() resource.Resource, p.Types)
	for i := range types {
		types[i] = func() resource.Resource { return &file{name: fmt.Sprintf("_type_%04d", i)} }
	}
	return types
}

// Functions returns none.
func (p *Large) Functions(context.Context) []func() function.Function { return nil }
