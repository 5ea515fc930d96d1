package wrong

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// withComputed is what a well-behaved provider plans or reads: what was proposed,
// where computed attributes without a value are not known and write-only ones
// have none.
func withComputed(block *configschema.Block, v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	attributes := v.AsValueMap()
	for name, a := range block.Attributes {
		attributes[name] = computedAttribute(a, attributes[name])
	}
	for name, nested := range block.BlockTypes {
		attributes[name] = eachObject(attributes[name], func(e cty.Value) cty.Value { return withComputed(&nested.Block, e) })
	}
	if len(attributes) == 0 {
		return v
	}
	return cty.ObjectVal(attributes)
}

func computedAttribute(a *configschema.Attribute, v cty.Value) cty.Value {
	if a.WriteOnly {
		return cty.NullVal(v.Type())
	}
	if v.IsNull() {
		if a.Computed {
			return cty.UnknownVal(v.Type())
		}
		return v
	}
	if a.NestedType == nil {
		return v
	}
	return eachObject(v, func(e cty.Value) cty.Value {
		if e.IsNull() || !e.IsKnown() || e.LengthInt() == 0 {
			return e
		}
		attributes := e.AsValueMap()
		for name, inner := range a.NestedType.Attributes {
			attributes[name] = computedAttribute(inner, attributes[name])
		}
		return cty.ObjectVal(attributes)
	})
}

// eachObject changes an object, or each object of a collection.
func eachObject(v cty.Value, change func(cty.Value) cty.Value) cty.Value {
	ty := v.Type()
	switch {
	case v.IsNull() || !v.IsKnown():
		return v
	case ty.IsObjectType():
		return change(v)
	case ty.IsMapType():
		elements := v.AsValueMap()
		for key, e := range elements {
			elements[key] = change(e)
		}
		return keyed(ty, elements)
	case ty.IsListType() || ty.IsSetType():
		elements := v.AsValueSlice()
		for i, e := range elements {
			elements[i] = change(e)
		}
		return collected(ty, elements)
	}
	return v
}

// filled has a value for all that is not known: strings are named after their
// attribute and the object, so that each object has its own.
func filled(v cty.Value, object string) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		attribute := "value"
		for _, step := range path {
			if step, ok := step.(cty.GetAttrStep); ok {
				attribute = step.Name
			}
		}
		return made(v.Type(), attribute, object), nil
	})
	if err != nil {
		return v
	}
	return out
}

func made(ty cty.Type, attribute, object string) cty.Value {
	switch {
	case ty == cty.String || ty == cty.DynamicPseudoType:
		return cty.StringVal(attribute + "-of-" + object)
	case ty == cty.Number:
		return cty.NumberIntVal(1)
	case ty == cty.Bool:
		return cty.True
	case ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	case ty.IsMapType():
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsObjectType():
		attributes := map[string]cty.Value{}
		for name, aty := range ty.AttributeTypes() {
			attributes[name] = made(aty, name, object)
		}
		return cty.ObjectVal(attributes)
	}
	return cty.NullVal(ty)
}

// text is the string at an attribute of an object, "" where there is none.
func text(v cty.Value, attribute string) string {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !v.Type().HasAttribute(attribute) {
		return ""
	}
	a := v.GetAttr(attribute)
	if a.IsNull() || !a.IsKnown() || a.Type() != cty.String {
		return ""
	}
	return a.AsString()
}
