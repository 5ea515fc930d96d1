// Package shapes has resource types that differ in one respect each, to measure what the
// shape of an object costs the engine: the number of attributes, a nested attribute, a list,
// a write-only or sensitive attribute, an identity, private data.
//
// Objects exist only in the state, so that the engine does nearly all the work of a run.
package shapes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/floor"
)

// Shape is a resource type.
type Shape struct {
	// Name describes in a few words how the type differs from the first.
	Name string
	// Config has the lines of a resource block that set the additional attributes.
	Config string

	attributes []*tfplugin.SchemaAttribute
	identity   []*tfplugin.ResourceIdentitySchemaAttribute
	private    []byte
}

// more is the number of additional attributes, at the top level or nested, in the shapes
// that have several of them.
const more = 12

// All returns the shapes. The first is the file of package bench, with its 6 attributes.
func All() []Shape {
	text := func(name string) *tfplugin.SchemaAttribute {
		return &tfplugin.SchemaAttribute{Name: name, Type: tftypes.String, Optional: true}
	}
	several := func(n int) []*tfplugin.SchemaAttribute {
		var out []*tfplugin.SchemaAttribute
		for i := range n {
			out = append(out, text(fmt.Sprintf("setting_%02d", i)))
		}
		return out
	}
	set := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  setting_%02d = \"value\"\n", i)
		}
		return b.String()
	}
	nested := func() []*tfplugin.SchemaAttribute {
		return []*tfplugin.SchemaAttribute{{
			Name: "settings", Optional: true,
			NestedType: &tfplugin.SchemaObject{Nesting: tfplugin.SchemaObjectNestingModeSingle, Attributes: several(more)},
		}}
	}
	marked := func(mark func(*tfplugin.SchemaAttribute)) []*tfplugin.SchemaAttribute {
		a := text("secret")
		mark(a)
		return []*tfplugin.SchemaAttribute{a}
	}
	writeOnly := func(a *tfplugin.SchemaAttribute) { a.WriteOnly = true }
	sensitive := func(a *tfplugin.SchemaAttribute) { a.Sensitive = true }
	identity := func(names ...string) []*tfplugin.ResourceIdentitySchemaAttribute {
		var out []*tfplugin.ResourceIdentitySchemaAttribute
		for _, name := range names {
			out = append(out, &tfplugin.ResourceIdentitySchemaAttribute{Name: name, Type: tftypes.String, RequiredForImport: true})
		}
		return out
	}
	return []Shape{
		{Name: "6 attributes"},
		{Name: "1 more, null", attributes: several(1)},
		{Name: "12 more, null", attributes: several(more)},
		{Name: "12 more, set", attributes: several(more), Config: set(more)},
		{Name: "a nested attribute with 12, null", attributes: nested()},
		{Name: "a nested attribute with 12, set", attributes: nested(), Config: "  settings = {\n" + set(more) + "  }\n"},
		{Name: "a list of strings, null", attributes: []*tfplugin.SchemaAttribute{
			{Name: "arguments", Type: tftypes.List{ElementType: tftypes.String}, Optional: true},
		}},
		{Name: "a write-only string, null", attributes: marked(writeOnly)},
		{Name: "a write-only string, set", attributes: marked(writeOnly), Config: "  secret = \"value\"\n"},
		{Name: "a sensitive string, null", attributes: marked(sensitive)},
		{Name: "a sensitive string, set", attributes: marked(sensitive), Config: "  secret = \"value\"\n"},
		{Name: "an identity of 1 attribute", identity: identity("path")},
		{Name: "an identity of 2 attributes", identity: identity("content", "path")},
		{Name: "100 bytes of private data", private: []byte(strings.Repeat("p", 100))},
		{Name: "1,000 bytes of private data", private: []byte(strings.Repeat("p", 1000))},
	}
}

// TypeName returns the name of the i-th shape's resource type.
func TypeName(i int) string { return fmt.Sprintf("bench_shape_%02d", i) }

// New returns a provider of all shapes.
func New() *floor.Server {
	s := &floor.Server{
		Schemas: &tfplugin.GetProviderSchemaResponse{
			Provider:           &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
			ResourceSchemas:    map[string]*tfplugin.Schema{},
			ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
		},
		Identities: &tfplugin.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfplugin.ResourceIdentitySchema{}},
		Kinds:      map[string]*floor.Kind{},
	}
	for i, shape := range All() {
		shape.register(s, TypeName(i))
	}
	return s
}

func (shape Shape) register(s *floor.Server, name string) {
	schema := floor.FileSchema()
	schema.Block.Attributes = append(schema.Block.Attributes, shape.attributes...)
	s.Schemas.ResourceSchemas[name] = schema
	types := maps.Clone(floor.FileType().AttributeTypes())
	maps.Copy(types, attributeTypes(shape.attributes))
	hidden := slices.Collect(func(yield func(string) bool) {
		for _, a := range shape.attributes {
			if a.WriteOnly && !yield(a.Name) {
				return
			}
		}
	})
	kind := &floor.Kind{
		Type: cty.Object(types), Key: "path", Private: shape.private,
		Create: complete(hidden), Update: func(_, proposed cty.Value) cty.Value { return complete(hidden)(proposed) },
		Read:   func(_ *disk.Files, prior cty.Value) (cty.Value, error) { return prior, nil },
		Write:  func(_ *disk.Files, planned cty.Value) (cty.Value, error) { return planned, nil },
		Remove: func(*disk.Files, cty.Value) error { return nil },
	}
	if len(shape.identity) > 0 {
		s.Identities.IdentitySchemas[name] = &tfplugin.ResourceIdentitySchema{IdentityAttributes: shape.identity}
		identity := map[string]cty.Type{}
		for _, a := range shape.identity {
			identity[a.Name] = cty.String
		}
		kind.IdentityType = cty.Object(identity)
		kind.Identity = func(state cty.Value) cty.Value {
			values := state.AsValueMap()
			maps.DeleteFunc(values, func(name string, _ cty.Value) bool { return !kind.IdentityType.HasAttribute(name) })
			return cty.ObjectVal(values)
		}
	}
	s.Kinds[name] = kind
}

// complete returns a function that sets the computed attributes, and sets the write-only
// attributes, whose names are in hidden, to null.
func complete(hidden []string) func(cty.Value) cty.Value {
	return func(proposed cty.Value) cty.Value {
		attrs := proposed.AsValueMap()
		attrs["mode"] = cty.StringVal("0644")
		attrs["size"] = cty.NumberIntVal(int64(len(attrs["content"].AsString())))
		attrs["exists"] = cty.True
		for _, name := range hidden {
			attrs[name] = cty.NullVal(cty.String)
		}
		return cty.ObjectVal(attrs)
	}
}

// attributeTypes returns the types of the attributes by name. Each attribute must be a string, a
// list of strings or a single nested object.
func attributeTypes(attributes []*tfplugin.SchemaAttribute) map[string]cty.Type {
	types := map[string]cty.Type{}
	for _, a := range attributes {
		switch {
		case a.NestedType != nil:
			types[a.Name] = cty.Object(attributeTypes(a.NestedType.Attributes))
		case a.Type.Is(tftypes.String):
			types[a.Name] = cty.String
		default:
			types[a.Name] = cty.List(cty.String)
		}
	}
	return types
}
