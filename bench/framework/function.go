package framework

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

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

// one returns a function of one argument.
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
