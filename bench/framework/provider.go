package framework

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Provider has the resource types and the functions of package bench. Its zero value keeps
// objects only in memory: the prior state is the real object.
type Provider struct {
	// Files, if set, makes the objects of the file type real files.
	Files *disk.Files
}

var _ provider.ProviderWithFunctions = (*Provider)(nil)

// Metadata sets the name of the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "bench"
}

// Schema leaves the schema empty.
func (p *Provider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure passes the file operations to the file type.
func (p *Provider) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = p.Files
}

// DataSources returns no data sources.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources returns the two resource types.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &file{name: "_file"} },
		func() resource.Resource { return &fleet{} },
	}
}

// Functions implements [provider.ProviderWithFunctions].
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

// Resources returns a constructor for each of the p.Types resource types.
func (p *Large) Resources(context.Context) []func() resource.Resource {
	types := make([]func() resource.Resource, p.Types)
	for i := range types {
		types[i] = func() resource.Resource { return &file{name: fmt.Sprintf("_type_%04d", i)} }
	}
	return types
}

// Functions returns no functions.
func (p *Large) Functions(context.Context) []func() function.Function { return nil }

var itemType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":  types.StringType,
	"size":  types.Int64Type,
	"owner": types.StringType,
}}

type item struct {
	Name  string  `tfsdk:"name"`
	Size  int64   `tfsdk:"size"`
	Owner *string `tfsdk:"owner"`
}

// call is a function with a definition and an implementation.
type call struct {
	name       string
	definition function.Definition
	run        func(context.Context, function.RunRequest, *function.RunResponse)
}

func (c call) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = c.name
}

func (c call) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = c.definition
}

func (c call) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	c.run(ctx, req, resp)
}

// one returns the implementation of a function with one argument.
func one[In, Out any](f func(In) Out) func(context.Context, function.RunRequest, *function.RunResponse) {
	return func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		var in In
		if resp.Error = req.Arguments.Get(ctx, &in); resp.Error == nil {
			resp.Error = resp.Result.Set(ctx, f(in))
		}
	}
}

var calls = []call{
	{"upper", function.Definition{Parameters: []function.Parameter{function.StringParameter{Name: "text"}}, Return: function.StringReturn{}}, one(strings.ToUpper)},
	{"total", function.Definition{
		Parameters: []function.Parameter{function.ListParameter{Name: "items", ElementType: itemType}},
		Return:     function.Int64Return{},
	}, one(func(items []item) (sum int64) {
		for _, i := range items {
			sum += i.Size
		}
		return sum
	})},
	{"grown", function.Definition{
		Parameters: []function.Parameter{function.ListParameter{Name: "items", ElementType: itemType}},
		Return:     function.ListReturn{ElementType: itemType},
	}, one(func(items []item) []item {
		for i := range items {
			items[i].Size *= 2
		}
		return items
	})},
	{"join", function.Definition{
		Parameters:        []function.Parameter{function.StringParameter{Name: "separator"}},
		VariadicParameter: function.StringParameter{Name: "parts"},
		Return:            function.StringReturn{},
	}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		var separator string
		var parts []string
		if resp.Error = req.Arguments.Get(ctx, &separator, &parts); resp.Error == nil {
			resp.Error = resp.Result.Set(ctx, strings.Join(parts, separator))
		}
	}},
}
