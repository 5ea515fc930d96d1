package scenarios_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/configschema"
)

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// parsePath parses a path such as one.many[0].keyed["k"].
func parsePath(text string) (cty.Path, error) {
	if text == "" {
		return cty.Path{}, nil
	}
	traversal, diags := hclsyntax.ParseTraversalAbs([]byte(text), "path", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, fmt.Errorf("read path %s: %w", text, diags)
	}
	path := cty.GetAttrPath(traversal.RootName())
	for _, step := range traversal[1:] {
		switch step := step.(type) {
		case hcl.TraverseAttr:
			path = path.GetAttr(step.Name)
		case hcl.TraverseIndex:
			path = path.Index(step.Key)
		}
	}
	return path, nil
}

// shaped converts v to the type where possible: missing attributes are null. Parts that
// do not match stay unchanged, because scripts send them intentionally.
func shaped(v cty.Value, ty cty.Type) cty.Value {
	switch {
	case v.IsNull():
		return cty.NullVal(ty)
	case v.RawEquals(cty.DynamicVal):
		return cty.UnknownVal(ty)
	case ty == cty.DynamicPseudoType || !v.IsKnown():
		return v
	case ty.IsObjectType() && v.Type().IsObjectType():
		attributes := v.AsValueMap()
		if attributes == nil {
			attributes = map[string]cty.Value{}
		}
		for name, aty := range ty.AttributeTypes() {
			if a, ok := attributes[name]; ok {
				attributes[name] = shaped(a, aty)
			} else {
				attributes[name] = cty.NullVal(aty)
			}
		}
		return cty.ObjectVal(attributes)
	case ty.IsCollectionType() && !ty.IsMapType() && v.CanIterateElements() && !v.Type().IsMapType() && !v.Type().IsObjectType():
		var elements []cty.Value
		for _, e := range v.AsValueSlice() {
			elements = append(elements, shaped(e, ty.ElementType()))
		}
		return collected(ty, elements)
	case ty.IsMapType() && v.CanIterateElements() && (v.Type().IsMapType() || v.Type().IsObjectType()):
		elements := v.AsValueMap()
		for key, e := range elements {
			elements[key] = shaped(e, ty.ElementType())
		}
		return keyed(ty, elements)
	}
	if converted, err := convert.Convert(v, ty); err == nil {
		return converted
	}
	return v
}

// collected returns a list or set if all elements fit, or a tuple, which has the same
// encoding.
func collected(ty cty.Type, elements []cty.Value) cty.Value {
	if len(elements) == 0 {
		if ty.IsSetType() {
			return cty.SetValEmpty(ty.ElementType())
		}
		return cty.ListValEmpty(ty.ElementType())
	}
	for _, e := range elements {
		if !e.Type().Equals(ty.ElementType()) {
			return cty.TupleVal(elements)
		}
	}
	if ty.IsSetType() {
		return cty.SetVal(elements)
	}
	return cty.ListVal(elements)
}

// keyed returns a map if all elements fit, or an object.
func keyed(ty cty.Type, elements map[string]cty.Value) cty.Value {
	if len(elements) == 0 {
		return cty.MapValEmpty(ty.ElementType())
	}
	for _, e := range elements {
		if !e.Type().Equals(ty.ElementType()) {
			return cty.ObjectVal(elements)
		}
	}
	return cty.MapVal(elements)
}

