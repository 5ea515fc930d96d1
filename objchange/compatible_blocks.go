package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// compatibleNestedBlock compares the nested blocks of one type. Null and
// unknown collections are violations of the plan; as in Terraform, most of them
// are skipped here.
func (v *violations) compatibleNestedBlock(schema *configschema.NestedBlock, planned, actual cty.Value) {
	switch schema.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		if !planned.IsKnown() && actual.IsNull() {
			return
		}
		v.compatibleBlock(&schema.Block, planned, actual)
	case configschema.NestingList:
		if isSequence(planned) && isSequence(actual) {
			v.compatibleBlockList(&schema.Block, planned, actual)
		}
	case configschema.NestingMap:
		if isKnown(planned) && !actual.IsNull() {
			v.compatibleBlockMap(&schema.Block, planned, actual)
		}
	case configschema.NestingSet:
		if isSet(planned) && isSet(actual) {
			v.compatibleSet(planned, actual, &schema.Block)
		}
	default:
		v.add("the schema has an invalid nesting mode")
	}
}

func (v *violations) compatibleBlockList(schema *configschema.Block, planned, actual cty.Value) {
	n, m := planned.LengthInt(), actual.LengthInt()
	if n != m {
		v.addCounts("the plan has %s, the result %d", n, "block", m)
		return
	}
	for i := range n {
		v.enter(step{key: indexKey(i)})
		v.compatibleBlock(schema, element(planned, i), element(actual, i))
		v.leave()
	}
}

// compatibleBlockMap compares the keys of a map with dynamic types, which is an
// object, but only the length of other maps.
func (v *violations) compatibleBlockMap(schema *configschema.Block, planned, actual cty.Value) {
	if !isMapping(planned) || !isMapping(actual) {
		v.add("the plan or the result is not a known map")
		return
	}
	asObject := planned.Type().IsObjectType()
	if n, m := planned.LengthInt(), actual.LengthInt(); !asObject && n != m {
		v.addCounts("the plan has %s, the result %d", n, "block", m)
		return
	}
	for key, want := range planned.Elements() {
		got := lookup(actual, key)
		if got == cty.NilVal {
			if asObject {
				v.add("a planned block is missing")
			}
			continue
		}
		at := step{key: key}
		if asObject {
			at = step{name: key.AsString()}
		}
		v.enter(at)
		v.compatibleBlock(schema, plain(want), got)
		v.leave()
	}
	if !asObject {
		return
	}
	for key := range actual.Elements() {
		if lookup(planned, key) == cty.NilVal {
			v.add("there is a block that was not planned")
		}
	}
}
