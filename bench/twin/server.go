package twin

import (
	"context"
	"errors"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

const typeName = "posix_file"

// Server is the provider.
type Server struct {
	// ProviderServer is nil: the benchmark's configuration leads to none of what
	// is not overridden.
	tfplugin.ProviderServer

	schemas    *tfplugin.GetProviderSchemaResponse
	identities *tfplugin.GetResourceIdentitySchemasResponse
	// fileType and identityType are the types of the resource and of its identity.
	fileType, identityType cty.Type
	files                  *disk.Files
}

var _ tfplugin.ProviderServer = (*Server)(nil)

// New asks the real provider for its schemas and serves posix_file with them.
func New(ctx context.Context, files *disk.Files) (_ *Server, err error) {
	posix, err := resources.New("bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, posix.Close()) }()
	model, err := tfprotov6.NewServer(ctx, posix)
	if err != nil {
		return nil, err
	}
	s := &Server{files: files}
	if s.schemas, err = model.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{}); err != nil {
		return nil, err
	}
	if s.identities, err = model.GetResourceIdentitySchemas(ctx, &tfplugin.GetResourceIdentitySchemasRequest{}); err != nil {
		return nil, err
	}
	file := posix.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	s.fileType, s.identityType = file.Body.ImpliedType(), file.Identity.ImpliedType()
	return s, nil
}

// GetProviderSchema is part of the protocol.
func (s *Server) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return s.schemas, nil
}

// GetResourceIdentitySchemas is part of the protocol.
func (s *Server) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return s.identities, nil
}

// ValidateProviderConfig accepts any configuration.
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

// UpgradeResourceState reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	resp := &tfplugin.UpgradeResourceStateResponse{}
	state, err := ctyjson.Unmarshal(req.RawState.JSON, s.fileType)
	if err == nil {
		resp.UpgradedState, err = encode(state, s.fileType)
	}
	resp.Diagnostics = failed("Invalid state", err)
	return resp, nil
}

// UpgradeResourceIdentity reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceIdentity(_ context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	resp := &tfplugin.UpgradeResourceIdentityResponse{}
	identity, err := ctyjson.Unmarshal(req.RawIdentity.JSON, s.identityType)
	if err == nil {
		var data *tfplugin.DynamicValue
		data, err = encode(identity, s.identityType)
		resp.UpgradedIdentity = &tfplugin.ResourceIdentityData{IdentityData: data}
	}
	resp.Diagnostics = failed("Invalid identity", err)
	return resp, nil
}

func decode(v *tfplugin.DynamicValue, ty cty.Type) (cty.Value, error) {
	if v == nil || len(v.MsgPack) == 0 {
		return cty.NullVal(ty), nil
	}
	return msgpack.Unmarshal(v.MsgPack, ty)
}

func encode(v cty.Value, ty cty.Type) (*tfplugin.DynamicValue, error) {
	b, err := msgpack.Marshal(v, ty)
	if err != nil {
		return nil, err
	}
	return &tfplugin.DynamicValue{MsgPack: b}, nil
}

// failed is the diagnostic of an error, if it is one.
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
