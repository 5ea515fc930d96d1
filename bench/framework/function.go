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

type upper struct{}

func (upper) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "upper"
}

func (upper) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Parameters: []function.Parameter{function.StringParameter{Name: "text"}},
		Return:     function.StringReturn{},
	}
}

func (upper) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error == nil {
		resp.Error = resp.Result.Set(ctx, strings.ToUpper(text))
	}
}

type total struct{}

func (total) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "total"
}

func (total) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Parameters: []function.Parameter{function.ListParameter{Name: "items", ElementType: itemType}},
		Return:     function.Int64Return{},
	}
}

func (total) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var items []item
	if resp.Error = req.Arguments.Get(ctx, &items); resp.Error != nil {
		return
	}
	sum := int64(0)
	for _, i := range items {
		sum += i.Size
	}
	resp.Error = resp.Result.Set(ctx, sum)
}

type grown struct{}

func (grown) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "grown"
}

func (grown) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Parameters: []function.Parameter{function.ListParameter{Name: "items", ElementType: itemType}},
		Return:     function.ListReturn{ElementType: itemType},
	}
}

func (grown) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var items []item
	if resp.Error = req.Arguments.Get(ctx, &items); resp.Error != nil {
		return
	}
	for i := range items {
		items[i].Size *= 2
	}
	resp.Error = resp.Result.Set(ctx, items)
}

type join struct{}

func (join) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "join"
}

func (join) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Parameters:        []function.Parameter{function.StringParameter{Name: "separator"}},
		VariadicParameter: function.StringParameter{Name: "parts"},
		Return:            function.StringReturn{},
	}
}

func (join) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var separator string
	var parts []string
	if resp.Error = req.Arguments.Get(ctx, &separator, &parts); resp.Error == nil {
		resp.Error = resp.Result.Set(ctx, strings.Join(parts, separator))
	}
}
