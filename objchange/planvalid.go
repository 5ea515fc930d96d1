package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// AssertPlanValid reports where planned is not a lawful plan for going from
// priorState towards config.
//
// A plan must have what is configured. A provider may choose values only for
// computed attributes that the configuration leaves unset; it may also keep the
// prior value of an attribute that is configured otherwise, which says that both
// mean the same.
//
// Each violation is a [cty.PathError]; they are sorted by path. The keys of
// nested types and of blocks with dynamic types, where the nesting is a map, are
// attribute steps, those of other maps of blocks index steps, as in Terraform.
func AssertPlanValid(schema *configschema.Block, priorState, config, planned cty.Value) []error {
	if schema == nil {
		schema = &configschema.Block{}
	}
	var v violations
	v.plannedBlock(schema, plain(priorState), plain(config), plain(planned))
	return v.errors()
}

// plannedBlock judges an object of a block: the root or one nested block.
func (v *violations) plannedBlock(schema *configschema.Block, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull() && config.IsNull():
		return
	case planned.IsNull():
		v.add("the plan has no object where one is configured")
		return
	case config.IsNull():
		v.add("the plan has an object where none is configured")
		return
	case !planned.Type().IsObjectType():
		v.add("the plan has a value that is not an object")
		return
	}
	v.plannedAttributes(schema.Attributes, prior, config, planned)
	for name, nested := range schema.BlockTypes {
		if nested != nil {
			v.enter(step{name: name})
			v.plannedNestedBlock(nested, attribute(prior, name), attribute(config, name), attribute(planned, name))
			v.leave()
		}
	}
}

func (v *violations) plannedAttributes(attrs map[string]*configschema.Attribute, prior, config, planned cty.Value) {
	for name, attr := range attrs {
		if attr == nil {
			continue
		}
		v.enter(step{name: name})
		if configured := attribute(config, name); configured.IsNull() {
			v.plannedUnset(attr, configured, attribute(planned, name))
		} else {
			v.plannedSet(attr, attribute(prior, name), configured, attribute(planned, name))
		}
		v.leave()
	}
}

// plannedUnset judges an attribute that the configuration leaves unset.
func (v *violations) plannedUnset(attr *configschema.Attribute, config, planned cty.Value) {
	switch {
	case attr.WriteOnly:
		if !planned.IsNull() {
			v.add("the plan has " + describe(planned) + " for a write-only attribute, which must be null in it")
		}
	case attr.Computed:
		// The provider chooses.
	case !planned.IsNull():
		v.add("the plan has " + describe(planned) + " for an attribute that is neither computed nor configured")
	case !Equal(planned, config):
		v.add("the plan has null of another type than configured")
	}
}

// plannedSet judges an attribute that is configured, perhaps to something
// unknown.
func (v *violations) plannedSet(attr *configschema.Attribute, prior, config, planned cty.Value) {
	switch {
	case sameMemory(planned, prior):
	case Equal(planned, config):
	case !prior.IsNull() && EqualExact(planned, prior):
		// The provider says that prior and configured value mean the same.
	case attr.WriteOnly:
		if !planned.IsNull() {
			v.add("the plan has " + describe(planned) + " for a write-only attribute, which must be null in it")
		}
	case attr.Computed && !attr.Optional:
		// The provider chooses; that it is configured is not the plan's fault.
	case attr.NestedType != nil:
		v.plannedNestedType(attr.NestedType, prior, config, planned)
	default:
		v.add("the plan has " + describe(planned) + " that is neither the configured one nor the prior one")
	}
}

// describe says what kind of value v is, never which.
func describe(v cty.Value) string {
	switch {
	case v.IsNull():
		return "a null value"
	case !v.IsKnown():
		return "an unknown value"
	default:
		return "a value"
	}
}

// plannedNestedType judges a nested type that is configured, to something else
// than what is planned.
func (v *violations) plannedNestedType(schema *configschema.Object, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull():
		v.add("the plan has a null value where one is configured")
		return
	case !planned.IsKnown():
		v.add("the plan has an unknown value where one is configured")
		return
	}
	switch schema.Nesting {
	case configschema.NestingSingle:
		v.plannedAttributes(schema.Attributes, prior, config, planned)
	case configschema.NestingList:
		v.plannedObjectList(schema, prior, config, planned)
	case configschema.NestingMap:
		v.plannedObjectMap(schema, prior, config, planned)
	case configschema.NestingSet:
		v.plannedObjectSet(config, planned)
	default:
		v.add("the schema has no lawful nesting mode")
	}
}

// The elements of nested types have no rule of their own: a null or unknown
// element counts as an object of null or unknown attributes.

func (v *violations) plannedObjectList(schema *configschema.Object, prior, config, planned cty.Value) {
	if !v.sameLength(isSequence, config, planned) {
		return
	}
	for i := range planned.LengthInt() {
		v.enter(step{key: indexKey(i)})
		v.plannedAttributes(schema.Attributes, element(prior, i), element(config, i), element(planned, i))
		v.leave()
	}
}

func (v *violations) plannedObjectMap(schema *configschema.Object, prior, config, planned cty.Value) {
	if !v.sameLength(isMapping, config, planned) {
		return
	}
	for key, object := range planned.Elements() {
		configured := lookup(config, key)
		if configured == cty.NilVal {
			v.add("the plan has an element with a key that is not configured")
			continue
		}
		v.enter(step{name: key.AsString()})
		v.plannedAttributes(schema.Attributes, lookup(prior, key), configured, plain(object))
		v.leave()
	}
}

// plannedObjectSet compares lengths only, because nothing tells which element of
// the plan is which of the configuration. Elements that are not known leave a
// range for the length.
func (v *violations) plannedObjectSet(config, planned cty.Value) {
	if !isSet(planned) || !config.Type().IsSetType() {
		v.add("the plan or the configuration is not a set")
		return
	}
	if same := planned.Length().Equals(config.Length()); same.IsKnown() && same.False() {
		v.add("the plan has another number of elements than configured")
	}
}

// sameLength reports whether both are collections of a kind, and equally long.
func (v *violations) sameLength(kind func(cty.Value) bool, config, planned cty.Value) bool {
	switch {
	case !kind(planned):
		v.add("the plan has a collection of another kind than the schema")
	case !config.IsKnown():
		v.add("the plan has a known value where an unknown one is configured")
	case !kind(config):
		v.add("the configuration has a collection of another kind than the schema")
	case planned.LengthInt() != config.LengthInt():
		v.addCounts("the plan has %s, the configuration %d", planned.LengthInt(), "element", config.LengthInt())
	default:
		return true
	}
	return false
}
