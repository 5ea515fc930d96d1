package lang

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// SensitivePaths is where v has sensitive attributes of the schema, null ones
// too, in the order of their names. Elements of sets are in the paths by value:
// a mark there becomes one of the whole set.
//
// v may be marked; marks play no part.
func SensitivePaths(schema *configschema.Block, v cty.Value) []cty.Path {
	if schema == nil || v == cty.NilVal || !schema.ContainsSensitive() {
		return nil
	}
	v, _ = v.UnmarkDeep()
	s := sensitivePaths{}
	s.block(schema, v, nil)
	return s.found
}

type sensitivePaths struct{ found []cty.Path }

func (s *sensitivePaths) block(schema *configschema.Block, v cty.Value, at cty.Path) {
	if v.IsNull() || !v.IsKnown() {
		return
	}
	s.attributes(schema.Attributes, v, at)
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		nested := schema.BlockTypes[name]
		if !v.Type().HasAttribute(name) || !nested.Block.ContainsSensitive() {
			continue
		}
		eachObject(nested.Nesting, v.GetAttr(name), at.GetAttr(name), func(v cty.Value, at cty.Path) {
			s.block(&nested.Block, v, at)
		})
	}
}

func (s *sensitivePaths) attributes(attributes map[string]*configschema.Attribute, v cty.Value, at cty.Path) {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		attribute := attributes[name]
		if !v.Type().HasAttribute(name) {
			continue
		}
		here := at.GetAttr(name)
		switch {
		case attribute.Sensitive:
			s.found = append(s.found, here)
		case attribute.NestedType.ContainsSensitive():
			eachObject(attribute.NestedType.Nesting, v.GetAttr(name), here, func(v cty.Value, at cty.Path) {
				s.attributes(attribute.NestedType.Attributes, v, at)
			})
		}
	}
}

// eachObject visits the known objects that v holds in the way of the mode.
func eachObject(mode configschema.NestingMode, v cty.Value, at cty.Path, visit func(cty.Value, cty.Path)) {
	if v.IsNull() || !v.IsKnown() {
		return
	}
	switch mode {
	case configschema.NestingList, configschema.NestingSet, configschema.NestingMap:
		if !v.CanIterateElements() {
			return
		}
		for key, object := range v.Elements() {
			step := at.Index(key)
			if v.Type().IsObjectType() { // blocks in a map whose types are dynamic
				step = at.GetAttr(key.AsString())
			}
			if object.IsKnown() && !object.IsNull() {
				visit(object, step)
			}
		}
	default:
		visit(v, at)
	}
}
