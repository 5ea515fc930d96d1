package tfdiags

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// InBody returns d with the place in the body set in diagnostics that have none: the
// place of the path, or else the block itself. Blocks are found by type and index, and
// the last name of a path is an argument; places inside of an argument are not
// searched, as on the command line.
func (d Diagnostics) InBody(body hcl.Body) Diagnostics {
	if body == nil {
		return d
	}
	for i := range d {
		if d[i].Subject == nil {
			if at := placeIn(body, d[i].Path); at.Filename != "" { // an empty body has no place
				d[i].Subject = &at
			}
		}
	}
	return d
}

func placeIn(body hcl.Body, path cty.Path) hcl.Range {
	if len(path) == 0 {
		return body.MissingItemRange()
	}
	blocks, last := path[:len(path)-1], path[len(path)-1]
	var key cty.Value
	if index, ok := last.(cty.IndexStep); ok && len(blocks) > 0 {
		key = index.Key
		blocks, last = blocks[:len(blocks)-1], blocks[len(blocks)-1]
	}
	body = innerBody(body, blocks)
	name, ok := last.(cty.GetAttrStep)
	if !ok {
		return body.MissingItemRange()
	}
	content, _, _ := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: name.Name}}})
	if content == nil || content.Attributes[name.Name] == nil {
		if key != cty.NilVal {
			return innerBody(body, path[len(path)-2:]).MissingItemRange()
		}
		return body.MissingItemRange()
	}
	return element(content.Attributes[name.Name].Expr, key).Range()
}

// innerBody follows the steps into nested blocks as far as they exist.
func innerBody(body hcl.Body, steps cty.Path) hcl.Body {
	for i := 0; i < len(steps); i++ {
		name, ok := steps[i].(cty.GetAttrStep)
		if !ok {
			return body
		}
		header := hcl.BlockHeaderSchema{Type: name.Name}
		var key cty.Value
		if i+1 < len(steps) {
			if index, ok := steps[i+1].(cty.IndexStep); ok {
				key = index.Key
				i++
			}
		}
		if key != cty.NilVal && key.Type() == cty.String {
			header.LabelNames = []string{"key"}
		}
		content, _, _ := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{header}})
		if content == nil {
			return body
		}
		block := pick(content.Blocks, key)
		if block == nil {
			return body
		}
		body = block.Body
	}
	return body
}

// pick returns the block with the key, or nil. Elements of sets cannot be
// distinguished.
func pick(blocks hcl.Blocks, key cty.Value) *hcl.Block {
	switch {
	case len(blocks) == 0:
		return nil
	case key == cty.NilVal:
		return blocks[0]
	case key.Type() == cty.Number:
		if i, _ := key.AsBigFloat().Int64(); i >= 0 && i < int64(len(blocks)) {
			return blocks[i]
		}
	case key.Type() == cty.String:
		for _, b := range blocks {
			if b.Labels[0] == key.AsString() {
				return b
			}
		}
	}
	return nil
}

// element returns the element of a list or map expression with the key, or expr.
func element(expr hcl.Expression, key cty.Value) hcl.Expression {
	switch {
	case key == cty.NilVal || !key.IsKnown() || key.IsNull():
	case key.Type() == cty.Number:
		list, diags := hcl.ExprList(expr)
		if i, _ := key.AsBigFloat().Int64(); !diags.HasErrors() && i >= 0 && i < int64(len(list)) {
			return list[i]
		}
	case key.Type() == cty.String:
		pairs, diags := hcl.ExprMap(expr)
		if diags.HasErrors() {
			break
		}
		for _, pair := range pairs {
			name, diags := pair.Key.Value(nil)
			if !diags.HasErrors() && name.Type() == cty.String && name.IsKnown() && name.AsString() == key.AsString() {
				return pair.Value
			}
		}
	}
	return expr
}
