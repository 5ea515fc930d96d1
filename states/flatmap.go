package states

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// unknownInFlatmap is the encoding of unknown values in the format of old Terraform versions.
const unknownInFlatmap = "74D93920-ED26-11E3-AC10-0800200C9A66"

// fromFlatmap decodes the attribute format of old Terraform versions: each leaf under its dotted
// path, with the length of a list or set under "#", and that of a map under "%". It ignores attributes that
// the type does not have.
func fromFlatmap(m map[string]string, ty cty.Type) (cty.Value, error) {
	if !ty.IsObjectType() {
		return cty.NilVal, cty.Path(nil).NewErrorf("the flat format supports only objects")
	}
	return flatmap(m).object("", nil, ty.AttributeTypes())
}

type flatmap map[string]string

func (m flatmap) object(prefix string, path cty.Path, types map[string]cty.Type) (cty.Value, error) {
	attrs := make(map[string]cty.Value, len(types))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		v, err := m.value(prefix+name, path.GetAttr(name), types[name])
		if err != nil {
			return cty.NilVal, err
		}
		attrs[name] = v
	}
	return cty.ObjectVal(attrs), nil
}

func (m flatmap) value(key string, path cty.Path, ty cty.Type) (cty.Value, error) {
	switch {
	case ty.IsPrimitiveType():
		return m.primitive(key, path, ty)
	case ty.IsObjectType():
		return m.object(key+".", path, ty.AttributeTypes())
	case ty.IsMapType():
		return m.mapping(key, path, ty.ElementType())
	case ty.IsListType(), ty.IsSetType():
		return m.sequence(key, path, ty)
	default:
		return cty.NilVal, path.NewErrorf("the flat format does not support %s", ty.FriendlyName())
	}
}

func (m flatmap) primitive(key string, path cty.Path, ty cty.Type) (cty.Value, error) {
	text, ok := m[key]
	switch {
	case !ok:
		return cty.NullVal(ty), nil
	case text == unknownInFlatmap:
		return cty.UnknownVal(ty), nil
	}
	v, err := convert.Convert(cty.StringVal(text), ty)
	if err != nil {
		return cty.NilVal, path.NewErrorf("a %s is required", ty.FriendlyName())
	}
	return v, nil
}

// length returns the length under key of a collection of type ty, and cty.NilVal. If the
// length is missing or unknown, it returns a null or unknown collection instead of cty.NilVal.
func (m flatmap) length(key string, path cty.Path, ty cty.Type) (int, cty.Value, error) {
	text, ok := m[key]
	switch {
	case !ok:
		return 0, cty.NullVal(ty), nil
	case text == unknownInFlatmap:
		return 0, cty.UnknownVal(ty), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > len(m) { // each element has at least one key
		return 0, cty.NilVal, path.NewErrorf("the length under %q is invalid", key)
	}
	return n, cty.NilVal, nil
}

func (m flatmap) mapping(key string, path cty.Path, ety cty.Type) (cty.Value, error) {
	_, whole, err := m.length(key+".%", path, cty.Map(ety))
	if err != nil || whole != cty.NilVal {
		return whole, err
	}
	elems := map[string]cty.Value{}
	prefix := key + "."
	for full := range m {
		name, ok := strings.CutPrefix(full, prefix)
		if !ok || name == "%" {
			continue
		}
		if !ety.IsPrimitiveType() {
			return cty.NilVal, path.NewErrorf("the flat format does not support a map of %s", ety.FriendlyName())
		}
		if elems[name], err = m.primitive(full, path.IndexString(name), ety); err != nil {
			return cty.NilVal, err
		}
	}
	if len(elems) == 0 {
		return cty.MapValEmpty(ety), nil
	}
	return cty.MapVal(elems), nil
}

// sequence decodes a list, whose elements are under their indexes, or a set, whose
// elements are under any numbers.
func (m flatmap) sequence(key string, path cty.Path, ty cty.Type) (cty.Value, error) {
	n, whole, err := m.length(key+".#", path, ty)
	if err != nil || whole != cty.NilVal {
		return whole, err
	}
	ety := ty.ElementType()
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	if ty.IsSetType() {
		if names = m.under(key + "."); len(names) != n {
			return cty.NilVal, path.NewErrorf("the length is %d, but there are %d elements", n, len(names))
		}
	}
	elems := make([]cty.Value, len(names))
	for i, name := range names {
		if elems[i], err = m.value(key+"."+name, path.IndexInt(i), ety); err != nil {
			return cty.NilVal, err
		}
	}
	switch {
	case ty.IsSetType() && len(elems) == 0:
		return cty.SetValEmpty(ety), nil
	case ty.IsSetType():
		return cty.SetVal(elems), nil
	case len(elems) == 0:
		return cty.ListValEmpty(ety), nil
	default:
		return cty.ListVal(elems), nil
	}
}

// under returns the sorted names directly below a prefix, except for "#".
func (m flatmap) under(prefix string) []string {
	found := map[string]bool{}
	for full := range m {
		if rest, ok := strings.CutPrefix(full, prefix); ok && rest != "#" {
			name, _, _ := strings.Cut(rest, ".")
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
