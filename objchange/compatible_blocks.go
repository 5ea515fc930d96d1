package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// compatibleNestedBlock compares the nested blocks of one type. Collections that
// are null or unknown come from unlawful plans, which are judged as plans; here
// most of them are skipped, as in Terraform.
func (v *violations) compatibleNestedBlock(at *step, schema *configschema.NestedBlock, planned, actual cty.Value) {
	switch schema.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		if !planned.IsKnown() && actual.IsNull() {
			return
		}
		v.compatibleBlock(at, &schema.Block, planned, actual)
	case configschema.NestingList:
		if isSequence(planned) && isSequence(actual) {
			v.compatibleBlockList(at, &schema.Block, planned, actual)
		}
	case configschema.NestingMap:
		if isKnown(planned) && !actual.IsNull() {
			v.compatibleBlockMap(at, &schema.Block, planned, actual)
		}
	case configschema.NestingSet:
		if isSet(planned) && isSet(actual) {
			v.compatibleSet(at, planned, actual, &schema.Block)
		}
	default:
		v.add(at, "the schema has no lawful nesting mode")
	}
}

func (v *violations) compatibleBlockList(at *step, schema *configschema.Block, planned, actual cty.Value) {
	n, m := planned.LengthInt(), actual.LengthInt()
	if n != m {
		v.addf(at, "%d blocks were planned, but now there are %d", n, m)
		return
	}
	here := step{outer: at}
	for i := range n {
		here.key = indexKey(i)
		v.compatibleBlock(&here, schema, element(planned, i), element(actual, i))
	}
}

// compatibleBlockMap has the keys of a map that is an object because of its
// dynamic types compared; of an ordinary map, only their number.
func (v *violations) compatibleBlockMap(at *step, schema *configschema.Block, planned, actual cty.Value) {
	if !isMapping(planned) || !isMapping(actual) {
		v.add(at, "the plan or the result is not a known map")
		return
	}
	asObject := planned.Type().IsObjectType()
	if n, m := planned.LengthInt(), actual.LengthInt(); !asObject && n != m {
		v.addf(at, "%d blocks were planned, but now there are %d", n, m)
		return
	}
	here := step{outer: at}
	for key, want := range planned.Elements() {
		if asObject {
			here.name = key.AsString()
		} else {
			here.key = key
		}
		if got := lookup(actual, key); got != cty.NilVal {
			v.compatibleBlock(&here, schema, plain(want), got)
		} else if asObject {
			v.add(at, "a block that was planned is gone")
		}
	}
	if !asObject {
		return
	}
	for key := range actual.Elements() {
		if lookup(planned, key) == cty.NilVal {
			v.add(at, "there is a block that was not planned")
		}
	}
}
