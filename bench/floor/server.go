package floor

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Server is the provider. Its zero value keeps objects in memory only, that is,
// takes the prior state for what is there.
type Server struct {
	// ProviderServer is nil: an engine never calls what is not overridden,
	// because the schema offers nothing that leads there.
	tfplugin.ProviderServer

	// Files, if set, makes the objects real files.
	Files *disk.Files

	// DecodeAll makes plan and apply decode every value of a request, also
	// those that this resource can do without. A server that checks its answer
	// against the configuration cannot avoid that work; the difference shows
	// what it costs.
	DecodeAll bool
}

var _ tfplugin.ProviderServer = (*Server)(nil)

var schemas = &tfplugin.GetProviderSchemaResponse{
	Provider:           &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
	ResourceSchemas:    map[string]*tfplugin.Schema{typeName: fileSchema(), fleetName: fleetSchema()},
	Functions:          functionSchemas(),
	ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
}

// GetMetadata is part of the protocol.
func (s *Server) GetMetadata(context.Context, *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return &tfplugin.GetMetadataResponse{
		Resources:          []tfplugin.ResourceMetadata{{TypeName: typeName}, {TypeName: fleetName}},
		Functions:          []tfplugin.FunctionMetadata{{Name: "grown"}, {Name: "join"}, {Name: "total"}, {Name: "upper"}},
		ServerCapabilities: schemas.ServerCapabilities,
	}, nil
}

// GetProviderSchema answers with a schema that was built once.
func (s *Server) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return schemas, nil
}

// GetResourceIdentitySchemas answers that there are none.
func (s *Server) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return &tfplugin.GetResourceIdentitySchemasResponse{}, nil
}

// ValidateProviderConfig accepts the empty configuration.
func (s *Server) ValidateProviderConfig(_ context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return &tfplugin.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

// ConfigureProvider has nothing to configure.
func (s *Server) ConfigureProvider(context.Context, *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return &tfplugin.ConfigureProviderResponse{}, nil
}

// StopProvider has nothing to stop.
func (s *Server) StopProvider(context.Context, *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return &tfplugin.StopProviderResponse{}, nil
}

// decode reads a value of the type.
func decode(v *tfplugin.DynamicValue, ty cty.Type) (cty.Value, error) {
	if v == nil || len(v.MsgPack) == 0 {
		return cty.NullVal(ty), nil
	}
	return msgpack.Unmarshal(v.MsgPack, ty)
}

// decodeRest decodes and drops values that only DecodeAll asks for.
func (s *Server) decodeRest(ty cty.Type, rest ...*tfplugin.DynamicValue) error {
	if !s.DecodeAll {
		return nil
	}
	for _, v := range rest {
		if _, err := decode(v, ty); err != nil {
			return err
		}
	}
	return nil
}

// encode writes a value of the type.
func encode(v cty.Value, ty cty.Type) (*tfplugin.DynamicValue, error) {
	b, err := msgpack.Marshal(v, ty)
	if err != nil {
		return nil, err
	}
	return &tfplugin.DynamicValue{MsgPack: b}, nil
}

// failed is the diagnostic of an error.
func failed(summary string, err error) []*tfplugin.Diagnostic {
	return []*tfplugin.Diagnostic{{
		Severity: tfplugin.DiagnosticSeverityError,
		Summary:  summary,
		Detail:   err.Error(),
	}}
}
