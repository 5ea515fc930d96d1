package main

import (
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// The types are the JSON of "terraform providers schema -json" and "tofu providers schema
// -json", format 1.0. Kinds of types that OpenTofu does not have yet have the names that
// Terraform uses.
type (
	schemasDocument struct {
		FormatVersion string                    `json:"format_version"`
		Providers     map[string]providerObject `json:"provider_schemas"`
	}
	providerObject struct {
		Provider           *schemaObject             `json:"provider"`
		Resources          map[string]schemaObject   `json:"resource_schemas,omitempty"`
		DataSources        map[string]schemaObject   `json:"data_source_schemas,omitempty"`
		EphemeralResources map[string]schemaObject   `json:"ephemeral_resource_schemas,omitempty"`
		ListResources      map[string]schemaObject   `json:"list_resource_schemas,omitempty"`
		Actions            map[string]actionObject   `json:"action_schemas,omitempty"`
		StateStores        map[string]schemaObject   `json:"state_store_schemas,omitempty"`
		Functions          map[string]functionObject `json:"functions,omitempty"`
		Identities         map[string]identityObject `json:"resource_identity_schemas,omitempty"`
	}
	schemaObject struct {
		Version int64        `json:"version"`
		Block   *blockObject `json:"block,omitempty"`
	}
	actionObject struct {
		Block *blockObject `json:"block,omitempty"`
	}
	blockObject struct {
		Attributes map[string]attributeObject `json:"attributes,omitempty"`
		BlockTypes map[string]nestedObject    `json:"block_types,omitempty"`
		describedObject
	}
	describedObject struct {
		Description        string `json:"description,omitempty"`
		DescriptionKind    string `json:"description_kind,omitempty"`
		Deprecated         bool   `json:"deprecated,omitempty"`
		DeprecationMessage string `json:"deprecation_message,omitempty"`
	}
	nestedObject struct {
		Nesting  string       `json:"nesting_mode"`
		Block    *blockObject `json:"block"`
		MinItems int          `json:"min_items,omitempty"`
		MaxItems int          `json:"max_items,omitempty"`
	}
	attributeObject struct {
		Type       any              `json:"type,omitempty"` // a cty.Type
		NestedType *attributesGroup `json:"nested_type,omitempty"`
		describedObject
		Required  bool `json:"required,omitempty"`
		Optional  bool `json:"optional,omitempty"`
		Computed  bool `json:"computed,omitempty"`
		Sensitive bool `json:"sensitive,omitempty"`
		WriteOnly bool `json:"write_only,omitempty"`
	}
	attributesGroup struct {
		Attributes map[string]attributeObject `json:"attributes,omitempty"`
		Nesting    string                     `json:"nesting_mode"`
	}
	functionObject struct {
		Description        string            `json:"description"`
		Summary            string            `json:"summary"`
		DeprecationMessage string            `json:"deprecation_message,omitempty"`
		Return             any               `json:"return_type"` // a cty.Type
		Parameters         []parameterObject `json:"parameters,omitempty"`
		Variadic           *parameterObject  `json:"variadic_parameter,omitempty"`
	}
	parameterObject struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Nullable    bool   `json:"is_nullable,omitempty"`
		Type        any    `json:"type"` // a cty.Type
	}
	identityObject struct {
		Version    int64                              `json:"version"`
		Attributes map[string]identityAttributeObject `json:"attributes,omitempty"`
	}
	identityAttributeObject struct {
		Type        any    `json:"type"` // a cty.Type
		Description string `json:"description,omitempty"`
		Required    bool   `json:"required_for_import,omitempty"`
		Optional    bool   `json:"optional_for_import,omitempty"`
	}
)

// converter converts a schema to JSON. For pages it differs from the JSON of Terraform:
// descriptions in lists are indented, groups are single blocks, and deprecation messages
// are part of the description, because tfplugindocs supports neither groups nor
// deprecation messages. Nested attributes that override attributes of the provider are not
// described again.
type converter struct{ forPages bool }

