package lang

import (
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// DecodeBody evaluates what the schema describes of a body. The value has the
// implied type of the schema: attributes that are not set are null, nested
// attributes as well, and blocks are collections. An expression that fails
// leaves an unknown value of the right type, so that checks may go on.
//
// A body with dynamic blocks goes through [ExpandDynamic] first. The first call
// for a schema prepares it; schemas are told apart by their pointers.
func DecodeBody(body hcl.Body, schema *configschema.Block, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	return decoderOf(schema).decode(body, ctx)
}

func (d *decoder) decode(body hcl.Body, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	content, diags := body.Content(d.content)
	values := maps.Clone(d.silent)
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

// decode is the value of the attribute, or cty.NilVal where the body says
// nothing about it. content is what was read from the body.
func (a *attributeDecoder) decode(body hcl.Body, content *hcl.BodyContent, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	said := content.Attributes[a.name]
	if a.asBlocks == nil {
		return a.decodeExpression(said, ctx)
	}
	first := firstBlock(content, a.name)
	switch {
	case first == nil && said == nil && a.required:
		return cty.NilVal, hcl.Diagnostics{missingArgument(a.name, content)}
	case first != nil && said != nil:
		return cty.NilVal, hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Unsupported block type",
			Detail:   fmt.Sprintf("%q is set as an argument already: it can not have blocks as well.", a.name),
			Subject:  &first.TypeRange,
		}}
	case first != nil:
		return a.asBlocks.decode(content, ctx)
	case said != nil && isJSONBlocks(said.Expr):
		blocks, _, diags := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{a.asBlocks.header()}})
		v, more := a.asBlocks.decode(blocks, ctx)
		return v, append(diags, more...)
	default:
		return a.decodeExpression(said, ctx)
	}
}

func (a *attributeDecoder) decodeExpression(said *hcl.Attribute, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if said == nil {
		return cty.NilVal, nil
	}
	v, diags := said.Expr.Value(ctx)
	converted, err := convert.Convert(v, a.written)
	if err == nil {
		return converted, diags
	}
	return cty.UnknownVal(a.implied), append(diags, &hcl.Diagnostic{
		Severity:    hcl.DiagError,
		Summary:     "Incorrect attribute value type",
		Detail:      fmt.Sprintf("Inappropriate value for attribute %q: %s.", a.name, err),
		Subject:     said.Expr.Range().Ptr(),
		Context:     hcl.RangeBetween(said.NameRange, said.Expr.Range()).Ptr(),
		Expression:  said.Expr,
		EvalContext: ctx,
	})
}

// isJSONBlocks reports whether the expression is JSON, which has one form for
// attributes and blocks, and is an object or an array of some objects.
func isJSONBlocks(expr hcl.Expression) bool {
	if expr = hcl.UnwrapExpression(expr); !json.IsJSONExpression(expr) {
		return false
	}
	if isMap(expr) {
		return true
	}
	items, diags := hcl.ExprList(expr)
	if diags.HasErrors() || len(items) == 0 {
		return false
	}
	for _, item := range items {
		if !isMap(item) {
			return false
		}
	}
	return true
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
