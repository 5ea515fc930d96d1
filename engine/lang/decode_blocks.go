package lang

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// decode is the value of all blocks of the type in content, or cty.NilVal where
// there are none.
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

// isUnknown reports whether the body stands for blocks of which it is not known
// yet how many there are: a dynamic block over something unknown.
func isUnknown(body hcl.Body) bool {
	u, ok := body.(hcldec.UnknownBody)
	return ok && u.Unknown()
}

// withMarksOf gives v the marks of what a dynamic block goes over.
func withMarksOf(body hcl.Body, v cty.Value) cty.Value {
	if m, ok := body.(hcldec.MarkedBody); ok {
		return v.WithMarks(m.BodyValueMarks())
	}
	return v
}
