package lang

import (
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// decoder decodes bodies of one schema.
type decoder struct {
	content    *hcl.BodySchema
	attributes []attributeDecoder
	blocks     []blockDecoder
	// unset has the value of each attribute and block that a body does not set. It is
	// cloned for each body.
	unset map[string]cty.Value
}

type attributeDecoder struct {
	name string
	// written is the type constraint of expressions, in which nested attributes may be
	// optional. implied is the type of the result.
	written, implied cty.Type
	required         bool
	// asBlocks is not nil if SDKv2 permits blocks for the attribute.
	asBlocks *blockDecoder
}

type blockDecoder struct {
	name     string
	nesting  configschema.NestingMode
	min, max int
	implied  cty.Type
	// object is the implied type of one block.
	object cty.Type
	body   *decoder
}

// decoders caches the decoder of each schema. Schemas are immutable and fetched once
// per provider.
var decoders sync.Map // *configschema.Block to *decoder

func decoderOf(schema *configschema.Block) *decoder {
	if d, ok := decoders.Load(schema); ok {
		return d.(*decoder)
	}
	d, _ := decoders.LoadOrStore(schema, newDecoder(schema))
	return d.(*decoder)
}

func newDecoder(schema *configschema.Block) *decoder {
	d := &decoder{content: &hcl.BodySchema{}, unset: map[string]cty.Value{}}
	if schema == nil {
		return d
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Attributes)) {
		d.addAttribute(name, schema.Attributes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		b := newBlockDecoder(name, schema.BlockTypes[name])
		d.blocks = append(d.blocks, b)
		d.content.Blocks = append(d.content.Blocks, b.header())
		d.unset[name] = schema.BlockTypes[name].EmptyValue()
	}
	return d
}

func (d *decoder) addAttribute(name string, schema *configschema.Attribute) {
	a := attributeDecoder{name: name, implied: schema.ImpliedType(), required: schema.Required}
	a.written = a.implied
	if schema.NestedType != nil {
		a.written = writtenType(schema.NestedType)
	} else {
		a.asBlocks = attributeAsBlocks(name, a.implied)
	}
	if a.asBlocks != nil {
		d.content.Blocks = append(d.content.Blocks, a.asBlocks.header())
	}
	d.content.Attributes = append(d.content.Attributes, hcl.AttributeSchema{
		Name: name,
		// If blocks may set it, a missing value is detected later.
		Required: schema.Required && a.asBlocks == nil,
	})
	d.attributes = append(d.attributes, a)
	d.unset[name] = cty.NullVal(a.implied)
}

func newBlockDecoder(name string, schema *configschema.NestedBlock) blockDecoder {
	return blockDecoder{
		name: name, nesting: schema.Nesting, min: schema.MinItems, max: schema.MaxItems,
		implied: schema.ImpliedType(), object: schema.Block.ImpliedType(),
		body: newDecoder(&schema.Block),
	}
}

func (b *blockDecoder) header() hcl.BlockHeaderSchema {
	h := hcl.BlockHeaderSchema{Type: b.name}
	if b.nesting == configschema.NestingMap {
		h.LabelNames = []string{"key"}
	}
	return h
}

// writtenType returns the type constraint of a nested type: attributes that are not
// required are optional and null by default.
func writtenType(o *configschema.Object) cty.Type {
	types := make(map[string]cty.Type, len(o.Attributes))
	var optional []string
	for _, name := range slices.Sorted(maps.Keys(o.Attributes)) {
		attribute := o.Attributes[name]
		types[name] = attribute.ImpliedType()
		if attribute.NestedType != nil {
			types[name] = writtenType(attribute.NestedType)
		}
		if !attribute.Required {
			optional = append(optional, name)
		}
	}
	object := cty.ObjectWithOptionalAttrs(types, optional)
	switch o.Nesting {
	case configschema.NestingList:
		return cty.List(object)
	case configschema.NestingSet:
		return cty.Set(object)
	case configschema.NestingMap:
		return cty.Map(object)
	default:
		return object
	}
}

// attributeAsBlocks returns the decoder for blocks that set an attribute whose type is
// a list or set of objects, or nil for other types. Providers built on SDKv2 have such
// attributes where the SDK's schema is both Optional and Computed.
func attributeAsBlocks(name string, t cty.Type) *blockDecoder {
	if !t.IsListType() && !t.IsSetType() || !t.ElementType().IsObjectType() || t.HasDynamicTypes() {
		return nil
	}
	schema := configschema.NestedBlock{Nesting: configschema.NestingList}
	if t.IsSetType() {
		schema.Nesting = configschema.NestingSet
	}
	schema.Attributes = map[string]*configschema.Attribute{}
	for attribute, t := range t.ElementType().AttributeTypes() {
		schema.Attributes[attribute] = &configschema.Attribute{Type: t, Optional: true}
	}
	b := newBlockDecoder(name, &schema)
	return &b
}
