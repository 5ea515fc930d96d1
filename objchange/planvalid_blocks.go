package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// plannedNestedBlock checks the nested blocks of one type. Only the
// configuration decides which blocks exist: a provider must not add or remove
// any.
func (v *violations) plannedNestedBlock(schema *configschema.NestedBlock, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull() && schema.Nesting != configschema.NestingSingle:
		v.add("the plan has a null value for blocks, which may be empty but not null")
		return
	case EqualExact(planned, config):
		return
	case !config.IsKnown():
		v.add("the plan differs from the unknown value in the configuration")
		return
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

// plannedBlockSet compares little, because blocks of the plan cannot be matched
// to blocks of the configuration.
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
