package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Elements of sets have no key, so that which prior element a configured one
// continues is a guess: the prior one that differs only in what a provider has
// chosen. Only what the prior element has is compared; a configuration with more
// blocks or elements than it still matches. Two sets that differ never match.

func couldComeFromBlock(schema *configschema.Block, prior, config cty.Value) bool {
	if EqualExact(prior, config) {
		return true
	}
	if !isKnown(prior) {
		// Nothing is inside that could differ.
		return prior.IsNull()
	}
	if config.IsNull() || !attributesCouldCome(schema.Attributes, prior, config) {
		return false
	}
	for name, nested := range schema.BlockTypes {
		if nested != nil && !couldComeFromNested(nested.Nesting, attribute(prior, name), attribute(config, name),
			func(prior, config cty.Value) bool { return couldComeFromBlock(&nested.Block, prior, config) }) {
			return false
		}
	}
	return true
}

func couldComeFromObject(schema *configschema.Object, prior, config cty.Value) bool {
	if EqualExact(prior, config) {
		return true
	}
	if !isKnown(prior) {
		return prior.IsNull()
	}
	return !config.IsNull() && attributesCouldCome(schema.Attributes, prior, config)
}

func attributesCouldCome(attrs map[string]*configschema.Attribute, prior, config cty.Value) bool {
	for name, attr := range attrs {
		if attr != nil && !attributeCouldCome(attr, attribute(prior, name), attribute(config, name)) {
			return false
		}
	}
	return true
}

func attributeCouldCome(attr *configschema.Attribute, prior, config cty.Value) bool {
	switch {
	case EqualExact(prior, config):
		return true
	case config.Type().IsSetType():
		return false
	case attr.NestedType != nil:
		return couldComeFromNested(attr.NestedType.Nesting, prior, config,
			func(prior, config cty.Value) bool { return couldComeFromObject(attr.NestedType, prior, config) })
	default:
		return attr.Computed && config.IsNull()
	}
}

func couldComeFromNested(mode configschema.NestingMode, prior, config cty.Value, couldComeFrom func(prior, config cty.Value) bool) bool {
	switch {
	case EqualExact(prior, config):
		return true
	case mode == configschema.NestingSet:
		return false
	case !isKnown(prior):
		return prior.IsNull()
	case mode == configschema.NestingList:
		for i, before := range elements(prior) {
			if configured := element(config, i); configured == cty.NilVal || !couldComeFrom(before, configured) {
				return false
			}
		}
		return true
	case mode == configschema.NestingMap:
		if !isMapping(prior) {
			return false
		}
		for key, before := range prior.Elements() {
			if configured := lookup(config, key); configured == cty.NilVal || !couldComeFrom(plain(before), configured) {
				return false
			}
		}
		return true
	default:
		return couldComeFrom(prior, config)
	}
}
