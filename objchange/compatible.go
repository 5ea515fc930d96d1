package objchange

import (
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
	v.compatibleBlock(nil, schema, plain(planned), plain(actual))
	return v.errors()
}

// compatibleBlock compares two objects of a block: the root or one nested block.
func (v *violations) compatibleBlock(at *step, schema *configschema.Block, planned, actual cty.Value) {
	switch {
	case planned.IsNull() && actual.IsNull():
		return
	case actual.IsNull():
		v.add(at, "there was an object, but now there is none")
		return
	case planned.IsNull():
		v.add(at, "there was no object, but now there is one")
		return
	}
	here := step{outer: at} // outside the loops, so that it stays on the stack
	for name, attr := range schema.Attributes {
		if attr == nil {
			continue
		}
		if v.done() {
			return
		}
		here.name = name
		from := len(v.found)
		v.compatibleAttribute(&here, attribute(planned, name), attribute(actual, name))
		if attr.Sensitive {
			v.collapse(from, &here, "the value of a sensitive attribute is not as planned")
		}
	}
	for name, nested := range schema.BlockTypes {
		if nested == nil {
			continue
		}
		if v.done() {
			return
		}
		here.name = name
		v.compatibleNestedBlock(&here, nested, attribute(planned, name), attribute(actual, name))
	}
}

// compatibleAttribute compares types, once for all that is inside, then values.
func (v *violations) compatibleAttribute(at *step, planned, actual cty.Value) {
	want := planned.Type()
	switch {
	case planned == cty.NilVal || actual == cty.NilVal:
		v.add(at, "the plan or the result lacks the attribute")
	case want == cty.DynamicPseudoType:
		// Null and unknown values without a type promise nothing.
	case want.IsPrimitiveType() && actual.Type() != want,
		!want.IsPrimitiveType() && len(actual.Type().TestConformance(want)) > 0:
		v.add(at, "the value is of another type than planned")
	default:
		v.compatibleValue(at, planned, actual)
	}
}

// compatibleValue compares values whose types agree.
func (v *violations) compatibleValue(at *step, planned, actual cty.Value) {
	if v.done() {
		return
	}
	ty := planned.Type()
	switch {
	case ty == cty.DynamicPseudoType:
		return
	case !planned.IsKnown():
		if !inRange(planned, actual) {
			v.add(at, "the value is outside the range that was planned for it")
		}
		return
	case planned.IsNull():
		if !actual.IsNull() {
			v.add(at, "the value was planned to be null, but now is "+describe(actual))
		}
		return
	case !isKnown(actual):
		v.add(at, "the value was planned to be known, but now is "+describe(actual))
		return
	}
	switch {
	case ty.IsObjectType():
		v.compatibleObject(at, planned, actual)
	case ty.IsTupleType(), ty.IsListType():
		v.compatibleSequence(at, planned, actual)
	case ty.IsMapType():
		v.compatibleMap(at, planned, actual)
	case ty.IsSetType():
		v.compatibleSet(at, planned, actual, nil)
	default:
		if !EqualExact(planned, actual) {
			v.add(at, "the value is not the planned one")
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

func (v *violations) compatibleObject(at *step, planned, actual cty.Value) {
	here := step{outer: at}
	for name := range planned.Type().AttributeTypes() {
		here.name = name
		v.compatibleValue(&here, attribute(planned, name), attribute(actual, name))
	}
}

func (v *violations) compatibleSequence(at *step, planned, actual cty.Value) {
	if sameMemory(planned, actual) {
		return
	}
	n, m := planned.LengthInt(), actual.LengthInt()
	if n != m {
		v.addf(at, "%d elements were planned, but now there are %d", n, m)
	}
	here := step{outer: at}
	for i := range min(n, m) {
		here.key = indexKey(i)
		v.compatibleValue(&here, element(planned, i), element(actual, i))
	}
}

func (v *violations) compatibleMap(at *step, planned, actual cty.Value) {
	if sameMemory(planned, actual) || planned.RawEquals(actual) {
		return
	}
	here := step{outer: at}
	for key, want := range planned.Elements() {
		here.key = key
		if got := lookup(actual, key); got != cty.NilVal {
			v.compatibleValue(&here, plain(want), got)
		} else {
			v.add(at, "an element that was planned is gone")
		}
	}
	for key := range actual.Elements() {
		if lookup(planned, key) == cty.NilVal {
			v.add(at, "there is an element that was not planned")
		}
	}
}

// compatibleSet looks for a partner for each element on the other side. Planned
// elements may turn out to be the same, so that the set may shrink, never grow.
// The schema is that of the blocks in the set, or nil for a set of plain values.
func (v *violations) compatibleSet(at *step, planned, actual cty.Value, schema *configschema.Block) {
	if EqualExact(planned, actual) {
		return
	}
	want, got := elements(planned), elements(actual)
	if len(got) > len(want) {
		v.addf(at, "%d elements were planned, but now there are %d", len(want), len(got))
	}
	wanted, found := make([]bool, len(want)), make([]bool, len(got))
	for i, w := range want {
		for j, g := range got {
			if (!wanted[i] || !found[j]) && compatibleElements(w, g, schema) {
				wanted[i], found[j] = true, true
			}
		}
		if !wanted[i] {
			v.add(at, "a planned element has nothing that it could have become")
		}
	}
	for _, ok := range found {
		if !ok {
			v.add(at, "there is an element that no planned one could have become")
		}
	}
}

func compatibleElements(planned, actual cty.Value, schema *configschema.Block) bool {
	probe := violations{probe: true}
	if schema != nil {
		probe.compatibleBlock(nil, schema, planned, actual)
	} else {
		probe.compatibleValue(nil, planned, actual)
	}
	return !probe.failed
}
