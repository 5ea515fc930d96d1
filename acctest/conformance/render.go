package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// writer writes a configuration as HCL that people can paste.
type writer struct {
	s *subject
	// open writes sensitive values, too: for an engine, and not for people.
	open bool
	// unknown are places whose values come from another resource, which is
	// written as well.
	unknown []cty.Path
	sources []*hclwrite.Block
}

// render is the configuration as a resource block of the label, and the blocks
// that its unknown values come from.
func (w *writer) render(label string, config cty.Value) string {
	file := hclwrite.NewEmptyFile()
	block := file.Body().AppendNewBlock("resource", []string{w.s.name, label})
	w.block(block.Body(), w.s.body, nil, config)
	for _, source := range w.sources {
		file.Body().AppendNewline()
		file.Body().AppendBlock(source)
	}
	return string(hclwrite.Format(file.Bytes()))
}

func (w *writer) block(body *hclwrite.Body, b *configschema.Block, path cty.Path, v cty.Value) {
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if here := v.GetAttr(name); !here.IsNull() {
			attr, at := b.Attributes[name], path.Copy().GetAttr(name)
			body.SetAttributeRaw(name, w.attribute(attr, at, here))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested, here, at := b.BlockTypes[name], v.GetAttr(name), path.Copy().GetAttr(name)
		if here.IsNull() {
			continue
		}
		switch nested.Nesting {
		case configschema.NestingSingle, configschema.NestingGroup:
			if nested.Nesting == configschema.NestingSingle || !here.RawEquals(nested.EmptyValue()) {
				w.block(body.AppendNewBlock(name, nil).Body(), &nested.Block, at, here)
			}
		default:
			for key, e := range here.Elements() {
				var labels []string
				if nested.Nesting == configschema.NestingMap {
					labels = []string{key.AsString()}
				}
				w.block(body.AppendNewBlock(name, labels).Body(), &nested.Block, at.Copy().Index(key), e)
			}
		}
	}
}

func (w *writer) attribute(attr *configschema.Attribute, at cty.Path, v cty.Value) hclwrite.Tokens {
	switch {
	case (attr.Sensitive || attr.WriteOnly) && !w.open:
		return hclwrite.TokensForValue(cty.StringVal("(sensitive)"))
	case slices.ContainsFunc(w.unknown, at.Equals):
		return w.elsewhere(at, v)
	case v.IsNull() || attr.NestedType == nil:
		return hclwrite.TokensForValue(v)
	}
	object := func(at cty.Path, v cty.Value) hclwrite.Tokens {
		var set []hclwrite.ObjectAttrTokens
		for _, name := range slices.Sorted(maps.Keys(attr.NestedType.Attributes)) {
			if here := v.GetAttr(name); !here.IsNull() {
				value := w.attribute(attr.NestedType.Attributes[name], at.Copy().GetAttr(name), here)
				set = append(set, hclwrite.ObjectAttrTokens{Name: key(name), Value: value})
			}
		}
		return hclwrite.TokensForObject(set)
	}
	switch attr.NestedType.Nesting {
	case configschema.NestingSingle:
		return object(at, v)
	case configschema.NestingMap:
		var set []hclwrite.ObjectAttrTokens
		for k, e := range v.Elements() {
			set = append(set, hclwrite.ObjectAttrTokens{Name: key(k.AsString()), Value: object(at.Copy().Index(k), e)})
		}
		return hclwrite.TokensForObject(set)
	default:
		var list []hclwrite.Tokens
		for k, e := range v.Elements() {
			list = append(list, object(at.Copy().Index(k), e))
		}
		return hclwrite.TokensForTuple(list)
	}
}

func key(name string) hclwrite.Tokens {
	if hclsyntax.ValidIdentifier(name) && name != "null" && name != "true" && name != "false" {
		return hclwrite.TokensForIdentifier(name)
	}
	return hclwrite.TokensForValue(cty.StringVal(name))
}

// elsewhere makes a resource whose output is the value, which is then not known
// before an apply.
func (w *writer) elsewhere(at cty.Path, v cty.Value) hclwrite.Tokens {
	label := fmt.Sprintf("%s_%d", strings.ReplaceAll(nameOf(at), ".", "_"), len(w.sources))
	source := hclwrite.NewBlock("resource", []string{"terraform_data", label})
	source.Body().SetAttributeValue("input", v)
	w.sources = append(w.sources, source)
	return hclwrite.TokensForTraversal(hcl.Traversal{
		hcl.TraverseRoot{Name: "terraform_data"}, hcl.TraverseAttr{Name: label}, hcl.TraverseAttr{Name: "output"},
	})
}
