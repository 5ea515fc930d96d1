package objchange

import (
	"cmp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// AssertPlanValid returns an error for each value of planned that a plan of the
// change from priorState to config must not have.
//
// A plan must have the configured values. A provider may choose values only for
// computed attributes and computed blocks that the configuration does not set. It may keep the
// prior value of an attribute with a different configured value, if both values mean
// the same.
//
// Each error is a [cty.PathError]; they are sorted by path. As in Terraform,
// map keys of nested types and of blocks with dynamic types are attribute
// steps, and map keys of other blocks are index steps.
func AssertPlanValid(schema *configschema.Block, priorState, config, planned cty.Value) []error {
	var v violations
	return v.ofPlan(schema, priorState, config, planned)
}

// AssertPlanValidWithNullBlocks is [AssertPlanValid] with the rules of OpenTofu 1.12 and of
// Terraform before 1.16: blocks that are null in the configuration may be null in the plan,
// and the provider must not choose computed blocks.
func AssertPlanValidWithNullBlocks(schema *configschema.Block, priorState, config, planned cty.Value) []error {
	v := violations{nullBlocks: true}
	return v.ofPlan(schema, priorState, config, planned)
}

// ofPlan returns the errors of a plan. A nil schema has no attributes and no blocks.
func (v *violations) ofPlan(schema *configschema.Block, priorState, config, planned cty.Value) []error {
	if schema == nil {
		schema = &configschema.Block{}
	}
	v.plannedBlock(schema, plain(priorState), plain(config), plain(planned))
	return v.errors()
}

// NullElements returns the sorted paths of the elements, in lists and maps of nested types,
// that [AssertPlanValid] compares and that are null in config or planned. Terraform treats
// these elements as objects of null attributes; OpenTofu 1.12 crashes.
func NullElements(schema *configschema.Block, priorState, config, planned cty.Value) []cty.Path {
	if schema == nil {
		return nil
	}
	v := violations{probe: true, findNulls: true}
	v.plannedBlock(schema, plain(priorState), plain(config), plain(planned))
	slices.SortFunc(v.nulls, func(a, b cty.Path) int { return cmp.Compare(diag.FormatPath(a), diag.FormatPath(b)) })
	return v.nulls
}

// plannedObject checks an element of a nested type.
func (v *violations) plannedObject(schema *configschema.Object, prior, config, planned cty.Value) {
	if v.findNulls && (config.IsNull() || planned.IsNull()) {
		v.nulls = append(v.nulls, v.at.path())
	}
	v.plannedAttributes(schema.Attributes, prior, config, planned)
}

// plannedBlock checks an object of a block: the root or a nested block.
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

// plannedUnset checks an attribute that the configuration does not set.
func (v *violations) plannedUnset(attr *configschema.Attribute, config, planned cty.Value) {
	switch {
	case attr.WriteOnly:
		if !planned.IsNull() {
			v.add("the plan has " + describe(planned) + " for a write-only attribute, which must be null in a plan")
		}
	case attr.Computed:
		// The provider chooses.
	case !planned.IsNull():
		v.add("the plan has " + describe(planned) + " for an attribute that is neither computed nor configured")
	case attr.NestedType == nil && !Equal(planned, config): // Terraform does not compare nulls of nested types
		v.add("the plan has a null value whose type differs from the configuration")
	}
}

// plannedSet checks an attribute that the configuration sets, possibly to an
// unknown value.
func (v *violations) plannedSet(attr *configschema.Attribute, prior, config, planned cty.Value) {
	switch {
	case sameMemory(planned, prior):
	case Equal(planned, config):
	case !prior.IsNull() && EqualExact(planned, prior):
		// According to the provider, the prior and the configured value mean
		// the same.
	case attr.WriteOnly:
		if !planned.IsNull() {
			v.add("the plan has " + describe(planned) + " for a write-only attribute, which must be null in a plan")
		}
	case attr.Computed && !attr.Optional:
		// The provider chooses the value. The configuration, which sets the attribute,
		// is invalid, not the plan.
	case attr.NestedType != nil:
		v.plannedNestedType(attr.NestedType, prior, config, planned)
	default:
		v.add("the plan has " + describe(planned) + " that is neither the configured nor the prior value")
	}
}

// describe returns a text that distinguishes null, unknown and known values,
// without the value.
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

// plannedNestedType checks a nested type whose planned value differs from the
// configuration.
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
		v.add("the schema has an invalid nesting mode")
	}
}

// A null or unknown element of a nested type is treated as an object of null or
// unknown attributes.

func (v *violations) plannedObjectList(schema *configschema.Object, prior, config, planned cty.Value) {
	if !v.sameLength(isSequence, config, planned) {
		return
	}
	for i := range planned.LengthInt() {
		v.enter(step{key: indexKey(i)})
		v.plannedObject(schema, element(prior, i), element(config, i), element(planned, i))
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
		v.plannedObject(schema, lookup(prior, key), configured, plain(object))
		v.leave()
	}
}

