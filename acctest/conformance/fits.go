package conformance

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// fits reports whether a configuration has what its schema demands, which
// clients see to before they ask a provider: required arguments, and as many
// blocks as there may be.
func fits(b *configschema.Block, config cty.Value) bool {
	if config.IsNull() || !config.IsKnown() {
		return true
	}
	if !attributesFit(b.Attributes, config) {
		return false
	}
	for name, nested := range b.BlockTypes {
		if !blocksFit(nested, config.GetAttr(name)) {
			return false
		}
	}
	return true
}

func blocksFit(b *configschema.NestedBlock, v cty.Value) bool {
	switch b.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		return (b.MinItems == 0 || !v.IsNull()) && fits(&b.Block, v)
	}
	if !v.IsKnown() {
		return true
	}
	if n := v.LengthInt(); n < b.MinItems || b.MaxItems > 0 && n > b.MaxItems {
		return false
	}
	for _, e := range v.Elements() {
		if !fits(&b.Block, e) {
			return false
		}
	}
	return true
}

func attributesFit(attrs map[string]*configschema.Attribute, v cty.Value) bool {
	for name, attr := range attrs {
		here := v.GetAttr(name)
		switch {
		case attr.Required && here.IsNull():
			return false
		case attr.NestedType == nil || here.IsNull() || !here.IsKnown():
			continue
		case attr.NestedType.Nesting == configschema.NestingSingle:
			if !attributesFit(attr.NestedType.Attributes, here) {
				return false
			}
			continue
		}
		for _, e := range here.Elements() {
			if !e.IsNull() && e.IsKnown() && !attributesFit(attr.NestedType.Attributes, e) {
				return false
			}
		}
	}
	return true
}
