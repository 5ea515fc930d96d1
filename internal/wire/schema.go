package wire

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// SchemaToProto converts a schema to its protocol form, with attributes and blocks sorted by
// name. For a nil block it returns nil. It returns an error for a schema that is incomplete or that the protocol or
// terraform-plugin-go does not support.
//
// It omits the descriptions of nested attribute types, which the protocol does not support.
func SchemaToProto(version int64, block *configschema.Block) (*tfplugin.Schema, error) {
	if block == nil {
		return nil, nil
	}
	body, err := blockToProto(block)
	if err != nil {
		return nil, err
	}
	return &tfplugin.Schema{Version: version, Block: body}, nil
}

func blockToProto(block *configschema.Block) (*tfplugin.SchemaBlock, error) {
	attributes, err := attributesToProto(block.Attributes)
	if err != nil {
		return nil, err
	}
	out := &tfplugin.SchemaBlock{
		Attributes:         attributes,
		Description:        block.Description,
		DescriptionKind:    StringKindToProto(block.DescriptionKind),
		Deprecated:         block.Deprecated,
		DeprecationMessage: block.DeprecationMessage,
	}
	for _, name := range sortedKeys(block.BlockTypes) {
		nested := block.BlockTypes[name]
		if nested == nil {
			return nil, fmt.Errorf("block type %q: the schema is missing", name)
		}
		nesting, ok := blockNestings[nested.Nesting]
		if !ok {
			return nil, fmt.Errorf("block type %q: invalid nesting mode %d", name, nested.Nesting)
		}
		if nested.Computed {
			return nil, fmt.Errorf("block type %q: terraform-plugin-go cannot transmit that a block is computed; use a nested attribute", name)
		}
		body, err := blockToProto(&nested.Block)
		if err != nil {
			return nil, fmt.Errorf("block type %q: %w", name, err)
		}
		out.BlockTypes = append(out.BlockTypes, &tfplugin.SchemaNestedBlock{
			TypeName: name,
			Block:    body,
			Nesting:  nesting,
			MinItems: int64(nested.MinItems),
			MaxItems: int64(nested.MaxItems),
		})
	}
	return out, nil
}

func attributesToProto(attributes map[string]*configschema.Attribute) ([]*tfplugin.SchemaAttribute, error) {
	out := make([]*tfplugin.SchemaAttribute, len(attributes))
	made := make([]tfplugin.SchemaAttribute, len(attributes)) // one allocation for all attributes
	for i, name := range sortedKeys(attributes) {
		out[i] = &made[i]
		if err := attributeToProto(out[i], name, attributes[name]); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
	}
	return out, nil
}

// sortedKeys returns the sorted keys of m. Unlike [slices.Sorted], it needs only one
// allocation.
func sortedKeys[K cmp.Ordered, T any](m map[K]T) []K {
	if len(m) == 0 {
		return nil
	}
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// attributeToProto stores the protocol form of a in out.
func attributeToProto(out *tfplugin.SchemaAttribute, name string, a *configschema.Attribute) (err error) {
	if a == nil {
		return errors.New("the schema is missing")
	}
	*out = tfplugin.SchemaAttribute{
		Name:               name,
		Description:        a.Description,
		DescriptionKind:    StringKindToProto(a.DescriptionKind),
		Required:           a.Required,
		Optional:           a.Optional,
		Computed:           a.Computed,
		Sensitive:          a.Sensitive,
		WriteOnly:          a.WriteOnly,
		Deprecated:         a.Deprecated,
		DeprecationMessage: a.DeprecationMessage,
	}
	if a.NestedType == nil {
		out.Type, err = TypeToProto(a.Type)
		return err
	}
	nesting, ok := objectNestings[a.NestedType.Nesting]
	if !ok {
		return fmt.Errorf("invalid nesting mode %d for an attribute", a.NestedType.Nesting)
	}
	attributes, err := attributesToProto(a.NestedType.Attributes)
	out.NestedType = &tfplugin.SchemaObject{Attributes: attributes, Nesting: nesting}
	return err
}

// IdentitySchemaToProto converts the schema of an identity to its protocol form. For a
// nil object it returns nil. It returns an error for a schema that is incomplete or that the
// protocol does not support.
func IdentitySchemaToProto(version int64, object *configschema.Object) (*tfplugin.ResourceIdentitySchema, error) {
	if object == nil {
		return nil, nil
	}
	out := &tfplugin.ResourceIdentitySchema{Version: version}
	for _, name := range sortedKeys(object.Attributes) {
		a := object.Attributes[name]
		if a == nil {
			return nil, fmt.Errorf("identity attribute %q: the schema is missing", name)
		}
		ty, err := TypeToProto(a.ImpliedType())
		if err != nil {
			return nil, fmt.Errorf("identity attribute %q: %w", name, err)
		}
		out.IdentityAttributes = append(out.IdentityAttributes, &tfplugin.ResourceIdentitySchemaAttribute{
			Name:              name,
			Type:              ty,
			RequiredForImport: a.Required,
			OptionalForImport: a.Optional,
			Description:       a.Description,
		})
	}
	return out, nil
}

// StringKindToProto converts the format of a description to its protocol form.
func StringKindToProto(kind configschema.StringKind) tfplugin.StringKind {
	if kind == configschema.StringMarkdown {
		return tfplugin.StringKindMarkdown
	}
	return tfplugin.StringKindPlain
}

var blockNestings = map[configschema.NestingMode]tfplugin.SchemaNestedBlockNestingMode{
	configschema.NestingSingle: tfplugin.SchemaNestedBlockNestingModeSingle,
	configschema.NestingGroup:  tfplugin.SchemaNestedBlockNestingModeGroup,
	configschema.NestingList:   tfplugin.SchemaNestedBlockNestingModeList,
	configschema.NestingSet:    tfplugin.SchemaNestedBlockNestingModeSet,
	configschema.NestingMap:    tfplugin.SchemaNestedBlockNestingModeMap,
}

var objectNestings = map[configschema.NestingMode]tfplugin.SchemaObjectNestingMode{
	configschema.NestingSingle: tfplugin.SchemaObjectNestingModeSingle,
	configschema.NestingList:   tfplugin.SchemaObjectNestingModeList,
	configschema.NestingSet:    tfplugin.SchemaObjectNestingModeSet,
	configschema.NestingMap:    tfplugin.SchemaObjectNestingModeMap,
}

// SchemaFromProto is the inverse of [SchemaToProto]. If several attributes or blocks
// have the same name, it uses the last one, as clients do. It returns an error for a schema
// that is incomplete or has an invalid type.
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
			Nesting:  nestingFromProto(blockNestings, nested.Nesting),
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
	// If Type and NestedType are set, keep both: the validation of schemas reports such an attribute.
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
		Nesting:    nestingFromProto(objectNestings, a.NestedType.Nesting),
	}
	return attribute, err
}

// IdentitySchemaFromProto is the inverse of [IdentitySchemaToProto]. It returns an error for a
// schema that is incomplete or has an invalid type.
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

// nestingFromProto returns the nesting mode that modes maps to mode. An unknown mode
// becomes the invalid nesting mode, which the validation of schemas reports.
func nestingFromProto[M comparable](modes map[configschema.NestingMode]M, mode M) configschema.NestingMode {
	for nesting, m := range modes {
		if m == mode {
			return nesting
		}
	}
	return configschema.NestingInvalid
}
