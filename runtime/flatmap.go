package runtime

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// flatmapObject converts a state of Terraform 0.11 or older, in which every value is
// a string with a dotted key, to a JSON object. Only the attributes in types can be
// recognised in that form; others are dropped.
func flatmapObject(flat map[string]string, types map[string]cty.Type) ([]byte, error) {
	object := make(map[string]any, len(types))
	for name, ty := range types {
		v, ok, err := flatValue(flat, name, ty)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if ok {
			object[name] = v
		}
	}
	return json.Marshal(object)
}

// unknownInFlatmap stands for an unknown value in a state of Terraform 0.11 or older.
const unknownInFlatmap = "74D93920-ED26-11E3-AC10-0800200C9A66"

func flatValue(flat map[string]string, key string, ty cty.Type) (any, bool, error) {
	switch {
	case ty.IsPrimitiveType():
		text, ok := flat[key]
		if !ok || text == unknownInFlatmap {
			return nil, false, nil
		}
		v, err := flatPrimitive(text, ty)
		return v, err == nil, err
	case ty.IsListType():
		return flatList(flat, key, ty.ElementType())
	case ty.IsSetType():
		return flatSet(flat, key, ty.ElementType())
	case ty.IsMapType():
		return flatMap(flat, key, ty.ElementType())
	case ty.IsObjectType():
		return flatFields(flat, key, ty)
	default:
		for k := range flat {
			if k == key || strings.HasPrefix(k, key+".") {
				return nil, false, fmt.Errorf("a state of Terraform 0.11 or older cannot have a value of type %s", ty.FriendlyName())
			}
		}
		return nil, false, nil // the attribute is newer than the state
	}
}

func flatPrimitive(text string, ty cty.Type) (any, error) {
	switch ty {
	case cty.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("the stored value is not a bool")
		}
		return b, nil
	case cty.Number:
		if _, err := cty.ParseNumberVal(text); err != nil {
			return nil, fmt.Errorf("the stored value is not a number")
		}
		return json.Number(text), nil
	default:
		return text, nil
	}
}

func flatList(flat map[string]string, key string, elem cty.Type) (any, bool, error) {
	text, ok := flat[key+".#"]
	if !ok || text == unknownInFlatmap {
		return nil, false, nil
	}
	length, err := strconv.Atoi(text)
	if err != nil || length < 0 || length > len(flat) {
		return nil, false, fmt.Errorf("the stored length of a list is not a valid number")
	}
	list := make([]any, length)
	for i := range list {
		if list[i], _, err = flatValue(flat, key+"."+strconv.Itoa(i), elem); err != nil {
			return nil, false, err
		}
	}
	return list, true, nil
}

// flatSet returns the elements of a set, whose keys have hashes in place of indices.
func flatSet(flat map[string]string, key string, elem cty.Type) (any, bool, error) {
	if text, ok := flat[key+".#"]; !ok || text == unknownInFlatmap {
		return nil, false, nil
	}
	set := []any{}
	for _, hash := range flatKeys(flat, key+".", true) {
		v, _, err := flatValue(flat, key+"."+hash, elem)
		if err != nil {
			return nil, false, err
		}
		set = append(set, v)
	}
	return set, true, nil
}

func flatMap(flat map[string]string, key string, elem cty.Type) (any, bool, error) {
	if text, ok := flat[key+".%"]; !ok || text == unknownInFlatmap {
		return nil, false, nil
	}
	m := map[string]any{}
	for _, k := range flatKeys(flat, key+".", !elem.IsPrimitiveType()) {
		v, _, err := flatValue(flat, key+"."+k, elem)
		if err != nil {
			return nil, false, err
		}
		m[k] = v
	}
	return m, true, nil
}

func flatFields(flat map[string]string, key string, ty cty.Type) (any, bool, error) {
	m := map[string]any{}
	for name, attr := range ty.AttributeTypes() {
		v, ok, err := flatValue(flat, key+"."+name, attr)
		if err != nil {
			return nil, false, err
		}
		if ok {
			m[name] = v
		}
	}
	return m, len(m) > 0, nil
}

// flatKeys returns the keys after prefix, up to the next dot if elements have parts,
// sorted and without the count.
func flatKeys(flat map[string]string, prefix string, parts bool) []string {
	var keys []string
	for k := range flat {
		rest, ok := strings.CutPrefix(k, prefix)
		if !ok || rest == "#" || rest == "%" {
			continue
		}
		if parts {
			rest, _, _ = strings.Cut(rest, ".")
		}
		keys = append(keys, rest)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
