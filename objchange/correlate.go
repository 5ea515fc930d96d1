package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Elements of sets have no key. A configured element corresponds to the prior
// element that differs only in values that the provider chose. A configured element
// with more nested blocks or elements than the prior element also corresponds to it,
// unless the additional ones are in a set: different sets never correspond.

// objectMayCorrespond reports whether config, an object of these attributes and blocks,
// may correspond to prior.
func objectMayCorrespond(attrs map[string]*configschema.Attribute, blocks map[string]*configschema.NestedBlock, prior, config cty.Value) bool {
	switch {
	case EqualExact(prior, config):
		return true
	case !isKnown(prior):
		return prior.IsNull() // a null object has no values that could differ
	case config.IsNull():
		return false
	}
	for name, attr := range attrs {
		if attr != nil && !attributeMayCorrespond(attr, attribute(prior, name), attribute(config, name)) {
			return false
		}
	}
	for name, nested := range blocks {
		if nested != nil && !nestedMayCorrespond(nested.Nesting, nested.Attributes, nested.BlockTypes,
			attribute(prior, name), attribute(config, name)) {
			return false
		}
	}
	return true
}

func attributeMayCorrespond(attr *configschema.Attribute, prior, config cty.Value) bool {
	switch {
	case EqualExact(prior, config):
		return true
	case config.Type().IsSetType():
		return false
	case attr.NestedType != nil:
		return nestedMayCorrespond(attr.NestedType.Nesting, attr.NestedType.Attributes, nil, prior, config)
	default:
		return attr.Computed && config.IsNull()
	}
}

func nestedMayCorrespond(
	mode configschema.NestingMode, attrs map[string]*configschema.Attribute, blocks map[string]*configschema.NestedBlock,
	prior, config cty.Value,
) bool {
	switch {
	case EqualExact(prior, config):
		return true
	case mode == configschema.NestingSet:
		return false
	case !isKnown(prior):
		return prior.IsNull()
	case mode == configschema.NestingList:
		for i, before := range elements(prior) {
			if configured := element(config, i); configured == cty.NilVal || !objectMayCorrespond(attrs, blocks, before, configured) {
				return false
			}
		}
		return true
	case mode == configschema.NestingMap:
		if !isMapping(prior) {
			return false
		}
		for key, before := range prior.Elements() {
			if configured := lookup(config, key); configured == cty.NilVal || !objectMayCorrespond(attrs, blocks, plain(before), configured) {
				return false
			}
		}
		return true
	default:
		return objectMayCorrespond(attrs, blocks, prior, config)
	}
}