// plannedObjectSet compares lengths only, because elements of the plan cannot
// be matched to elements of the configuration. With unknown elements, the
// length has a range.
func (v *violations) plannedObjectSet(config, planned cty.Value) {
	if !isSet(planned) || !config.Type().IsSetType() {
		v.add("the plan or the configuration is not a set")
		return
	}
	if same := planned.Length().Equals(config.Length()); same.IsKnown() && same.False() {
		v.add("the number of elements in the plan differs from the configuration")
	}
}

// sameLength reports whether config and planned are of the given kind and have the same length. If not, it
// adds a violation.
func (v *violations) sameLength(kind func(cty.Value) bool, config, planned cty.Value) bool {
	switch {
	case !kind(planned):
		v.add("the collection in the plan does not match the schema")
	case !config.IsKnown():
		v.add("the plan has a known value where an unknown one is configured")
	case !kind(config):
		v.add("the collection in the configuration does not match the schema")
	case planned.LengthInt() != config.LengthInt():
		v.addCounts("the plan has %s, the configuration %d", planned.LengthInt(), "element", config.LengthInt())
	default:
		return true
	}
	return false
}

// plannedNestedBlock checks the nested blocks of one type. Only the
// configuration determines which blocks exist: a provider must not add or
// remove any, except for computed blocks that are null in the configuration.
// [PrepareComputedBlocks] makes computed blocks null if none is configured.
func (v *violations) plannedNestedBlock(schema *configschema.NestedBlock, prior, config, planned cty.Value) {
	switch {
	case v.nullBlocks && EqualExact(planned, config):
		return
	case planned.IsNull() && schema.Nesting != configschema.NestingSingle:
		v.add("the plan has a null value for blocks, which may be empty but not null")
		return
	case EqualExact(planned, config):
		return
	case !config.IsKnown():
		v.add("the plan differs from the unknown value in the configuration")
		return
	case schema.Computed && !v.nullBlocks && config.IsNull():
		return // the provider chooses the blocks
	case !planned.IsKnown():
		v.add("the plan has an unknown value for blocks")
		return
	}
	switch schema.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		v.plannedBlock(&schema.Block, prior, config, planned)
	case configschema.NestingList:
		v.plannedBlockList(&schema.Block, prior, config, planned)
	case configschema.NestingMap:
		v.plannedBlockMap(&schema.Block, prior, config, planned)
	case configschema.NestingSet:
		v.plannedBlockSet(planned)
	default:
		v.add("the schema has an invalid nesting mode")
	}
}

// plannedElement checks one block of a collection.
func (v *violations) plannedElement(schema *configschema.Block, prior, config, planned cty.Value) {
	if !planned.IsKnown() {
		v.add("the plan has an unknown value for a block")
		return
	}
	v.plannedBlock(schema, prior, config, planned)
}

func (v *violations) plannedBlockList(schema *configschema.Block, prior, config, planned cty.Value) {
	if !isSequence(planned) || !config.IsNull() && !isSequence(config) {
		v.add("the plan or the configuration is not a list")
		return
	}
	configured := 0 // a null list of blocks counts as empty
	if !config.IsNull() {
		configured = config.LengthInt()
	}
	if planned.LengthInt() != configured {
		v.addCounts("the plan has %s, the configuration %d", planned.LengthInt(), "block", configured)
		return
	}
	for i := range configured {
		v.enter(step{key: indexKey(i)})
		v.plannedElement(schema, element(prior, i), element(config, i), element(planned, i))
		v.leave()
	}
}

func (v *violations) plannedBlockMap(schema *configschema.Block, prior, config, planned cty.Value) {
	if !isMapping(planned) || !config.IsNull() && !isMapping(config) {
		v.add("the plan or the configuration is not a map")
		return
	}
	asObject := planned.Type().IsObjectType()
	configured := 0
	if !config.IsNull() {
		configured = config.LengthInt()
	}
	if !asObject && planned.LengthInt() != configured {
		v.addCounts("the plan has %s, the configuration %d", planned.LengthInt(), "block", configured)
		return
	}
	for key, block := range planned.Elements() {
		at := step{key: key}
		if asObject {
			at = step{name: key.AsString()}
		}
		wanted := lookup(config, key)
		if wanted == cty.NilVal && asObject {
			v.add("the plan has a block with a key that is not configured")
			continue
		}
		v.enter(at)
		if wanted == cty.NilVal {
			v.add("the plan has a block with a key that is not configured")
		} else {
			v.plannedElement(schema, lookup(prior, key), wanted, plain(block))
		}
		v.leave()
	}
	if isMapping(config) {
		for key := range config.Elements() {
			if lookup(planned, key) == cty.NilVal {
				v.add("a configured block is missing in the plan")
			}
		}
	}
}

// plannedBlockSet only checks that the plan is a set of known blocks, because
// blocks of the plan cannot be matched to blocks of the configuration.
func (v *violations) plannedBlockSet(planned cty.Value) {
	if !isSet(planned) {
		v.add("the plan is not a set")
		return
	}
	for _, block := range elements(planned) {
		if !block.IsKnown() {
			v.enter(step{key: block})
			v.add("the plan has an unknown value for a block")
			v.leave()
		}
	}
}
