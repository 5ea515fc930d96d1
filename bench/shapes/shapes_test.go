package shapes_test

import (
	"context"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/bench/shapes"
)

// TestSchemasFitTypes checks that the schema and the type for decoding have the same
// attributes.
func TestSchemasFitTypes(t *testing.T) {
	s := shapes.New()
	for i, shape := range shapes.All() {
		t.Run(shape.Name, func(t *testing.T) {
			name := shapes.TypeName(i)
			null := cty.NullVal(s.Kinds[name].Type)
			b, err := msgpack.Marshal(null, null.Type())
			if err != nil {
				t.Fatal(err)
			}
			resp, err := s.ReadResource(context.Background(), &tfplugin.ReadResourceRequest{TypeName: name, CurrentState: &tfplugin.DynamicValue{MsgPack: b}})
			if err != nil || len(resp.Diagnostics) > 0 {
				t.Fatal(err, resp.Diagnostics)
			}
			attributes := s.Schemas.ResourceSchemas[name].Block.Attributes
			if got, want := len(s.Kinds[name].Type.AttributeTypes()), len(attributes); got != want {
				t.Errorf("the type has %d attributes, want the %d attributes of the schema", got, want)
			}
			for _, a := range attributes {
				if !s.Kinds[name].Type.HasAttribute(a.Name) {
					t.Errorf("the type has no attribute %s", a.Name)
				}
			}
		})
	}
}
