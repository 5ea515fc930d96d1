package lang

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Writer writes values of schemas as configuration: the attributes that are required or
// not null, and the blocks.
type Writer struct {
	// Instead, if not nil, is called first for each attribute to write, including nested ones;
	// if it returns false, the writer writes the value.
	Instead func(attr *configschema.Attribute, at cty.Path, v cty.Value) (hclwrite.Tokens, bool)
}

// Body writes the attributes and blocks of v into a body. at is the path to pass
// to Instead.
func (w Writer) Body(body *hclwrite.Body, schema *configschema.Block, at cty.Path, v cty.Value) {
	for _, name := range slices.Sorted(maps.Keys(schema.Attributes)) {
		attr, here := schema.Attributes[name], v.GetAttr(name)
		if attr.Required || !here.IsNull() {
			body.SetAttributeRaw(name, w.attribute(attr, at.Copy().GetAttr(name), here))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		nested, here, at := schema.BlockTypes[name], v.GetAttr(name), at.Copy().GetAttr(name)
		if here.IsNull() {
			continue
		}
		switch nested.Nesting {
		case configschema.NestingSingle, configschema.NestingGroup:
			if nested.Nesting == configschema.NestingSingle || !here.RawEquals(nested.EmptyValue()) {
				w.Body(body.AppendNewBlock(name, nil).Body(), &nested.Block, at, here)
			}
		default:
			for key, e := range here.Elements() {
				var labels []string
				if nested.Nesting == configschema.NestingMap {
					labels = []string{key.AsString()}
				}
				w.Body(body.AppendNewBlock(name, labels).Body(), &nested.Block, at.Copy().Index(key), e)
			}
		}
	}
}

func (w Writer) attribute(attr *configschema.Attribute, at cty.Path, v cty.Value) hclwrite.Tokens {
	if w.Instead != nil {
		if tokens, ok := w.Instead(attr, at, v); ok {
			return tokens
		}
	}
	if v.IsNull() || attr.NestedType == nil {
		return hclwrite.TokensForValue(v)
	}
	switch attr.NestedType.Nesting {
	case configschema.NestingSingle:
		return w.object(attr.NestedType, at, v)
	case configschema.NestingMap:
		var set []hclwrite.ObjectAttrTokens
		for k, e := range v.Elements() {
			set = append(set, hclwrite.ObjectAttrTokens{Name: keyTokens(k.AsString()), Value: w.object(attr.NestedType, at.Copy().Index(k), e)})
		}
		return hclwrite.TokensForObject(set)
	default:
		var list []hclwrite.Tokens
		for k, e := range v.Elements() {
			list = append(list, w.object(attr.NestedType, at.Copy().Index(k), e))
		}
		return hclwrite.TokensForTuple(list)
	}
}

func (w Writer) object(nested *configschema.Object, at cty.Path, v cty.Value) hclwrite.Tokens {
	if v.IsNull() {
		return hclwrite.TokensForValue(v)
	}
	var set []hclwrite.ObjectAttrTokens
	for _, name := range slices.Sorted(maps.Keys(nested.Attributes)) {
		attr, here := nested.Attributes[name], v.GetAttr(name)
		if attr.Required || !here.IsNull() {
			set = append(set, hclwrite.ObjectAttrTokens{Name: keyTokens(name), Value: w.attribute(attr, at.Copy().GetAttr(name), here)})
		}
	}
	return hclwrite.TokensForObject(set)
}

// keyTokens returns the tokens of an object key, unquoted if possible.
func keyTokens(name string) hclwrite.Tokens {
	if hclsyntax.ValidIdentifier(name) && name != "null" && name != "true" && name != "false" && name != "for" {
		return hclwrite.TokensForIdentifier(name)
	}
	return hclwrite.TokensForValue(cty.StringVal(name))
}