// document returns the document of one provider with this name.
func (c converter) document(name string, s provider.GetProviderSchemaResponse) schemasDocument {
	config := c.schema(s.Provider)
	if c.forPages {
		config.Block.shortenOverrides()
	}
	p := providerObject{
		Provider:           &config,
		Resources:          each(s.ResourceTypes, c.schema),
		DataSources:        each(s.DataSources, c.schema),
		EphemeralResources: each(s.EphemeralResourceTypes, c.schema),
		ListResources:      each(s.ListResourceTypes, c.schema),
		Actions:            each(s.Actions, func(s provider.Schema) actionObject { return actionObject{c.block(s.Body)} }),
		StateStores:        each(s.StateStores, c.schema),
		Functions:          each(s.Functions, c.function),
		Identities:         map[string]identityObject{},
	}
	for name, s := range s.ResourceTypes {
		if s.Identity != nil {
			p.Identities[name] = identityObject{s.IdentityVersion, each(s.Identity.Attributes, c.identityAttribute)}
		}
	}
	return schemasDocument{FormatVersion: "1.0", Providers: map[string]providerObject{name: p}}
}

func each[From, To any](from map[string]From, convert func(From) To) map[string]To {
	to := make(map[string]To, len(from))
	for name, v := range from {
		to[name] = convert(v)
	}
	return to
}

func (c converter) schema(s provider.Schema) schemaObject {
	return schemaObject{Version: s.Version, Block: c.block(s.Body)}
}

func (c converter) block(b *configschema.Block) *blockObject {
	return &blockObject{
		Attributes:      each(b.Attributes, c.attribute),
		BlockTypes:      each(b.BlockTypes, c.nested),
		describedObject: describedObject{c.text("", b.Description, b.DeprecationMessage), kind(b.DescriptionKind), b.Deprecated, b.DeprecationMessage},
	}
}

// shortenOverrides replaces the descriptions of nested attributes that have the name and the
// description of an attribute of the block.
func (b *blockObject) shortenOverrides() {
	for _, parent := range b.Attributes {
		if parent.NestedType == nil {
			continue
		}
		for name, a := range parent.NestedType.Attributes {
			if a.NestedType == nil && a.Description != "" && a.Description == b.Attributes[name].Description {
				a.Description = "Overrides `" + name + "` of the provider."
				parent.NestedType.Attributes[name] = a
			}
		}
	}
}

func (c converter) nested(b *configschema.NestedBlock) nestedObject {
	out := nestedObject{Nesting: c.nesting(b.Nesting), Block: c.block(&b.Block), MinItems: b.MinItems, MaxItems: b.MaxItems}
	out.Block.Description = c.text("- ", b.Description, b.DeprecationMessage)
	return out
}

func (c converter) attribute(a *configschema.Attribute) attributeObject {
	out := attributeObject{
		describedObject: describedObject{c.text("- ", a.Description, a.DeprecationMessage), kind(a.DescriptionKind), a.Deprecated, a.DeprecationMessage},
		Required:        a.Required, Optional: a.Optional, Computed: a.Computed,
		Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
	}
	if a.NestedType == nil {
		out.Type = a.Type
	} else {
		out.NestedType = &attributesGroup{each(a.NestedType.Attributes, c.attribute), c.nesting(a.NestedType.Nesting)}
	}
	return out
}

func (c converter) identityAttribute(a *configschema.Attribute) identityAttributeObject {
	return identityAttributeObject{Type: a.Type, Description: c.text("- ", a.Description, ""), Required: a.Required, Optional: a.Optional}
}

func (c converter) function(f provider.FunctionDecl) functionObject {
	out := functionObject{
		Description: c.text("", f.Description, f.DeprecationMessage), Summary: f.Summary, DeprecationMessage: f.DeprecationMessage, Return: f.ReturnType,
	}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, c.parameter(p))
	}
	if f.VariadicParameter != nil {
		variadic := c.parameter(*f.VariadicParameter)
		out.Variadic = &variadic
	}
	return out
}

func (c converter) parameter(p provider.FunctionParam) parameterObject {
	return parameterObject{Name: p.Name, Description: c.text("1. ", p.Description, ""), Nullable: p.AllowNullValue, Type: p.Type}
}

// text returns a description, indented if it is in a list.
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

func kind(k configschema.StringKind) string {
	if k == configschema.StringMarkdown {
		return "markdown"
	}
	return "plain"
}

func (c converter) nesting(m configschema.NestingMode) string {
	if c.forPages && m == configschema.NestingGroup {
		m = configschema.NestingSingle
	}
	return map[configschema.NestingMode]string{
		configschema.NestingSingle: "single", configschema.NestingGroup: "group",
		configschema.NestingList: "list", configschema.NestingSet: "set", configschema.NestingMap: "map",
	}[m]
}