// withSet returns v with the value at the path replaced, or removed if to is
// cty.NilVal. Missing attributes and elements are added.
func withSet(v cty.Value, ty cty.Type, path cty.Path, to cty.Value) (cty.Value, error) {
	if len(path) == 0 {
		return shaped(to, ty), nil
	}
	if v.IsNull() || !v.IsKnown() {
		return cty.NilVal, fmt.Errorf("cannot set a part of a null or unknown value")
	}
	step, rest := path[0], path[1:]
	var key cty.Value
	switch step := step.(type) {
	case cty.GetAttrStep:
		key = cty.StringVal(step.Name)
	case cty.IndexStep:
		key = step.Key
	}
	if key.Type() == cty.Number {
		index, _ := key.AsBigFloat().Int64()
		elements := v.AsValueSlice()
		ety := cty.DynamicPseudoType
		if ty.IsCollectionType() {
			ety = ty.ElementType()
		}
		for int64(len(elements)) <= index {
			elements = append(elements, cty.NullVal(ety))
		}
		if to == cty.NilVal && len(rest) == 0 {
			return collected(ty, slices.Delete(elements, int(index), int(index)+1)), nil
		}
		e, err := withSet(elements[index], ety, rest, to)
		elements[index] = e
		return collected(ty, elements), err
	}
	name := key.AsString()
	elements := v.AsValueMap()
	if elements == nil {
		elements = map[string]cty.Value{}
	}
	ety := cty.DynamicPseudoType
	switch {
	case ty.IsMapType():
		ety = ty.ElementType()
	case ty.IsObjectType() && ty.HasAttribute(name):
		ety = ty.AttributeType(name)
	}
	if to == cty.NilVal && len(rest) == 0 {
		delete(elements, name)
	} else {
		e, ok := elements[name]
		if !ok {
			e = cty.NullVal(ety)
		}
		var err error
		if elements[name], err = withSet(e, ety, rest, to); err != nil {
			return cty.NilVal, err
		}
	}
	if ty.IsMapType() {
		return keyed(ty, elements), nil
	}
	return cty.ObjectVal(elements), nil
}

// loose returns the type to encode v with: ty if v conforms to it, and a type that keeps
// the deviations of v from ty otherwise.
func loose(v cty.Value, ty cty.Type) cty.Type {
	if ty == cty.DynamicPseudoType || len(v.Type().TestConformance(ty)) == 0 {
		return ty
	}
	if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !ty.IsObjectType() {
		return v.Type()
	}
	attributes := map[string]cty.Type{}
	for name, a := range v.AsValueMap() {
		attributes[name] = a.Type()
		if ty.HasAttribute(name) {
			attributes[name] = loose(a, ty.AttributeType(name))
		}
	}
	return cty.Object(attributes)
}

// encoded encodes a value, with the changes that rules make to its bytes.
func encoded(v cty.Value, ty cty.Type, rules []*rule) (*tfplugin.DynamicValue, error) {
	for _, r := range rules {
		switch {
		case r.Absent:
			return nil, nil
		case r.Empty:
			return &tfplugin.DynamicValue{}, nil
		case r.JSON != "":
			return &tfplugin.DynamicValue{JSON: []byte(r.JSON)}, nil
		case r.Bytes != "":
			b, err := hex.DecodeString(r.Bytes)
			return &tfplugin.DynamicValue{MsgPack: b}, err
		}
	}
	b, err := msgpack.Marshal(v, loose(v, ty))
	return &tfplugin.DynamicValue{MsgPack: b}, err
}

// decoded decodes a value of a request; a missing value is null.
func decoded(in *tfplugin.DynamicValue, ty cty.Type) (cty.Value, error) {
	switch {
	case in == nil || in.MsgPack == nil && in.JSON == nil:
		return cty.NullVal(ty), nil
	case in.MsgPack != nil:
		return msgpack.Unmarshal(in.MsgPack, ty)
	}
	return ctyjson.Unmarshal(in.JSON, ty)
}

// fromJSON decodes a stored object: unknown attributes are dropped, missing ones are
// null.
func fromJSON(text []byte, ty cty.Type) (cty.Value, error) {
	if len(text) == 0 || string(text) == "null" {
		return cty.NullVal(ty), nil
	}
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(text, &stored); err != nil {
		return cty.NilVal, err
	}
	for name := range stored {
		if !ty.HasAttribute(name) {
			delete(stored, name)
		}
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return cty.NilVal, err
	}
	return ctyjson.Unmarshal(text, ty)
}

// withComputed returns the correct plan or read of a proposed object: unset computed
// attributes are unknown, write-only attributes are null.
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

// eachObject returns v with change applied to it if it is an object, or to each object of
// the collection v. Null and unknown values are returned as they are.
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

// filled replaces unknown values: a string consists of the names of its attribute and of
// the object, so that it differs between objects.
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

// text returns the string attribute of an object, or "".
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
