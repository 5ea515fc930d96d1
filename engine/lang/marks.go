package lang

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/marks"
)

// Mark is a property of a value that all values derived from it inherit.
type Mark = marks.Mark

// The marks of package marks.
const (
	Sensitive = marks.Sensitive
	Ephemeral = marks.Ephemeral
)

// MarkPaths returns v with the mark at each of the paths. Paths that do not exist in v
// are ignored.
func MarkPaths(v cty.Value, paths []cty.Path, mark Mark) cty.Value {
	if len(paths) == 0 {
		return v
	}
	all := make([]cty.PathValueMarks, len(paths))
	for i, path := range paths {
		all[i] = cty.PathValueMarks{Path: path, Marks: cty.NewValueMarks(mark)}
	}
	return v.MarkWithPaths(all)
}

// UnmarkDeepSensitivePaths returns v without marks, and the sensitive paths. Other
// marks are lost; call [MarkedPaths] first to keep them.
func UnmarkDeepSensitivePaths(v cty.Value) (cty.Value, []cty.PathValueMarks) {
	if !v.ContainsMarked() {
		return v, nil
	}
	plainValue, marked := v.UnmarkDeepWithPaths()
	var sensitive []cty.PathValueMarks
	for _, at := range marked {
		if _, ok := at.Marks[Sensitive]; ok {
			sensitive = append(sensitive, cty.PathValueMarks{Path: at.Path, Marks: cty.NewValueMarks(Sensitive)})
		}
	}
	return plainValue, sensitive
}

// MarkedPaths returns the paths at which v itself has the mark, outermost first.
func MarkedPaths(v cty.Value, mark Mark) []cty.Path {
	if !v.ContainsMarked() {
		return nil
	}
	var paths []cty.Path
	_, marked := v.UnmarkDeepWithPaths()
	for _, at := range marked {
		if _, ok := at.Marks[mark]; ok {
			paths = append(paths, at.Path)
		}
	}
	return paths
}

// Carries reports whether v or anything in it has the mark.
func Carries(v cty.Value, mark Mark) bool {
	if !v.ContainsMarked() {
		return false
	}
	_, all := v.UnmarkDeep()
	_, ok := all[mark]
	return ok
}

// SensitivePaths returns the paths in v of sensitive attributes of the schema,
// including null ones: first those of an object by name, then those nested in it. Paths
// have elements of sets by value; a mark there is a mark of the whole set.
//
// Marks of v are ignored.
func SensitivePaths(schema *configschema.Block, v cty.Value) []cty.Path {
	if v == cty.NilVal {
		return nil
	}
	return secretsOf(schema).in(v, nil, nil)
}

// secrets holds the sensitive attributes of a schema; nil if there are none.
type secrets struct {
	attributes []string
	nested     []nestedSecrets
}

// nestedSecrets is an attribute or block that is not sensitive itself but contains
// sensitive attributes.
type nestedSecrets struct {
	name    string
	nesting configschema.NestingMode
	secrets *secrets
}

var allSecrets schemaCache[secrets]

func secretsOf(schema *configschema.Block) *secrets {
	if schema == nil {
		return nil
	}
	return allSecrets.of(schema, blockSecrets)
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

// in appends the paths in the object v to found; at is the path of v.
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

// in appends the paths in the objects nested in v to found.
func (n nestedSecrets) in(v cty.Value, at cty.Path, found []cty.Path) []cty.Path {
	v, _ = v.Unmark()
	switch n.nesting {
	case configschema.NestingList, configschema.NestingSet, configschema.NestingMap:
		if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
			return found
		}
		for key, object := range v.Elements() {
			step := at.Index(key)
			if v.Type().IsObjectType() { // blocks in a map with dynamic types
				step = at.GetAttr(key.AsString())
			}
			found = n.secrets.in(object, step, found)
		}
		return found
	default:
		return n.secrets.in(v, at, found)
	}
}
