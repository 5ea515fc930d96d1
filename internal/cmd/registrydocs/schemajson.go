package main

import (
	"regexp"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// converter converts a schema to the document that "terraform providers schema -json" and "tofu
// providers schema -json" print. For pages, the document differs: descriptions in lists are indented, groups are
// single blocks, and deprecation messages are part of the description, because tfplugindocs supports
// neither groups nor deprecation messages. Nested attributes that override attributes of the provider
// are not described again.
type converter struct{ forPages bool }

// document returns the document of a provider with this name.
func (c converter) document(name string, s provider.GetProviderSchemaResponse) *tfjson.ProviderSchemas {
	config := c.schema(s.Provider)
	if c.forPages {
		shortenOverrides(config.Block)
	}
	p := &tfjson.ProviderSchema{
		ConfigSchema:             config,
		ResourceSchemas:          each(s.ResourceTypes, c.schema),
		DataSourceSchemas:        each(s.DataSources, c.schema),
		EphemeralResourceSchemas: each(s.EphemeralResourceTypes, c.schema),
		ListResourceSchemas:      each(s.ListResourceTypes, c.schema),
		ActionSchemas:            each(s.Actions, func(s provider.Schema) *tfjson.ActionSchema { return &tfjson.ActionSchema{Block: c.block(s.Body)} }),
		StateStoreSchemas:        each(s.StateStores, c.schema),
		Functions:                each(s.Functions, c.function),
		ResourceIdentitySchemas:  map[string]*tfjson.IdentitySchema{},
	}
	for name, s := range s.ResourceTypes {
		if s.Identity != nil {
			version := uint64(s.IdentityVersion) //nolint:gosec // a schema with a negative version is refused
			p.ResourceIdentitySchemas[name] = &tfjson.IdentitySchema{Version: version, Attributes: each(s.Identity.Attributes, c.identityAttribute)}
		}
	}
	return &tfjson.ProviderSchemas{FormatVersion: "1.0", Schemas: map[string]*tfjson.ProviderSchema{name: p}}
}

func each[From, To any](from map[string]From, convert func(From) To) map[string]To {
	to := make(map[string]To, len(from))
	for name, v := range from {
		to[name] = convert(v)
	}
	return to
}

func (c converter) schema(s provider.Schema) *tfjson.Schema {
	version := uint64(s.Version) //nolint:gosec // a schema with a negative version is refused
	return &tfjson.Schema{Version: version, Block: c.block(s.Body)}
}

func (c converter) block(b *configschema.Block) *tfjson.SchemaBlock {
	return &tfjson.SchemaBlock{
		Attributes:      each(b.Attributes, c.attribute),
		NestedBlocks:    each(b.BlockTypes, c.nested),
		Description:     c.text("", b.Description, b.DeprecationMessage),
		DescriptionKind: kind(b.DescriptionKind),
		Deprecated:      b.Deprecated,
	}
}

// shortenOverrides replaces the descriptions of nested attributes that have the name and the
// description of an attribute of the block.
func shortenOverrides(b *tfjson.SchemaBlock) {
	for _, parent := range b.Attributes {
		if parent.AttributeNestedType == nil {
			continue
		}
		for name, a := range parent.AttributeNestedType.Attributes {
			own := b.Attributes[name]
			if own != nil && a.AttributeNestedType == nil && a.Description != "" && a.Description == own.Description {
				a.Description = "Overrides `" + name + "` of the provider."
			}
		}
	}
}

func (c converter) nested(b *configschema.NestedBlock) *tfjson.SchemaBlockType {
	block := c.block(&b.Block)
	block.Description = c.text("- ", b.Description, b.DeprecationMessage)
	least, most := uint64(b.MinItems), uint64(b.MaxItems) //nolint:gosec // a schema with a negative limit is refused
	return &tfjson.SchemaBlockType{NestingMode: c.nesting(b.Nesting), Block: block, MinItems: least, MaxItems: most}
}

func (c converter) attribute(a *configschema.Attribute) *tfjson.SchemaAttribute {
	out := &tfjson.SchemaAttribute{
		Description: c.text("- ", a.Description, a.DeprecationMessage), DescriptionKind: kind(a.DescriptionKind), Deprecated: a.Deprecated,
		Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
	}
	if a.NestedType == nil {
		out.AttributeType = a.Type
	} else {
		out.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
			Attributes: each(a.NestedType.Attributes, c.attribute), NestingMode: c.nesting(a.NestedType.Nesting),
		}
	}
	return out
}

func (c converter) identityAttribute(a *configschema.Attribute) *tfjson.IdentityAttribute {
	return &tfjson.IdentityAttribute{
		IdentityType: a.Type, Description: c.text("- ", a.Description, ""), RequiredForImport: a.Required, OptionalForImport: a.Optional,
	}
}

func (c converter) function(f provider.FunctionDecl) *tfjson.FunctionSignature {
	out := &tfjson.FunctionSignature{
		Description: c.text("", f.Description, f.DeprecationMessage), Summary: f.Summary, DeprecationMessage: f.DeprecationMessage, ReturnType: f.ReturnType,
	}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, c.parameter(p))
	}
	if f.VariadicParameter != nil {
		out.VariadicParameter = c.parameter(*f.VariadicParameter)
	}
	return out
}

func (c converter) parameter(p provider.FunctionParam) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{Name: p.Name, Description: c.text("1. ", p.Description, ""), IsNullable: p.AllowNullValue, Type: p.Type}
}

// text returns a description. For pages, it adds the deprecation message, and indents
// further lines by the width of marker.
func (c converter) text(marker, description, deprecation string) string {
	if !c.forPages {
		return description
	}
	if deprecation != "" {
		description += "\n\n**Deprecated:** " + deprecation
	}
	indented := strings.ReplaceAll(description, "\n", "\n"+strings.Repeat(" ", len(marker)))
	return blank.ReplaceAllString(indented, "")
}

var blank = regexp.MustCompile(`(?m)^ +$`)

func kind(k configschema.StringKind) tfjson.SchemaDescriptionKind {
	if k == configschema.StringMarkdown {
		return tfjson.SchemaDescriptionKindMarkdown
	}
	return tfjson.SchemaDescriptionKindPlain
}

func (c converter) nesting(m configschema.NestingMode) tfjson.SchemaNestingMode {
	if c.forPages && m == configschema.NestingGroup {
		m = configschema.NestingSingle
	}
	return map[configschema.NestingMode]tfjson.SchemaNestingMode{
		configschema.NestingSingle: "single", configschema.NestingGroup: "group",
		configschema.NestingList: "list", configschema.NestingSet: "set", configschema.NestingMap: "map",
	}[m]
}
