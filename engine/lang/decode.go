package lang

import (
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"sync"
	"weak"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// DecodeBody evaluates a body by the schema. The value has the implied type of the
// schema: attributes that are not set are null, including nested ones, and block types
// without blocks have their empty value. An expression that fails has an unknown value
// of the right type, so that checks can continue.
//
// Bodies with dynamic blocks must be expanded by [ExpandDynamic] first. The first call
// for a schema compiles it; compiled schemas are cached by pointer.
func DecodeBody(body hcl.Body, schema *configschema.Block, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	return decoderOf(schema).decode(body, ctx)
}

func (d *decoder) decode(body hcl.Body, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	content, diags := body.Content(d.content)
	values := maps.Clone(d.unset)
	for i := range d.attributes {
		a := &d.attributes[i]
		v, more := a.decode(body, content, ctx)
		if v != cty.NilVal {
			values[a.name] = v
		}
		diags = append(diags, more...)
	}
	for i := range d.blocks {
		b := &d.blocks[i]
		v, more := b.decode(content, ctx)
		if v != cty.NilVal {
			values[b.name] = v
		}
		diags = append(diags, more...)
	}
	return cty.ObjectVal(values), diags
}

// decode returns the value of the attribute, or cty.NilVal if the body does not set it or
// sets it both as an argument and with blocks. content is the content of the body by the schema.
func (a *attributeDecoder) decode(body hcl.Body, content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	given := content.Attributes[a.name]
	if a.asBlocks == nil {
		return a.decodeExpression(given, ctx)
	}
	first := firstBlock(content, a.name)
	switch {
	case first == nil && given == nil && a.required:
		return cty.NilVal, hcl.Diagnostics{missingArgument(a.name, content)}
	case first != nil && given != nil:
		return cty.NilVal, hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Unsupported block type",
			Detail:   fmt.Sprintf("%q is set as an argument already: it cannot have blocks as well.", a.name),
			Subject:  &first.TypeRange,
		}}
	case first != nil:
		return a.asBlocks.decode(content, ctx)
	case given != nil && isJSONBlocks(given.Expr):
		blocks, _, diags := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{a.asBlocks.header()}})
		v, more := a.asBlocks.decode(blocks, ctx)
		return v, append(diags, more...)
	default:
		return a.decodeExpression(given, ctx)
	}
}

func (a *attributeDecoder) decodeExpression(given *hcl.Attribute, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if given == nil {
		return cty.NilVal, nil
	}
	v, diags := given.Expr.Value(ctx)
	converted, err := convert.Convert(v, a.written)
	if err == nil {
		return converted, diags
	}
	return cty.UnknownVal(a.implied), append(diags, &hcl.Diagnostic{
		Severity:    hcl.DiagError,
		Summary:     "Incorrect attribute value type",
		Detail:      fmt.Sprintf("Inappropriate value for attribute %q: %s.", a.name, err),
		Subject:     given.Expr.Range().Ptr(),
		Context:     hcl.RangeBetween(given.NameRange, given.Expr.Range()).Ptr(),
		Expression:  given.Expr,
		EvalContext: ctx,
	})
}

// isJSONBlocks reports whether the expression is a JSON object or a non-empty array of objects:
// JSON has the same form for attributes and blocks.
func isJSONBlocks(expr hcl.Expression) bool {
	if expr = hcl.UnwrapExpression(expr); !json.IsJSONExpression(expr) {
		return false
	}
	if isMap(expr) {
		return true
	}
	items, diags := hcl.ExprList(expr)
	return !diags.HasErrors() && len(items) > 0 && !slices.ContainsFunc(items, func(item hcl.Expression) bool { return !isMap(item) })
}

func isMap(expr hcl.Expression) bool {
	_, diags := hcl.ExprMap(expr)
	return !diags.HasErrors()
}

func firstBlock(content *hcl.BodyContent, name string) *hcl.Block {
	for _, block := range content.Blocks {
		if block.Type == name {
			return block
		}
	}
	return nil
}

