package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// plannedNestedBlock judges the nested blocks of one type. Blocks are the
// configuration's alone: a provider may neither add nor drop any.
func (v *violations) plannedNestedBlock(at *step, schema *configschema.NestedBlock, prior, config, planned cty.Value) {
	switch {
	case planned.IsNull() && schema.Nesting != configschema.NestingSingle:
		v.add(at, "the plan has a null value in place of blocks, which may be empty but not null")
		return
	case EqualExact(planned, config):
		return
	case !config.IsKnown():
		v.add(at, "the plan has another value than the unknown one that is configured")
		return
	case !planned.IsKnown():
		v.add(at, "the plan has an unknown value in place of blocks")
		return
	}
	switch schema.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		v.plannedBlock(at, &schema.Block, prior, config, planned)
	case configschema.NestingList:
		v.plannedBlockList(at, &schema.Block, prior, config, planned)
	case configschema.NestingMap:
		v.plannedBlockMap(at, &schema.Block, prior, config, planned)
	case configschema.NestingSet:
		v.plannedBlockSet(at, planned)
	default:
		v.add(at, "the schema has no lawful nesting mode")
	}
}

// plannedElement judges one block of a collection.
func (v *violations) plannedElement(at *step, schema *configschema.Block, prior, config, planned cty.Value) {
	if !planned.IsKnown() {
		v.add(at, "the plan has an unknown value in place of a block")
		return
	}
	v.plannedBlock(at, schema, prior, config, planned)
}

func (v *violations) plannedBlockList(at *step, schema *configschema.Block, prior, config, planned cty.Value) {
	if !isSequence(planned) || !config.IsNull() && !isSequence(config) {
		v.add(at, "the plan or the configuration is not a list")
		return
	}
	configured := 0 // a null list of blocks counts as empty
	if !config.IsNull() {
		configured = config.LengthInt()
	}
	if planned.LengthInt() != configured {
		v.addf(at, "the plan has %d blocks where %d are configured", planned.LengthInt(), configured)
		return
	}
	here := step{outer: at}
	for i := range configured {
		here.key = indexKey(i)
		v.plannedElement(&here, schema, element(prior, i), element(config, i), element(planned, i))
	}
}

func (v *violations) plannedBlockMap(at *step, schema *configschema.Block, prior, config, planned cty.Value) {
	if !isMapping(planned) || !config.IsNull() && !isMapping(config) {
		v.add(at, "the plan or the configuration is not a map")
		return
	}
	asObject := planned.Type().IsObjectType()
	configured := 0
	if !config.IsNull() {
		configured = config.LengthInt()
	}
	if !asObject && planned.LengthInt() != configured {
		v.addf(at, "the plan has %d blocks where %d are configured", planned.LengthInt(), configured)
		return
	}
	here := step{outer: at}
	for key, block := range planned.Elements() {
		if asObject {
			here.name = key.AsString()
		} else {
			here.key = key
		}
		wanted := lookup(config, key)
		switch {
		case wanted != cty.NilVal:
			v.plannedElement(&here, schema, lookup(prior, key), wanted, plain(block))
		case asObject:
			v.add(at, "the plan has a block with a key that is not configured")
		default:
			v.add(&here, "the plan has a block with a key that is not configured")
		}
	}
	if isMapping(config) {
		for key := range config.Elements() {
			if lookup(planned, key) == cty.NilVal {
				v.add(at, "the plan lacks a block that is configured")
			}
		}
	}
}

// plannedBlockSet has little to compare, because nothing tells which block of
// the plan is which of the configuration.
func (v *violations) plannedBlockSet(at *step, planned cty.Value) {
	if !isSet(planned) {
		v.add(at, "the plan is not a set")
		return
	}
	if planned.IsWhollyKnown() {
		return
	}
	here := step{outer: at}
	for _, block := range elements(planned) {
		if !block.IsKnown() {
			here.key = block
			v.add(&here, "the plan has an unknown value in place of a block")
		}
	}
}
