package lang

import (
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
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
		if said, ok := content.Attributes[a.name]; ok {
			v, more := a.decode(said, ctx)
			values[a.name] = v
			diags = append(diags, more...)
		}
		if a.asBlocks != nil {
			diags = append(diags, a.decodeBlocks(content, ctx, values)...)
		}
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

func (a *attributeDecoder) decode(said *hcl.Attribute, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
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

// decodeBlocks reads blocks that stand for an attribute.
func (a *attributeDecoder) decodeBlocks(content *hcl.BodyContent, ctx *hcl.EvalContext, values map[string]cty.Value) hcl.Diagnostics {
	first := firstBlock(content, a.name)
	said := content.Attributes[a.name]
	switch {
	case first == nil && said == nil && a.required:
		return hcl.Diagnostics{missingArgument(a.name, content)}
	case first == nil:
		return nil
	case said != nil && said.NameRange == first.TypeRange: // JSON has one form for both
		return nil
	case said != nil:
		return hcl.Diagnostics{{
			Severity: hcl.DiagError,
			Summary:  "Unsupported block type",
			Detail:   fmt.Sprintf("%q is set as an argument already: it can not have blocks as well.", a.name),
			Subject:  &first.TypeRange,
		}}
	}
	v, diags := a.asBlocks.decode(content, ctx)
	values[a.name] = v
	return diags
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