func missingArgument(name string, content *hcl.BodyContent) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  "Missing required argument",
		Detail:   fmt.Sprintf("The argument %q is required, but no definition was found.", name),
		Subject:  content.MissingItemRange.Ptr(),
	}
}

// decode returns the value of all blocks of the type in content, or cty.NilVal if there
// are none.
func (b *blockDecoder) decode(content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	switch b.nesting {
	case configschema.NestingList, configschema.NestingSet:
		return b.decodeSequence(content, ctx)
	case configschema.NestingMap:
		return b.decodeMap(content, ctx)
	default:
		return b.decodeSingle(content, ctx)
	}
}

func (b *blockDecoder) decodeSingle(content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	first := firstBlock(content, b.name)
	if first == nil {
		if b.min == 0 {
			return cty.NilVal, nil
		}
		return cty.NilVal, hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  fmt.Sprintf("Missing %s block", b.name),
			Detail:   fmt.Sprintf("A block of type %q is required here.", b.name),
			Subject:  content.MissingItemRange.Ptr(),
		}}
	}
	var diags hcl.Diagnostics
	for _, block := range content.Blocks {
		if block.Type == b.name && block != first {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagError,
				Summary:  fmt.Sprintf("Duplicate %s block", b.name),
				Detail: fmt.Sprintf("Only one block of type %q is allowed. Previous definition was at %s.",
					b.name, first.DefRange),
				Subject: block.DefRange.Ptr(),
			})
			break
		}
	}
	v, more := b.body.decode(first.Body, ctx)
	return v, append(diags, more...)
}

func (b *blockDecoder) decodeSequence(content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	var elements []cty.Value
	var tooMany *hcl.Range
	for _, block := range content.Blocks {
		if block.Type != b.name {
			continue
		}
		v, more := b.body.decode(block.Body, ctx)
		diags = append(diags, more...)
		if isUnknown(block.Body) {
			return cty.UnknownVal(b.implied), diags
		}
		if b.max > 0 && len(elements) == b.max {
			tooMany = block.Body.MissingItemRange().Ptr()
		}
		elements = append(elements, withMarksOf(block.Body, v))
	}
	if len(elements) < b.min {
		diags = append(diags, &hcl.Diagnostic{
			Severity: hcl.DiagError,
			Summary:  fmt.Sprintf("Insufficient %s blocks", b.name),
			Detail:   fmt.Sprintf("At least %d %q blocks are required.", b.min, b.name),
			Subject:  content.MissingItemRange.Ptr(),
		})
	}
	if tooMany != nil {
		diags = append(diags, &hcl.Diagnostic{
			Severity: hcl.DiagError,
			Summary:  fmt.Sprintf("Too many %s blocks", b.name),
			Detail:   fmt.Sprintf("No more than %d %q blocks are allowed", b.max, b.name),
			Subject:  tooMany,
		})
	}
	switch {
	case len(elements) == 0:
		return cty.NilVal, diags
	case b.object.HasDynamicTypes():
		return cty.TupleVal(elements), diags
	case b.nesting == configschema.NestingSet:
		return cty.SetVal(elements), diags
	default:
		return cty.ListVal(elements), diags
	}
}

func (b *blockDecoder) decodeMap(content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	elements := map[string]cty.Value{}
	for _, block := range content.Blocks {
		if block.Type != b.name {
			continue
		}
		if isUnknown(block.Body) {
			return cty.UnknownVal(b.implied), diags
		}
		v, more := b.body.decode(block.Body, ctx)
		diags = append(diags, more...)
		key := block.Labels[0]
		if _, taken := elements[key]; taken {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagError,
				Summary:  fmt.Sprintf("Duplicate %s block", b.name),
				Detail: fmt.Sprintf("A block for %s %q was already defined. The %s labels must be unique.",
					b.name, key, b.name),
				Subject: block.DefRange.Ptr(),
			})
			continue
		}
		elements[key] = withMarksOf(block.Body, v)
	}
	switch {
	case len(elements) == 0:
		return cty.NilVal, diags
	case b.object.HasDynamicTypes():
		return cty.ObjectVal(elements), diags
	default:
		return cty.MapVal(elements), diags
	}
}

