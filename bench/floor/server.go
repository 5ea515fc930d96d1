package floor

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Server serves resource types and functions.
type Server struct {
	// ProviderServer is nil. In the benchmarks and tests, clients never call a method that
	// Server does not define, such as ImportResourceState.
	tfplugin.ProviderServer

	// Files, if set, makes the objects of the file type real files. All other objects exist
	// only in memory: the prior state is the real object.
	Files      *disk.Files
	Schemas    *tfplugin.GetProviderSchemaResponse
	Identities *tfplugin.GetResourceIdentitySchemasResponse
	Kinds      map[string]*Kind
}

var _ tfplugin.ProviderServer = (*Server)(nil)

// New returns the provider of package bench.
func New(files *disk.Files) *Server {
	return &Server{
		Files: files,
		Schemas: &tfplugin.GetProviderSchemaResponse{
			Provider:           &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
			ResourceSchemas:    map[string]*tfplugin.Schema{typeName: FileSchema(), fleetName: fleetSchema()},
			Functions:          functionSchemas(),
			ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
		},
		Identities: &tfplugin.GetResourceIdentitySchemasResponse{},
		Kinds:      map[string]*Kind{typeName: &fileKind, fleetName: &fleetKind},
	}
}

// GetProviderSchema returns the schema, which was built once.
func (s *Server) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return s.Schemas, nil
}

// GetResourceIdentitySchemas returns the identity schemas, which were built once.
func (s *Server) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return s.Identities, nil
}

// ValidateProviderConfig accepts every configuration.
func (s *Server) ValidateProviderConfig(_ context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return &tfplugin.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

// ConfigureProvider does nothing.
func (s *Server) ConfigureProvider(context.Context, *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return &tfplugin.ConfigureProviderResponse{}, nil
}

// StopProvider does nothing.
func (s *Server) StopProvider(context.Context, *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return &tfplugin.StopProviderResponse{}, nil
}

// decode reads a value of the type. Without data, the value is null.
func decode(v *tfplugin.DynamicValue, ty cty.Type) (cty.Value, error) {
	if v == nil || len(v.MsgPack) == 0 {
		return cty.NullVal(ty), nil
	}
	return msgpack.Unmarshal(v.MsgPack, ty)
}

// encode writes a value of the type.
func encode(v cty.Value, ty cty.Type) (*tfplugin.DynamicValue, error) {
	b, err := msgpack.Marshal(v, ty)
	if err != nil {
		return nil, err
	}
	return &tfplugin.DynamicValue{MsgPack: b}, nil
}

// failed returns an error diagnostic for err, or nil if err is nil.
func failed(summary string, err error) []*tfplugin.Diagnostic {
	if err == nil {
		return nil
	}
	return []*tfplugin.Diagnostic{{
		Severity: tfplugin.DiagnosticSeverityError,
		Summary:  summary,
		Detail:   err.Error(),
	}}
}

// NewLarge returns a provider of n resource types, each with the attributes of a file. Only
// its schema is requested.
func NewLarge(n int) *Server {
	resources := make(map[string]*tfplugin.Schema, n)
	for i := range n {
		resources[fmt.Sprintf("bench_type_%04d", i)] = FileSchema()
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
