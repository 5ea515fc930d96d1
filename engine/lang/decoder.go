package lang

import (
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// decoder is what a schema means for a body, worked out once.
type decoder struct {
	content    *hcl.BodySchema
	attributes []attributeDecoder
	blocks     []blockDecoder
	// silent has the value of each name that a body says nothing about. It is
	// cloned for each body.
	silent map[string]cty.Value
}

type attributeDecoder struct {
	name string
	// written is the type constraint on what people write, in which nested
	// attributes may be optional; implied is the type of the result.
	written, implied cty.Type
	required         bool
	// asBlocks is not nil where the old SDK lets people write blocks for the
	// attribute.
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

// decoders has the decoder of each schema that was ever used. Schemas never
// change and belong to providers that are asked for them once.
var decoders sync.Map // *configschema.Block to *decoder

func decoderOf(schema *configschema.Block) *decoder {
	if d, ok := decoders.Load(schema); ok {
		return d.(*decoder)
	}
	d, _ := decoders.LoadOrStore(schema, newDecoder(schema))
	return d.(*decoder)
}

func newDecoder(schema *configschema.Block) *decoder {
	d := &decoder{content: &hcl.BodySchema{}, silent: map[string]cty.Value{}}
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
		d.silent[name] = schema.BlockTypes[name].EmptyValue()
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
		// Where blocks may stand for it, whether it is there is seen later.
		Required: schema.Required && a.asBlocks == nil,
	})
	d.attributes = append(d.attributes, a)
	d.silent[name] = cty.NullVal(a.implied)
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

// writtenType is the type constraint of a nested type: what is not required may
// be left out and is null then.
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

// attributeAsBlocks is how blocks are read that stand for an attribute whose
// type is a list or set of objects; nil for other types. Providers built on the
// old SDK have such attributes where a schema is both Optional and Computed.
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
