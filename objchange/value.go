package objchange

import "github.com/zclconf/go-cty/cty"

// The functions here look into values without the panics that cty has for
// values of an unexpected kind. What is not there is cty.NilVal, which is null
// and equal to nothing else.

// plain is v without its own marks.
func plain(v cty.Value) cty.Value {
	if v.IsMarked() {
		v, _ = v.Unmark()
	}
	return v
}

// isKnown reports whether there is a value to look into: known and not null.
func isKnown(v cty.Value) bool { return !v.IsNull() && v.IsKnown() }

// attribute is the attribute of an object that is not null; in an unknown
// object it is unknown.
func attribute(v cty.Value, name string) cty.Value {
	if v.IsNull() {
		return cty.NilVal
	}
	ty := v.Type()
	if ty == cty.DynamicPseudoType {
		return cty.DynamicVal
	}
	if !ty.IsObjectType() {
		return cty.NilVal
	}
	if _, ok := ty.AttributeTypes()[name]; !ok {
		return cty.NilVal
	}
	return plain(v.GetAttr(name))
}

// isSequence reports whether v is a known list or tuple.
func isSequence(v cty.Value) bool {
	return isKnown(v) && (v.Type().IsListType() || v.Type().IsTupleType())
}

// isMapping reports whether v is a known map or object.
func isMapping(v cty.Value) bool {
	return isKnown(v) && (v.Type().IsMapType() || v.Type().IsObjectType())
}

// isSet reports whether v is a known set.
func isSet(v cty.Value) bool {
	return isKnown(v) && v.Type().IsSetType()
}

// indexKeys saves the making of a number for each element that is looked up.
var indexKeys = func() (keys [64]cty.Value) {
	for i := range keys {
		keys[i] = cty.NumberIntVal(int64(i))
	}
	return keys
}()

func indexKey(i int) cty.Value {
	if i < len(indexKeys) {
		return indexKeys[i]
	}
	return cty.NumberIntVal(int64(i))
}

// element is the element of a sequence; of an unknown one it is unknown, and where
// there is no such element, NilVal.
func element(v cty.Value, i int) cty.Value {
	switch {
	case isSequence(v):
		if i < v.LengthInt() {
			return plain(v.Index(indexKey(i)))
		}
	case !v.IsKnown() && v.Type().IsListType():
		return cty.UnknownVal(v.Type().ElementType())
	case !v.IsKnown():
		return cty.DynamicVal
	}
	return cty.NilVal
}

// lookup is the element of a mapping; of an unknown one it is unknown, and
// where there is no such element, NilVal.
func lookup(v, key cty.Value) cty.Value {
	switch {
	case isMapping(v) && v.Type().IsObjectType():
		return attribute(v, key.AsString())
	case isMapping(v):
		if v.HasIndex(key).True() {
			return plain(v.Index(key))
		}
	case !v.IsKnown() && v.Type().IsMapType():
		return cty.UnknownVal(v.Type().ElementType())
	case !v.IsKnown():
		return cty.DynamicVal
	}
	return cty.NilVal
}

// elements is the elements of a known collection in cty's order; of anything
// else it is nothing.
func elements(v cty.Value) []cty.Value {
	if !isKnown(v) || !v.CanIterateElements() {
		return nil
	}
	list := v.AsValueSlice()
	for i := range list {
		list[i] = plain(list[i])
	}
	return list
}