// isUnknown reports whether the body is that of an unknown number of blocks: a dynamic
// block with an unknown for_each.
func isUnknown(body hcl.Body) bool {
	u, ok := body.(hcldec.UnknownBody)
	return ok && u.Unknown()
}

// withMarksOf returns v with the marks of a dynamic block's for_each.
func withMarksOf(body hcl.Body, v cty.Value) cty.Value {
	if m, ok := body.(hcldec.MarkedBody); ok {
		return v.WithMarks(m.BodyValueMarks())
	}
	return v
}

// ExpandDynamic returns the body with its dynamic blocks expanded. ctx must have the
// values that their for_each and labels refer to.
func ExpandDynamic(body hcl.Body, schema *configschema.Block, ctx *hcl.EvalContext) hcl.Body {
	if !mayHaveDynamic(body, schema) {
		return body
	}
	return dynblock.Expand(body, ctx)
}

// mayHaveDynamic reports whether the body may have a dynamic block to expand. False means that it
// certainly has none and needs no wrapper, like most bodies.
func mayHaveDynamic(body hcl.Body, schema *configschema.Block) bool {
	if schema == nil {
		return false
	}
	native, ok := body.(*hclsyntax.Body)
	return !ok || hasDynamic(native)
}

func hasDynamic(body *hclsyntax.Body) bool {
	return slices.ContainsFunc(body.Blocks, func(block *hclsyntax.Block) bool { return block.Type == "dynamic" || hasDynamic(block.Body) })
}

// decoder decodes bodies of one schema.
type decoder struct {
	content    *hcl.BodySchema
	attributes []attributeDecoder
	blocks     []blockDecoder
	// unset has the value of each attribute and block type that a body does not set. It is
	// cloned for each body.
	unset map[string]cty.Value
}

type attributeDecoder struct {
	name string
	// written is the type constraint of expressions, in which nested attributes may be
	// optional. implied is the type of the result.
	written, implied cty.Type
	required         bool
	// asBlocks is not nil if blocks may set the attribute, as in providers built on SDKv2.
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

// decoders has the decoder of each schema. Schemas are immutable. A decoder is dropped
// with its schema, because each test case has new schemas; so decoders must not refer to
// their schemas.
var decoders sync.Map // weak.Pointer[configschema.Block] to *decoder

func decoderOf(schema *configschema.Block) *decoder {
	if schema == nil {
		return newDecoder(nil)
	}
	key := weak.Make(schema)
	if found, ok := decoders.Load(key); ok {
		return found.(*decoder) //nolint:forcetypeassert // all values have this type
	}
	d, raced := decoders.LoadOrStore(key, newDecoder(schema))
	if !raced {
		goruntime.AddCleanup(schema, func(key weak.Pointer[configschema.Block]) { decoders.Delete(key) }, key)
	}
	return d.(*decoder) //nolint:forcetypeassert // all values have this type
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
	a := attributeDecoder{name: name, written: schema.SpecType(), implied: schema.ImpliedType(), required: schema.Required}
	if schema.NestedType == nil {
		a.asBlocks = attributeAsBlocks(name, a.implied)
	}
	if a.asBlocks != nil {
		d.content.Blocks = append(d.content.Blocks, a.asBlocks.header())
	}
	d.content.Attributes = append(d.content.Attributes, hcl.AttributeSchema{
		Name: name,
		// If blocks may set the attribute, decode reports that it is missing.
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

// attributeAsBlocks returns the decoder for blocks that set an attribute whose type is
// a list or set of objects without dynamic types, or nil for other types. Providers built
// on SDKv2 have such attributes where the SDK's schema is both Optional and Computed.
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
