package floor

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Large is a provider of many resource types, of which only the schema is ever
// asked for.
type Large struct {
	tfplugin.ProviderServer
	schemas *tfplugin.GetProviderSchemaResponse
}

// NewLarge makes the schemas of n resource types, each with the attributes of a
// file.
func NewLarge(n int) *Large {
	resources := make(map[string]*tfplugin.Schema, n)
	for i := range n {
		resources[fmt.Sprintf("bench_type_%04d", i)] = fileSchema()
	}
	return &Large{schemas: &tfplugin.GetProviderSchemaResponse{
		Provider:           &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
		ResourceSchemas:    resources,
		ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
	}}
}

// GetProviderSchema answers with the schemas that were made once.
func (s *Large) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return s.schemas, nil
}
