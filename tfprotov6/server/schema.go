package server

import (
	"context"
	"maps"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// GetMetadata implements tfplugin.ProviderServer.
func (s *server) GetMetadata(context.Context, *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	have := &s.schemas.Response
	resp := &tfplugin.GetMetadataResponse{
		ServerCapabilities: encodeCapabilities(have.ServerCapabilities),
		Diagnostics:        wire.DiagnosticsToProto(have.Diagnostics),
	}
	for _, name := range slices.Sorted(maps.Keys(have.DataSources)) {
		resp.DataSources = append(resp.DataSources, tfplugin.DataSourceMetadata{TypeName: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.Functions)) {
		resp.Functions = append(resp.Functions, tfplugin.FunctionMetadata{Name: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.ResourceTypes)) {
		resp.Resources = append(resp.Resources, tfplugin.ResourceMetadata{TypeName: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.EphemeralResourceTypes)) {
		resp.EphemeralResources = append(resp.EphemeralResources, tfplugin.EphemeralResourceMetadata{TypeName: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.ListResourceTypes)) {
		resp.ListResources = append(resp.ListResources, tfplugin.ListResourceMetadata{TypeName: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.Actions)) {
		resp.Actions = append(resp.Actions, tfplugin.ActionMetadata{TypeName: name})
	}
	for _, name := range slices.Sorted(maps.Keys(have.StateStores)) {
		resp.StateStores = append(resp.StateStores, tfplugin.StateStoreMetadata{TypeName: name})
	}
	return resp, nil
}

// GetProviderSchema implements tfplugin.ProviderServer. Every client gets the
// same response.
func (s *server) GetProviderSchema(ctx context.Context, _ *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	s.schemaOnce.Do(func() {
		s.schema = &tfplugin.GetProviderSchemaResponse{}
		s.schema.Diagnostics = s.describe(ctx, "GetProviderSchema", s.encodeSchemas)
	})
	return s.schema, nil
}

func (s *server) encodeSchemas(c *call.Call) diag.Diagnostics {
	have, resp := &s.schemas.Response, s.schema
	resp.ServerCapabilities = encodeCapabilities(have.ServerCapabilities)
	resp.Provider = encodeSchema(c, "provider configuration", "", have.Provider)
	if resp.Provider == nil {
		// Clients reject a provider without a schema.
		resp.Provider = &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}}
	}
	resp.ProviderMeta = encodeSchema(c, "provider_meta", "", have.ProviderMeta)
	resp.ResourceSchemas = encodeSchemaMap(c, call.ManagedResource, have.ResourceTypes)
	resp.DataSourceSchemas = encodeSchemaMap(c, call.DataSource, have.DataSources)
	resp.EphemeralResourceSchemas = encodeSchemaMap(c, call.EphemeralResource, have.EphemeralResourceTypes)
	resp.ListResourceSchemas = encodeSchemaMap(c, call.ListResource, have.ListResourceTypes)
	resp.StateStoreSchemas = encodeSchemaMap(c, call.StateStore, have.StateStores)
	resp.ActionSchemas = make(map[string]*tfplugin.ActionSchema, len(have.Actions))
	for name, schema := range encodeSchemaMap(c, call.Action, have.Actions) {
		resp.ActionSchemas[name] = &tfplugin.ActionSchema{Schema: schema}
	}
	resp.Functions = encodeFunctions(c, have.Functions)
	return have.Diagnostics
}

func encodeSchemaMap(c *call.Call, kind call.Kind, types map[string]provider.Schema) map[string]*tfplugin.Schema {
	out := make(map[string]*tfplugin.Schema, len(types))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		out[name] = encodeSchema(c, kind.String(), name, types[name])
		if out[name] == nil { // the body of the schema is nil or invalid
			out[name] = &tfplugin.Schema{Version: types[name].Version, Block: &tfplugin.SchemaBlock{}}
		}
	}
	return out
}

func encodeSchema(c *call.Call, kind, name string, schema provider.Schema) *tfplugin.Schema {
	out, err := wire.SchemaToProto(schema.Version, schema.Body)
	if err != nil {
		invalidSchema(c, kind, name, err)
	}
	return out
}

func invalidSchema(c *call.Call, kind, name string, err error) {
	if name != "" {
		kind += " " + name
	}
	c.Errorf(nil, "Invalid schema", "The schema of the %s cannot be encoded: %s. "+
		"This is a bug in the provider; please report it to the provider's developers.", kind, err)
}

// GetResourceIdentitySchemas implements tfplugin.ProviderServer. Every client
// gets the same response.
func (s *server) GetResourceIdentitySchemas(ctx context.Context, _ *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	s.identityOnce.Do(func() {
		s.identity = &tfplugin.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfplugin.ResourceIdentitySchema{}}
		s.identity.Diagnostics = s.describe(ctx, "GetResourceIdentitySchemas", s.encodeIdentitySchemas)
	})
	return s.identity, nil
}

// encodeIdentitySchemas sets the protocol form of the identity schemas. It prefers those
// of resource types to those of GetResourceIdentitySchemas.
func (s *server) encodeIdentitySchemas(c *call.Call) diag.Diagnostics {
	add := func(name string, schema provider.IdentitySchema) {
		out, err := wire.IdentitySchemaToProto(schema.Version, schema.Body)
		if err != nil {
			invalidSchema(c, "identity of", name, err)
		}
		if out != nil {
			s.identity.IdentitySchemas[name] = out
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.schemas.Identities.IdentityTypes)) {
		add(name, s.schemas.Identities.IdentityTypes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.schemas.Response.ResourceTypes)) {
		if schema := s.schemas.Response.ResourceTypes[name]; schema.Identity != nil {
			add(name, provider.IdentitySchema{Version: schema.IdentityVersion, Body: schema.Identity})
		}
	}
	return s.schemas.Identities.Diagnostics
}

// describe performs an RPC about the schemas, which does not call the provider.
func (s *server) describe(ctx context.Context, rpc string, response func(*call.Call) diag.Diagnostics) []*tfplugin.Diagnostic {
	self := func(_ context.Context, c *call.Call) *call.Call { return c }
	c := s.call(ctx, rpc)
	return unary(c, self, func() *call.Call { return c }, response)
}

func encodeCapabilities(c provider.ServerCapabilities) *tfplugin.ServerCapabilities {
	return &tfplugin.ServerCapabilities{
		GetProviderSchemaOptional: c.GetProviderSchemaOptional,
		MoveResourceState:         c.MoveResourceState,
		PlanDestroy:               c.PlanDestroy,
		GenerateResourceConfig:    c.GenerateResourceConfig,
	}
}
