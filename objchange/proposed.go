package objchange

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// ProposedNew merges configuration and prior state into the proposed new state:
// the values of the configuration, and the prior values of computed attributes
// that the configuration does not set. An optional and computed nested type becomes null
// instead if its prior value contains a value that only a configuration can set.
//
// Write-only attributes have the value of the configuration. For a null or
// unknown configuration, the result is prior, or, if prior is null and config is unknown, the
// empty value of the schema.
func ProposedNew(schema *configschema.Block, prior, config cty.Value) cty.Value {
	if schema == nil {
		schema = &configschema.Block{}
	}
	prior, config = plain(prior), plain(config)
	if prior.IsNull() {
		if config.IsNull() {
			return prior
		}
		prior = schema.EmptyValue()
	}
	if !isKnown(config) || !config.Type().IsObjectType() {
		return prior
	}
	return proposedBlock(schema, prior, config)
}

// PlannedDataResourceObject returns the planned value of a data source that
// cannot be read yet: the configuration, with unknown values for computed
// attributes that it does not set. For a null or unknown configuration, the
// result is an unknown object.
func PlannedDataResourceObject(schema *configschema.Block, config cty.Value) cty.Value {
	return ProposedNew(schema, cty.UnknownVal(schema.ImpliedType()), config)
}

// proposedBlock merges two objects of a block. Config is known; prior is an
// object or unknown. The result omits attributes and blocks that config does
// not have.
func proposedBlock(schema *configschema.Block, prior, config cty.Value) cty.Value {
	values := make(map[string]cty.Value, len(schema.Attributes)+len(schema.BlockTypes))
	proposedAttributes(values, schema.Attributes, prior, config)
	for name, nested := range schema.BlockTypes {
		if configured := attribute(config, name); nested != nil && configured != cty.NilVal {
			values[name] = proposedNestedBlock(nested, attribute(prior, name), configured)
		}
	}
	return cty.ObjectVal(values)
}

func proposedAttributes(values map[string]cty.Value, attrs map[string]*configschema.Attribute, prior, config cty.Value) {
	for name, attr := range attrs {
		configured := attribute(config, name)
		if attr == nil || configured == cty.NilVal {
			continue
		}
		before := attribute(prior, name)
		switch {
		case attr.Computed && configured.IsNull() && before != cty.NilVal && !removed(attr, before):
			values[name] = before
		case attr.NestedType != nil && isKnown(configured):
			values[name] = proposedNestedType(attr.NestedType, before, configured)
		default:
			values[name] = configured
		}
	}
}

// removed reports whether an unset attribute was probably removed from the
// configuration: an optional and computed nested type whose prior value
// contains a value that only a configuration can set.
func removed(attr *configschema.Attribute, prior cty.Value) bool {
	return attr.NestedType != nil && attr.Optional && holdsConfigured(attr.NestedType, prior)
}

// holdsConfigured reports whether v contains a value of an attribute that is
// not computed.
func holdsConfigured(schema *configschema.Object, v cty.Value) bool {
	if schema.Nesting != configschema.NestingSingle {
		return slices.ContainsFunc(elements(v), func(e cty.Value) bool { return objectHoldsConfigured(schema, e) })
	}
	return objectHoldsConfigured(schema, v)
}

func objectHoldsConfigured(schema *configschema.Object, object cty.Value) bool {
	if !isKnown(object) {
		return false
	}
	for name, attr := range schema.Attributes {
		v := attribute(object, name)
		if attr == nil || v.IsNull() {
			continue
		}
		if !attr.Computed || attr.NestedType != nil && holdsConfigured(attr.NestedType, v) {
			return true
		}
	}
	return false
}

// proposedObject merges two objects of a nested type. An unknown object of the
// configuration becomes an object of unknown attributes; null remains null.
func proposedObject(schema *configschema.Object, prior, config cty.Value) cty.Value {
	if config.IsNull() {
		return config
	}
	values := make(map[string]cty.Value, len(schema.Attributes))
	proposedAttributes(values, schema.Attributes, prior, config)
	return cty.ObjectVal(values)
}

