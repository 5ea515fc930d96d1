package lang

import (
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// SensitivePaths is where v has sensitive attributes of the schema, null ones
// too: of each object its own by name, then what is nested in it. Elements of sets are in the paths by value:
// a mark there becomes one of the whole set.
//
// v may be marked; marks play no part.
func SensitivePaths(schema *configschema.Block, v cty.Value) []cty.Path {
	if v == cty.NilVal {
		return nil
	}
	return secretsOf(schema).in(v, nil, nil)
}

// secrets is where objects of a schema have sensitive attributes; nil if nowhere.
type secrets struct {
	attributes []string
	nested     []nestedSecrets
}

// nestedSecrets is an attribute or block that is not sensitive itself but has
// something in it that is.
type nestedSecrets struct {
	name    string
	nesting configschema.NestingMode
	secrets *secrets
}

// allSecrets has those of each schema that was ever used.
var allSecrets sync.Map // *configschema.Block to *secrets

func secretsOf(schema *configschema.Block) *secrets {
	if schema == nil {
		return nil
	}
	if s, ok := allSecrets.Load(schema); ok {
		return s.(*secrets)
	}
	s, _ := allSecrets.LoadOrStore(schema, blockSecrets(schema))
	return s.(*secrets)
}

func blockSecrets(schema *configschema.Block) *secrets {
	s := attributeSecrets(schema.Attributes)
	for _, name := range slices.Sorted(maps.Keys(schema.BlockTypes)) {
		nested := schema.BlockTypes[name]
		s.add(name, nested.Nesting, blockSecrets(&nested.Block))
	}
	return s.orNil()
}

func attributeSecrets(attributes map[string]*configschema.Attribute) *secrets {
	s := &secrets{}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		switch a := attributes[name]; {
		case a.Sensitive:
			s.attributes = append(s.attributes, name)
		case a.NestedType != nil:
			s.add(name, a.NestedType.Nesting, attributeSecrets(a.NestedType.Attributes).orNil())
		}
	}
	return s
}

func (s *secrets) add(name string, nesting configschema.NestingMode, of *secrets) {
	if of != nil {
		s.nested = append(s.nested, nestedSecrets{name, nesting, of})
	}
}

func (s *secrets) orNil() *secrets {
	if len(s.attributes) == 0 && len(s.nested) == 0 {
		return nil
	}
	return s
}

// in is found and the paths in the object v, which is at the path.
func (s *secrets) in(v cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	v, _ = v.Unmark()
	if s == nil || v.IsNull() || !v.IsKnown() {
		return found
	}
	for _, name := range s.attributes {
		if v.Type().HasAttribute(name) {
			found = append(found, at.GetAttr(name))
		}
	}
	for _, nested := range s.nested {
		if v.Type().HasAttribute(nested.name) {
			found = nested.in(v.GetAttr(nested.name), at.GetAttr(nested.name), found)
		}
	}
	return found
}

// in is found and the paths in the objects that v holds in the way of the nesting.
func (n nestedSecrets) in(v cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	v, _ = v.Unmark()
	switch n.nesting {
	case configschema.NestingList, configschema.NestingSet, configschema.NestingMap:
		if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
			return found
		}
		for key, object := range v.Elements() {
			step := at.Index(key)
			if v.Type().IsObjectType() { // blocks in a map whose types are dynamic
				step = at.GetAttr(key.AsString())
			}
			found = n.secrets.in(object, step, found)
		}
		return found
	default:
		return n.secrets.in(v, at, found)
	}
}
