package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/floor"
)

// largeTypes is the number of resource types of the large provider.
const largeTypes = 1000

// schemas returns requests for the schema of the large provider: cold, with the creation of
// the provider; warm; and with a whole process, from its start to its end.
func schemas() []Case {
	size := fmt.Sprintf("%d-types", largeTypes)
	ask := func(ctx context.Context, server tfplugin.ProviderServer) (Answer, error) {
		resp, err := server.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{})
		if err != nil {
			return Answer{}, err
		}
		return Answer{Schema: resp, Diagnostics: resp.Diagnostics}, nil
	}
	return []Case{
		{RPC: "schema-cold", Size: size, WantTypes: largeTypes, Call: func(ctx context.Context, c Contender) (Answer, error) {
			server, err := c.NewLarge(ctx)
			if err != nil {
				return Answer{}, err
			}
			return ask(ctx, server)
		}},
		{RPC: "schema-warm", Size: size, WantTypes: largeTypes, Call: func(ctx context.Context, c Contender) (Answer, error) {
			server, err := c.Large()
			if err != nil {
				return Answer{}, err
			}
			return ask(ctx, server)
		}},
		{RPC: "schema-process", Size: size, Call: coldProcess},
	}
}

// checkSchema returns an error unless the schema has n resource types with the
// attributes of a file.
func checkSchema(s *tfplugin.GetProviderSchemaResponse, n int) error {
	if s == nil {
		return errors.New("the answer has no schema")
	}
	if len(s.ResourceSchemas) != n {
		return fmt.Errorf("the schema has %d resource types, want %d", len(s.ResourceSchemas), n)
	}
	want := floor.FileSchema().Block.Attributes
	for name, schema := range s.ResourceSchemas {
		if schema.Version != 0 || len(schema.Block.BlockTypes) > 0 {
			return fmt.Errorf("the schema of %s has version %d and %d block types, want version 0 and no block types", name, schema.Version, len(schema.Block.BlockTypes))
		}
		if got := schema.Block.Attributes; !slices.EqualFunc(got, want, sameAttribute) {
			return fmt.Errorf("%s has the attributes %s; want %s", name, attributeNames(got), attributeNames(want))
		}
	}
	return nil
}

// sameAttribute reports whether two attributes are equal, except for descriptions and
// deprecations. It must not be called with nested attributes.
func sameAttribute(a, b *tfplugin.SchemaAttribute) bool {
	return a.Name == b.Name && a.Type.Equal(b.Type) && a.Required == b.Required && a.Optional == b.Optional &&
		a.Computed == b.Computed && a.Sensitive == b.Sensitive && a.WriteOnly == b.WriteOnly && a.NestedType == nil && b.NestedType == nil
}

func attributeNames(attributes []*tfplugin.SchemaAttribute) string {
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = fmt.Sprintf("%s (%s, required %t, optional %t, computed %t)", a.Name, a.Type, a.Required, a.Optional, a.Computed)
	}
	return strings.Join(names, ", ")
}
