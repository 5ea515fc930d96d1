package objchange

import "github.com/zclconf/go-cty/cty"

// The functions in this file access parts of values without the panics of cty for
// values of an unexpected kind. They return cty.NilVal for a value that does not
// exist; NilVal is null and not equal to any other value.

// plain returns v without its own marks.
func plain(v cty.Value) cty.Value {
	if v.IsMarked() {
		v, _ = v.Unmark()
	}
	return v
}

// isKnown reports whether v is known and not null.
func isKnown(v cty.Value) bool { return !v.IsNull() && v.IsKnown() }

// attribute returns an attribute of an object. The attributes of a null object
// are null, and those of an unknown object are unknown.
func attribute(v cty.Value, name string) cty.Value {
	if v == cty.NilVal {
		return v
	}
	ty := v.Type()
	if ty == cty.DynamicPseudoType && !v.IsNull() {
		return cty.DynamicVal
	}
	if !ty.IsObjectType() {
		return cty.NilVal
	}
	attrType, ok := ty.AttributeTypes()[name]
	switch {
	case !ok:
		return cty.NilVal
	case v.IsNull():
		return cty.NullVal(attrType)
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

// indexKeys has the first index keys, to avoid allocations.
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

// element returns an element of a sequence: unknown if the sequence is, NilVal
// if the element does not exist.
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

// lookup returns an element of a mapping: unknown if the mapping is, NilVal if
// the element does not exist.
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

// elements returns the elements of a known collection, tuple or object in the order of
// cty, or nothing for other values.
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
