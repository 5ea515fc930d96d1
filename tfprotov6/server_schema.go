package tfprotov6

import (
	"context"
	"maps"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// GetMetadata is part of tfplugin.ProviderServer.
func (s *server) GetMetadata(context.Context, *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	have := &s.schemas.response
	resp := &tfplugin.GetMetadataResponse{
		ServerCapabilities: capabilitiesToProto(have.ServerCapabilities),
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

// GetProviderSchema is part of tfplugin.ProviderServer. The answer is shared by
// all who ask.
func (s *server) GetProviderSchema(ctx context.Context, _ *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	s.schemaOnce.Do(func() { s.schema = s.protoSchema(ctx) })
	return s.schema, nil
}

func (s *server) protoSchema(ctx context.Context) (resp *tfplugin.GetProviderSchemaResponse) {
	have := &s.schemas.response
	resp = &tfplugin.GetProviderSchemaResponse{ServerCapabilities: capabilitiesToProto(have.ServerCapabilities)}
	c := call{ctx: ctx, rpc: "GetProviderSchema"}
	defer c.end(&resp.Diagnostics)
	c.add(have.Diagnostics)
	resp.Provider = c.schema("provider configuration", "", have.Provider)
	if resp.Provider == nil {
		// Clients refuse a provider without one.
		resp.Provider = &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}}
	}
	resp.ProviderMeta = c.schema("provider_meta", "", have.ProviderMeta)
	resp.ResourceSchemas = c.schemaMap(managedResource, have.ResourceTypes)
	resp.DataSourceSchemas = c.schemaMap(dataSource, have.DataSources)
	resp.EphemeralResourceSchemas = c.schemaMap(ephemeralResource, have.EphemeralResourceTypes)
	resp.ListResourceSchemas = c.schemaMap(listResource, have.ListResourceTypes)
	resp.StateStoreSchemas = c.schemaMap(stateStore, have.StateStores)
	resp.ActionSchemas = make(map[string]*tfplugin.ActionSchema, len(have.Actions))
	for name, schema := range c.schemaMap(action, have.Actions) {
		resp.ActionSchemas[name] = &tfplugin.ActionSchema{Schema: schema}
	}
	resp.Functions = c.functions(have.Functions)
	return resp
}

func (c *call) schemaMap(what string, types map[string]provider.Schema) map[string]*tfplugin.Schema {
	out := make(map[string]*tfplugin.Schema, len(types))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if schema := c.schema(what, name, types[name]); schema != nil {
			out[name] = schema
		} else {
			// A type without attributes.
			out[name] = &tfplugin.Schema{Version: types[name].Version, Block: &tfplugin.SchemaBlock{}}
		}
	}
	return out
}

func (c *call) schema(what, name string, schema provider.Schema) *tfplugin.Schema {
	out, err := wire.SchemaToProto(schema.Version, schema.Body)
	if err != nil {
		c.unlawful(what, name, err)
	}
	return out
}

func (c *call) unlawful(what, name string, err error) {
	if name != "" {
		what += " " + name
	}
	c.errorf(nil, "Unlawful schema", "The schema of the %s has no protocol form: %s. "+
		"This is a mistake in the provider's code; please report it to the provider's developers.", what, err)
}

// GetResourceIdentitySchemas is part of tfplugin.ProviderServer.
func (s *server) GetResourceIdentitySchemas(ctx context.Context, _ *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	s.identityOnce.Do(func() { s.identity = s.protoIdentities(ctx) })
	return s.identity, nil
}

func (s *server) protoIdentities(ctx context.Context) (resp *tfplugin.GetResourceIdentitySchemasResponse) {
	resp = &tfplugin.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfplugin.ResourceIdentitySchema{}}
	c := call{ctx: ctx, rpc: "GetResourceIdentitySchemas"}
	defer c.end(&resp.Diagnostics)
	c.add(s.schemas.identities.Diagnostics)
	add := func(name string, schema provider.IdentitySchema) {
		out, err := wire.IdentitySchemaToProto(schema.Version, schema.Body)
		if err != nil {
			c.unlawful("identity of", name, err)
		}
		if out != nil {
			resp.IdentitySchemas[name] = out
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.schemas.identities.IdentityTypes)) {
		add(name, s.schemas.identities.IdentityTypes[name])
	}
	// The schemas of resource types come first where both say something.
	for _, name := range slices.Sorted(maps.Keys(s.schemas.response.ResourceTypes)) {
		if schema := s.schemas.response.ResourceTypes[name]; schema.Identity != nil {
			add(name, provider.IdentitySchema{Version: schema.IdentityVersion, Body: schema.Identity})
		}
	}
	return resp
}
