package wire

import (
	"errors"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// SchemaFromProto is the inverse of [SchemaToProto]. Of attributes or blocks with
// the same name the last counts, as in clients.
func SchemaFromProto(schema *tfplugin.Schema) (version int64, block *configschema.Block, err error) {
	if schema == nil {
		return 0, nil, nil
	}
	block, err = blockFromProto(schema.Block)
	return schema.Version, block, err
}

func blockFromProto(in *tfplugin.SchemaBlock) (*configschema.Block, error) {
	if in == nil {
		return nil, errors.New("the schema has no block")
	}
	attributes, err := attributesFromProto(in.Attributes)
	if err != nil {
		return nil, err
	}
	block := &configschema.Block{
		Attributes:         attributes,
		BlockTypes:         make(map[string]*configschema.NestedBlock, len(in.BlockTypes)),
		Description:        in.Description,
		DescriptionKind:    StringKindFromProto(in.DescriptionKind),
		Deprecated:         in.Deprecated,
		DeprecationMessage: in.DeprecationMessage,
	}
	for _, nested := range in.BlockTypes {
		if nested == nil {
			return nil, errors.New("a block type has no schema")
		}
		body, err := blockFromProto(nested.Block)
		if err != nil {
			return nil, fmt.Errorf("block type %q: %w", nested.TypeName, err)
		}
		block.BlockTypes[nested.TypeName] = &configschema.NestedBlock{
			Block:    *body,
			Nesting:  blockNestingFromProto(nested.Nesting),
			MinItems: int(nested.MinItems),
			MaxItems: int(nested.MaxItems),
		}
	}
	return block, nil
}

func attributesFromProto(in []*tfplugin.SchemaAttribute) (map[string]*configschema.Attribute, error) {
	attributes := make(map[string]*configschema.Attribute, len(in))
	for _, a := range in {
		if a == nil {
			return nil, errors.New("an attribute has no schema")
		}
		attribute, err := attributeFromProto(a)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		attributes[a.Name] = attribute
	}
	return attributes, nil
}

func attributeFromProto(a *tfplugin.SchemaAttribute) (*configschema.Attribute, error) {
	attribute := &configschema.Attribute{
		Description:        a.Description,
		DescriptionKind:    StringKindFromProto(a.DescriptionKind),
		Required:           a.Required,
		Optional:           a.Optional,
		Computed:           a.Computed,
		Sensitive:          a.Sensitive,
		WriteOnly:          a.WriteOnly,
		Deprecated:         a.Deprecated,
		DeprecationMessage: a.DeprecationMessage,
	}
	// If both are set, both are kept: the validation of schemas reports that.
	if a.NestedType == nil || a.Type != nil {
		ty, err := TypeFromProto(a.Type)
		attribute.Type = ty
		if err != nil || a.NestedType == nil {
			return attribute, err
		}
	}
	attributes, err := attributesFromProto(a.NestedType.Attributes)
	attribute.NestedType = &configschema.Object{
		Attributes: attributes,
		Nesting:    objectNestingFromProto(a.NestedType.Nesting),
	}
	return attribute, err
}

// IdentitySchemaFromProto is the inverse of [IdentitySchemaToProto].
func IdentitySchemaFromProto(schema *tfplugin.ResourceIdentitySchema) (version int64, object *configschema.Object, err error) {
	if schema == nil {
		return 0, nil, nil
	}
	object = &configschema.Object{
		Attributes: make(map[string]*configschema.Attribute, len(schema.IdentityAttributes)),
		Nesting:    configschema.NestingSingle,
	}
	for _, a := range schema.IdentityAttributes {
		if a == nil {
			return 0, nil, errors.New("an identity attribute has no schema")
		}
		ty, err := TypeFromProto(a.Type)
		if err != nil {
			return 0, nil, fmt.Errorf("identity attribute %q: %w", a.Name, err)
		}
		object.Attributes[a.Name] = &configschema.Attribute{
			Type:        ty,
			Required:    a.RequiredForImport,
			Optional:    a.OptionalForImport,
			Description: a.Description,
		}
	}
	return schema.Version, object, nil
}

// StringKindFromProto is the inverse of [StringKindToProto].
func StringKindFromProto(kind tfplugin.StringKind) configschema.StringKind {
	if kind == tfplugin.StringKindMarkdown {
		return configschema.StringMarkdown
	}
	return configschema.StringPlain
}

// A nesting mode that is not known becomes the invalid one, which the
// validation of schemas reports.

func blockNestingFromProto(mode tfplugin.SchemaNestedBlockNestingMode) configschema.NestingMode {
	for nesting, m := range blockNestings {
		if m == mode {
			return nesting
		}
	}
	return configschema.NestingInvalid
}

func objectNestingFromProto(mode tfplugin.SchemaObjectNestingMode) configschema.NestingMode {
	for nesting, m := range objectNestings {
		if m == mode {
			return nesting
		}
	}
	return configschema.NestingInvalid
}
