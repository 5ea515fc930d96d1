package objchange

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// AssertObjectCompatible reports where actual, what came of a plan, breaks a
// promise that planned, the plan, has made: a known value must be as planned,
// and an unknown one may become any value of its type and range. Here it does
// not matter whether an attribute is computed or configured.
//
// Each violation is a [cty.PathError]; they are sorted by path. All that is
// wrong inside a sensitive attribute is one violation at the attribute.
func AssertObjectCompatible(schema *configschema.Block, planned, actual cty.Value) []error {
	if schema == nil {
		schema = &configschema.Block{}
	}
	var v violations
	v.compatibleBlock(schema, plain(planned), plain(actual))
	return v.errors()
}

// compatibleBlock compares two objects of a block: the root or one nested block.
func (v *violations) compatibleBlock(schema *configschema.Block, planned, actual cty.Value) {
	switch {
	case planned.IsNull() && actual.IsNull():
		return
	case actual.IsNull():
		v.add("there was an object, but now there is none")
		return
	case planned.IsNull():
		v.add("there was no object, but now there is one")
		return
	case actual.IsKnown() && !actual.Type().IsObjectType():
		v.add("there was an object, but now there is a value that is none")
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

// compatibleAttribute compares types, once for all that is inside, then values.
func (v *violations) compatibleAttribute(planned, actual cty.Value) {
	want := planned.Type()
	switch {
	case planned == cty.NilVal || actual == cty.NilVal:
		v.add("the plan or the result lacks the attribute")
	case want == cty.DynamicPseudoType:
		// Null and unknown values without a type promise nothing.
	case want.IsPrimitiveType() && actual.Type() != want,
		!want.IsPrimitiveType() && len(actual.Type().TestConformance(want)) > 0:
		v.add("the value is of another type than planned")
	default:
		v.compatibleValue(planned, actual)
	}
}

// compatibleValue compares values whose types agree.
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
			v.add("the value is outside the range that was planned for it")
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
			v.add("the value is not the planned one")
		}
	}
}

// inRange reports whether an unknown value may become v. Only what refinements
// exclude is outside.
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
			v.add("an element that was planned is gone")
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

// compatibleSet looks for a partner for each element on the other side. Planned
// elements may turn out to be the same, so that the set may shrink, never grow.
// The schema is that of the blocks in the set, or nil for a set of plain values.
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
	if everyoneHasAPartner(want, got, schema) {
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
			v.add("a planned element has nothing that it could have become")
		}
	}
	for _, ok := range found {
		if !ok {
			v.add("there is an element that no planned one could have become")
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