func proposedNestedType(schema *configschema.Object, prior, config cty.Value) cty.Value {
	merge := func(prior, config cty.Value) cty.Value { return proposedObject(schema, prior, config) }
	return proposedNested(schema.Nesting, schema.Attributes, nil, prior, config, merge)
}

func proposedNestedBlock(schema *configschema.NestedBlock, prior, config cty.Value) cty.Value {
	merge := func(prior, config cty.Value) cty.Value { return ProposedNew(&schema.Block, prior, config) }
	switch {
	case schema.Nesting == configschema.NestingGroup && config.IsKnown():
		// A group always exists, so null does not mean that it was removed.
		return merge(prior, config)
	case !isKnown(config):
		return config
	}
	return proposedNested(schema.Nesting, schema.Attributes, schema.BlockTypes, prior, config, merge)
}

// proposedNested merges nested objects with these attributes and block types. Config is known.
func proposedNested(mode configschema.NestingMode, attrs map[string]*configschema.Attribute, blocks map[string]*configschema.NestedBlock,
	prior, config cty.Value, merge merger,
) cty.Value {
	switch mode {
	case configschema.NestingSingle:
		return merge(prior, config)
	case configschema.NestingList:
		return proposedSequence(prior, config, merge)
	case configschema.NestingMap:
		return proposedMapping(prior, config, merge)
	case configschema.NestingSet:
		return proposedSet(prior, config, merge, func(prior, config cty.Value) bool {
			return objectMayCorrespond(attrs, blocks, prior, config)
		})
	default:
		return config
	}
}

// merger merges two objects. The prior object may be NilVal.
type merger func(prior, config cty.Value) cty.Value

// proposedSequence merges elements at the same index. New elements have the
// configured value. Unknown prior elements without a type get the types of the
// configured elements.
func proposedSequence(prior, config cty.Value, merge merger) cty.Value {
	list := elements(config)
	merged := make([]cty.Value, len(list))
	for i, configured := range list {
		switch before := element(prior, i); before {
		case cty.NilVal:
			merged[i] = configured
		case cty.DynamicVal:
			merged[i] = merge(cty.UnknownVal(configured.Type()), configured)
		default:
			merged[i] = merge(before, configured)
		}
	}
	return rebuild(config, merged)
}

// proposedMapping merges elements with the same key. Elements of an unknown
// prior map have the types of the configured elements.
func proposedMapping(prior, config cty.Value, merge merger) cty.Value {
	if !isMapping(config) || config.LengthInt() == 0 {
		return config
	}
	merged := make(map[string]cty.Value, config.LengthInt())
	for key, configured := range config.Elements() {
		configured = plain(configured)
		before := lookup(prior, key)
		if !prior.IsKnown() {
			before = cty.UnknownVal(configured.Type())
		}
		merged[key.AsString()] = merge(before, configured)
	}
	switch {
	case config.Type().IsObjectType():
		return cty.ObjectVal(merged)
	case cty.CanMapVal(merged):
		return cty.MapVal(merged)
	default:
		return config
	}
}

// proposedSet merges each element with the first corresponding prior element
// that no other element was merged with. An unknown prior set has no elements.
func proposedSet(prior, config cty.Value, merge merger, mayCorrespond func(prior, config cty.Value) bool) cty.Value {
	list, before := elements(config), elements(prior)
	taken := make([]bool, len(before))
	merged := make([]cty.Value, len(list))
	for i, configured := range list {
		from := cty.NilVal
		for j := range before {
			if !taken[j] && mayCorrespond(before[j], configured) {
				from, taken[j] = before[j], true
				break
			}
		}
		merged[i] = merge(from, configured)
	}
	return rebuild(config, merged)
}

// rebuild returns config with other elements. Merging objects with dynamic
// types may result in different types, which a list or set cannot contain: then
// rebuild returns config.
func rebuild(config cty.Value, list []cty.Value) cty.Value {
	ty := config.Type()
	switch {
	case len(list) == 0:
		return config
	case ty.IsTupleType():
		return cty.TupleVal(list)
	case ty.IsListType() && cty.CanListVal(list):
		return cty.ListVal(list)
	case ty.IsSetType() && cty.CanSetVal(list):
		return cty.SetVal(list)
	default:
		return config
	}
}
