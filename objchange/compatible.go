package objchange

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// AssertObjectCompatible returns an error for each value of actual, the result
// of an apply, that contradicts planned, the plan: a known value must be as
// planned, and an unknown value may become any value of its type and range. The
// same rules apply to computed and configured attributes.
//
// Each error is a [cty.PathError]; they are sorted by path. Violations inside a
// sensitive attribute of a block are one error at the attribute.
func AssertObjectCompatible(schema *configschema.Block, planned, actual cty.Value) []error {
	if schema == nil {
		schema = &configschema.Block{}
	}
	var v violations
	v.compatibleBlock(schema, plain(planned), plain(actual))
	return v.errors()
}

// compatibleBlock compares two objects of a block: the root or a nested block.
func (v *violations) compatibleBlock(schema *configschema.Block, planned, actual cty.Value) {
	switch {
	case planned.IsNull() && actual.IsNull():
		return
	case actual.IsNull():
		v.add("the object is missing")
		return
	case planned.IsNull():
		v.add("there is an object, which was not planned")
		return
	case actual.IsKnown() && !actual.Type().IsObjectType():
		v.add("the value is not an object")
		return
	}
	for name, attr := range schema.Attributes {
		if attr == nil || v.done() {
			continue
		}
		from := len(v.found)
		v.enter(step{name: name})
		v.compatibleAttribute(attribute(planned, name), attribute(actual, name))
		if attr.Sensitive {
			v.collapse(from, "the value of a sensitive attribute is not as planned")
		}
		v.leave()
	}
	for name, nested := range schema.BlockTypes {
		if nested == nil || v.done() {
			continue
		}
		v.enter(step{name: name})
		v.compatibleNestedBlock(nested, attribute(planned, name), attribute(actual, name))
		v.leave()
	}
}

// compatibleAttribute compares the types of two values, then the values.
func (v *violations) compatibleAttribute(planned, actual cty.Value) {
	want := planned.Type()
	switch {
	case planned == cty.NilVal || actual == cty.NilVal:
		v.add("the plan or the result does not have the attribute")
	case want == cty.DynamicPseudoType:
		// A planned null or unknown value without a type matches everything.
	case want.IsPrimitiveType() && actual.Type() != want,
		!want.IsPrimitiveType() && len(actual.Type().TestConformance(want)) > 0:
		v.add("the value does not have the planned type")
	default:
		v.compatibleValue(planned, actual)
	}
}

// compatibleValue compares values whose types are equal, except for dynamic parts of the planned
// type.
func (v *violations) compatibleValue(planned, actual cty.Value) {
	if v.done() {
		return
	}
	ty := planned.Type()
	switch {
	case ty == cty.DynamicPseudoType:
		return
	case !planned.IsKnown():
		if !inRange(planned, actual) {
			v.add("the value is outside the planned range")
		}
		return
	case planned.IsNull():
		if !actual.IsNull() {
			v.add("the value was planned to be null, but now is " + describe(actual))
		}
		return
	case !isKnown(actual):
		v.add("the value was planned to be known, but now is " + describe(actual))
		return
	}
	switch {
	case ty.IsObjectType():
		v.compatibleObject(planned, actual)
	case ty.IsTupleType(), ty.IsListType():
		v.compatibleSequence(planned, actual)
	case ty.IsMapType():
		v.compatibleMap(planned, actual)
	case ty.IsSetType():
		v.compatibleSet(planned, actual, nil)
	default:
		if !EqualExact(planned, actual) {
			v.add("the value differs from the plan")
		}
	}
}

// inRange reports whether an unknown value may become v. Only refinements
// exclude values.
func inRange(unknown, v cty.Value) bool {
	if unknown.RawEquals(cty.UnknownVal(unknown.Type())) {
		return true
	}
	includes := unknown.Range().Includes(v)
	return !includes.IsKnown() || includes.True()
}

func (v *violations) compatibleObject(planned, actual cty.Value) {
	for name := range planned.Type().AttributeTypes() {
		v.enter(step{name: name})
		v.compatibleValue(attribute(planned, name), attribute(actual, name))
		v.leave()
	}
}

func (v *violations) compatibleSequence(planned, actual cty.Value) {
	if sameMemory(planned, actual) {
		return
	}
	n, m := planned.LengthInt(), actual.LengthInt()
	if n != m {
		v.addCounts("the plan has %s, the result %d", n, "element", m)
	}
	for i := range min(n, m) {
		v.enter(step{key: indexKey(i)})
		v.compatibleValue(element(planned, i), element(actual, i))
		v.leave()
	}
}

func (v *violations) compatibleMap(planned, actual cty.Value) {
	if sameMemory(planned, actual) || planned.RawEquals(actual) {
		return
	}
	for key, want := range planned.Elements() {
		got := lookup(actual, key)
		if got == cty.NilVal {
			v.add("a planned element is missing")
			continue
		}
		v.enter(step{key: key})
		v.compatibleValue(plain(want), got)
		v.leave()
	}
	for key := range actual.Elements() {
		if lookup(planned, key) == cty.NilVal {
			v.add("there is an element that was not planned")
		}
	}
}

// compatibleSet checks that each element of either set has a match in the other.
// Planned elements may become equal, so the set may shrink but not grow.
// The schema is that of the blocks in the set, or nil for a set of plain
// values.
func (v *violations) compatibleSet(planned, actual cty.Value, schema *configschema.Block) {
	if sameMemory(planned, actual) {
		return
	}
	want, got := elements(planned), elements(actual)
	if slices.EqualFunc(want, got, EqualExact) {
		return // equal sets have their elements in the same order
	}
	if len(got) > len(want) {
		v.addCounts("the plan has %s, the result %d", len(want), "element", len(got))
	}
	if matchByKey(want, got, schema) {
		return
	}
	wanted, found := make([]bool, len(want)), make([]bool, len(got))
	for i, w := range want {
		for j, g := range got {
			if (!wanted[i] || !found[j]) && compatibleElements(w, g, schema) {
				wanted[i], found[j] = true, true
			}
		}
		if !wanted[i] {
			v.add("no element matches a planned element")
		}
	}
	for _, ok := range found {
		if !ok {
			v.add("an element matches no planned element")
		}
	}
}

func compatibleElements(planned, actual cty.Value, schema *configschema.Block) bool {
	probe := violations{probe: true}
	if schema != nil {
		probe.compatibleBlock(schema, planned, actual)
	} else {
		probe.compatibleValue(planned, actual)
	}
	return !probe.failed
}

// compatibleNestedBlock compares the nested blocks of one type. As in Terraform, it skips
// most null and unknown collections. For computed blocks, which may be unknown in a plan, it
// rejects a null collection in the result, and checks whether the result is in the range of an
// unknown plan.
func (v *violations) compatibleNestedBlock(schema *configschema.NestedBlock, planned, actual cty.Value) {
	switch {
	case !schema.Computed:
	case actual.IsNull() && schema.Nesting != configschema.NestingSingle:
		v.add("the result has a null value for blocks, which may be empty but not null")
		return
	case !planned.IsKnown():
		v.compatibleValue(planned, actual)
		return
	}
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

// compatibleBlockMap compares the blocks with equal keys. It also compares the keys of
// a map with dynamic types, which is an object, but only the length of other maps.
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
