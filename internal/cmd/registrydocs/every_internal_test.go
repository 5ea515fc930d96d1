package main

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// every is a provider with a type of each kind. Together, the types use most features of
// schemas.
type every struct {
	provider.Unimplemented
}

func (every) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return everySchema()
}

func (every) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	thing := everySchema().ResourceTypes["every_thing"]
	return provider.GetResourceIdentitySchemasResponse{
		IdentityTypes: map[string]provider.IdentitySchema{"every_thing": {Version: thing.IdentityVersion, Body: thing.Identity}},
	}
}

type attributes = map[string]*configschema.Attribute

func everySchema() provider.GetProviderSchemaResponse {
	one := func(description string, attrs attributes) map[string]provider.Schema {
		return map[string]provider.Schema{"every_thing": {Body: block(description, attrs)}}
	}
	return provider.GetProviderSchemaResponse{
		Provider: provider.Schema{Body: block("Has everything.\n\nAnd more.", attributes{
			"endpoint": {Type: cty.String, Optional: true, Description: "Where it is.", DescriptionKind: configschema.StringMarkdown},
		})},
		ResourceTypes: map[string]provider.Schema{"every_thing": everyResource(), "every_plain": {Body: block("A plain thing.", nil)}},
		DataSources:   one("Finds a thing.", attributes{"id": {Type: cty.String, Required: true, Description: "Which one."}}),
		EphemeralResourceTypes: one("Opens a thing.", attributes{
			"token": {Type: cty.String, Computed: true, Sensitive: true, Description: "The *token*."},
		}),
		ListResourceTypes: one("Lists things.", attributes{"prefix": {Type: cty.String, Optional: true, Description: "Prefix of the names."}}),
		Actions:           one("Does a thing.", attributes{"times": {Type: cty.Number, Optional: true, Description: "How often."}}),
		StateStores:       one("Keeps a state.", attributes{"path": {Type: cty.String, Required: true, Description: "Path of the file."}}),
		Functions: map[string]provider.FunctionDecl{
			"join": {
				Summary: "Joins texts.", Description: "Joins texts.\n\nAll of them.", DescriptionKind: configschema.StringMarkdown,
				DeprecationMessage: "Use the built-in function.",
				Parameters: []provider.FunctionParam{
					{Name: "separator", Type: cty.String, AllowNullValue: true, Description: "Separator of the texts.\n\nIt may be empty."},
					{Name: "options", Type: cty.Object(map[string]cty.Type{"trim": cty.Bool, "tags": cty.Map(cty.List(cty.Number))}), Description: "How."},
				},
				VariadicParameter: &provider.FunctionParam{Name: "parts", Type: cty.DynamicPseudoType, AllowUnknownValues: true, Description: "The texts."},
				ReturnType:        cty.Set(cty.Tuple([]cty.Type{cty.String, cty.DynamicPseudoType})),
			},
			"now": {Summary: "The time.", Description: "The time.", ReturnType: cty.String},
		},
	}
}

func block(description string, attrs attributes) *configschema.Block {
	return &configschema.Block{Attributes: attrs, Description: description, DescriptionKind: configschema.StringMarkdown}
}

func everyResource() provider.Schema {
	inner := func() attributes {
		return attributes{
			"port": {Type: cty.Number, Required: true, Description: "The port."},
			"deep": {Optional: true, Computed: true, Description: "Deeper.", NestedType: &configschema.Object{
				Nesting:    configschema.NestingSet,
				Attributes: attributes{"leaf": {Type: cty.Bool, Optional: true, Description: "The leaf."}},
			}},
		}
	}
	attrs := attributes{
		"name":   {Type: cty.String, Required: true, Description: "Its name.\n\n- one\n- two\n\nMore.", DescriptionKind: configschema.StringMarkdown},
		"any":    {Type: cty.DynamicPseudoType, Optional: true, Description: "Anything."},
		"tags":   {Type: cty.Map(cty.String), Optional: true, Computed: true, Description: "Its tags."},
		"pairs":  {Type: cty.Set(cty.Object(map[string]cty.Type{"a": cty.Bool, "b": cty.List(cty.Number)})), Optional: true, Description: "Pairs."},
		"secret": {Type: cty.String, Optional: true, Sensitive: true, WriteOnly: true, Description: "A secret."},
		"size":   {Type: cty.Number, Computed: true, Description: "Its size."},
		"old":    {Type: cty.String, Optional: true, Deprecated: true, DeprecationMessage: "Use name.", Description: "Its old name."},
	}
	modes := map[string]configschema.NestingMode{
		"single": configschema.NestingSingle, "list": configschema.NestingList, "set": configschema.NestingSet, "map": configschema.NestingMap,
	}
	blocks := map[string]*configschema.NestedBlock{
		"group_block": {Nesting: configschema.NestingGroup, Block: *block("A group.", attributes{"on": {Type: cty.Bool, Optional: true, Description: "Whether."}})},
	}
	for name, mode := range modes {
		attrs["nested_"+name] = &configschema.Attribute{
			Optional: true, Description: "Nested, a " + name + ".\n\nFor short.",
			NestedType: &configschema.Object{Nesting: mode, Attributes: inner()},
		}
		blocks[name+"_block"] = &configschema.NestedBlock{
			Nesting: mode,
			Block:   *block("A block, a "+name+".\n\nFor long.", attributes{"port": {Type: cty.Number, Required: true, Description: "The port."}}),
		}
	}
	blocks["list_block"].MinItems, blocks["list_block"].MaxItems = 1, 3
	blocks["single_block"].Deprecated, blocks["single_block"].DeprecationMessage = true, "Use list_block."
	blocks["set_block"].BlockTypes = map[string]*configschema.NestedBlock{
		"inner": {Nesting: configschema.NestingList, Block: *block("Inside.", attributes{"on": {Type: cty.Bool, Optional: true, Description: "Whether."}})},
	}
	body := block("A thing.\n\nWith everything.", attrs)
	body.BlockTypes = blocks
	return provider.Schema{
		Version: 3, Body: body,
		IdentityVersion: 2,
		Identity: &configschema.Object{Nesting: configschema.NestingSingle, Attributes: attributes{
			"name": {Type: cty.String, Required: true, Description: "Its name."},
			"zone": {Type: cty.List(cty.String), Optional: true, Description: "Its zones.\n\nIn order."},
		}},
	}
}
