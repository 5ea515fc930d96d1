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
	v.plannedBlock(nil, schema, plain(priorState), plain(config), plain(planned))
	return v.errors()
}

// plannedBlock judges an object of a block: the root or one nested block.
func (v *violations) plannedBlock(at *step, schema *configschema.Block, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull() && config.IsNull():
		return
	case planned.IsNull():
		v.add(at, "the plan has no object where one is configured")
		return
	case config.IsNull():
		v.add(at, "the plan has an object where none is configured")
		return
	case !planned.Type().IsObjectType():
		v.add(at, "the plan has a value that is not an object")
		return
	}
	v.plannedAttributes(at, schema.Attributes, prior, config, planned)
	here := step{outer: at} // outside the loop, so that it stays on the stack
	for name, nested := range schema.BlockTypes {
		if nested == nil {
			continue
		}
		here.name = name
		v.plannedNestedBlock(&here, nested, attribute(prior, name), attribute(config, name), attribute(planned, name))
	}
}

func (v *violations) plannedAttributes(at *step, attrs map[string]*configschema.Attribute, prior, config, planned cty.Value) {
	here := step{outer: at}
	for name, attr := range attrs {
		if attr == nil {
			continue
		}
		here.name = name
		v.plannedAttribute(&here, attr, attribute(prior, name), attribute(config, name), attribute(planned, name))
	}
}

// plannedAttribute applies the first rule that matches.
func (v *violations) plannedAttribute(at *step, attr *configschema.Attribute, prior, config, planned cty.Value) {
	switch {
	case Equal(planned, config):
	case !prior.IsNull() && !config.IsNull() && EqualExact(planned, prior):
		// The provider says that prior and configured value mean the same.
	case attr.WriteOnly:
		if !planned.IsNull() {
			v.add(at, "the plan has a value for a write-only attribute, which must be null in it")
		}
	case attr.Computed && (!attr.Optional || config.IsNull()):
		// The provider chooses.
	case config.IsNull():
		if !planned.IsNull() {
			v.add(at, "the plan has a value for an attribute that is not computed and not configured")
			return
		}
		v.add(at, "the plan has null of another type than configured")
	case attr.NestedType != nil:
		v.plannedNestedType(at, attr.NestedType, prior, config, planned)
	default:
		v.add(at, "the plan has "+describe(planned)+" that is neither the configured value nor the prior one")
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
func (v *violations) plannedNestedType(at *step, schema *configschema.Object, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull():
		v.add(at, "the plan has a null value where one is configured")
		return
	case !planned.IsKnown():
		v.add(at, "the plan has an unknown value where one is configured")
		return
	}
	switch schema.Nesting {
	case configschema.NestingSingle:
		v.plannedAttributes(at, schema.Attributes, prior, config, planned)
	case configschema.NestingList:
		v.plannedObjectList(at, schema, prior, config, planned)
	case configschema.NestingMap:
		v.plannedObjectMap(at, schema, prior, config, planned)
	case configschema.NestingSet:
		v.plannedObjectSet(at, config, planned)
	default:
		v.add(at, "the schema has no lawful nesting mode")
	}
}

// The elements of nested types have no rule of their own: a null or unknown
// element counts as an object of null or unknown attributes.

func (v *violations) plannedObjectList(at *step, schema *configschema.Object, prior, config, planned cty.Value) {
	if !v.sameLength(at, isSequence, config, planned) {
		return
	}
	here := step{outer: at}
	for i := range planned.LengthInt() {
		here.key = indexKey(i)
		v.plannedAttributes(&here, schema.Attributes, element(prior, i), element(config, i), element(planned, i))
	}
}

func (v *violations) plannedObjectMap(at *step, schema *configschema.Object, prior, config, planned cty.Value) {
	if !v.sameLength(at, isMapping, config, planned) {
		return
	}
	here := step{outer: at}
	for key, object := range planned.Elements() {
		configured := lookup(config, key)
		if configured == cty.NilVal {
			v.add(at, "the plan has an element with a key that is not configured")
			continue
		}
		here.name = key.AsString()
		v.plannedAttributes(&here, schema.Attributes, lookup(prior, key), configured, plain(object))
	}
}

// plannedObjectSet compares lengths only, because nothing tells which element of
// the plan is which of the configuration. Elements that are not known leave a
// range for the length.
func (v *violations) plannedObjectSet(at *step, config, planned cty.Value) {
	if !isSet(planned) || !config.Type().IsSetType() {
		v.add(at, "the plan or the configuration is not a set")
		return
	}
	if same := planned.Length().Equals(config.Length()); same.IsKnown() && same.False() {
		v.add(at, "the plan has another number of elements than configured")
	}
}

// sameLength reports whether both are collections of a kind, and equally long.
func (v *violations) sameLength(at *step, kind func(cty.Value) bool, config, planned cty.Value) bool {
	switch {
	case !kind(planned):
		v.add(at, "the plan has a collection of another kind than the schema")
	case !config.IsKnown():
		v.add(at, "the plan has a known value where an unknown one is configured")
	case !kind(config):
		v.add(at, "the configuration has a collection of another kind than the schema")
	case planned.LengthInt() != config.LengthInt():
		v.addf(at, "the plan has %d elements where %d are configured", planned.LengthInt(), config.LengthInt())
	default:
		return true
	}
	return false
}
