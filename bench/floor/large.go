package floor

import (
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewLarge returns a provider of n resource types, each with the attributes of a file. Only
// its schema is requested.
func NewLarge(n int) *Server {
	resources := make(map[string]*tfplugin.Schema, n)
	for i := range n {
		resources[fmt.Sprintf("bench_type_%04d", i)] = fileSchema()
	}
	return &Server{
		Schemas: &tfplugin.GetProviderSchemaResponse{
			Provider:           &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
			ResourceSchemas:    resources,
			ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
		},
		Identities: &tfplugin.GetResourceIdentitySchemasResponse{},
	}
}
