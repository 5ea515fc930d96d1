package client

import (
	"errors"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

func decodeSchemas(in *tfplugin.GetProviderSchemaResponse) (out provider.GetProviderSchemaResponse, err error) {
	out.Diagnostics = wire.DiagnosticsFromProto(in.Diagnostics)
	out.ServerCapabilities = decodeCapabilities(in.ServerCapabilities)
	if out.Provider, err = decodeSchema("provider configuration", "", in.Provider); err != nil {
		return out, err
	}
	if out.ProviderMeta, err = decodeSchema("provider_meta", "", in.ProviderMeta); err != nil {
		return out, err
	}
	actions := make(map[string]*tfplugin.Schema, len(in.ActionSchemas))
	for name, a := range in.ActionSchemas {
		if a == nil {
			return out, fmt.Errorf("the %s %s has no schema", call.Action, name)
		}
		actions[name] = a.Schema
	}
	families := []struct {
		kind  call.Kind
		types map[string]*tfplugin.Schema
		out   *map[string]provider.Schema
	}{
		{call.ManagedResource, in.ResourceSchemas, &out.ResourceTypes},
		{call.DataSource, in.DataSourceSchemas, &out.DataSources},
		{call.EphemeralResource, in.EphemeralResourceSchemas, &out.EphemeralResourceTypes},
		{call.ListResource, in.ListResourceSchemas, &out.ListResourceTypes},
		{call.Action, actions, &out.Actions},
		{call.StateStore, in.StateStoreSchemas, &out.StateStores},
	}
	for _, f := range families {
		schemas := make(map[string]provider.Schema, len(f.types))
		for name, in := range f.types {
			if schemas[name], err = decodeSchema(f.kind.String(), name, in); err != nil {
				return out, err
			}
		}
		*f.out = schemas
	}
	out.Functions = make(map[string]provider.FunctionDecl, len(in.Functions))
	for name, f := range in.Functions {
		if out.Functions[name], err = decodeFunction(f); err != nil {
			return out, fmt.Errorf("schema of the function %s: %w", name, err)
		}
	}
	return out, nil
}

func decodeSchema(kind, name string, in *tfplugin.Schema) (provider.Schema, error) {
	version, body, err := wire.SchemaFromProto(in)
	if err != nil {
		if name != "" {
			kind += " " + name
		}
		return provider.Schema{}, fmt.Errorf("schema of the %s: %w", kind, err)
	}
	return provider.Schema{Version: version, Body: body}, nil
}

// decodeIdentitySchemas decodes the response to GetResourceIdentitySchemas. The result for an
// older server, which does not have this RPC, has no identities.
func decodeIdentitySchemas(in *tfplugin.GetResourceIdentitySchemasResponse, err error) (out provider.GetResourceIdentitySchemasResponse, _ error) {
	switch {
	case rpc.Unimplemented(err):
		return out, nil
	case err != nil || in == nil:
		return out, err
	}
	out.Diagnostics = wire.DiagnosticsFromProto(in.Diagnostics)
	out.IdentityTypes = make(map[string]provider.IdentitySchema, len(in.IdentitySchemas))
	for name, schema := range in.IdentitySchemas {
		version, body, err := wire.IdentitySchemaFromProto(schema)
		if err != nil {
			return out, fmt.Errorf("identity schema of %s: %w", name, err)
		}
		out.IdentityTypes[name] = provider.IdentitySchema{Version: version, Body: body}
	}
	return out, nil
}

func decodeFunction(in *tfplugin.Function) (out provider.FunctionDecl, err error) {
	if in == nil || in.Return == nil {
		return out, errors.New("the function has no result")
	}
	out = provider.FunctionDecl{
		Summary:            in.Summary,
		Description:        in.Description,
		DescriptionKind:    wire.StringKindFromProto(in.DescriptionKind),
		DeprecationMessage: in.DeprecationMessage,
	}
	if out.ReturnType, err = wire.TypeFromProto(in.Return.Type); err != nil {
		return out, err
	}
	for _, param := range in.Parameters {
		p, err := decodeParameter(param)
		if err != nil {
			return out, err
		}
		out.Parameters = append(out.Parameters, p)
	}
	if in.VariadicParameter != nil {
		p, err := decodeParameter(in.VariadicParameter)
		out.VariadicParameter = &p
		return out, err
	}
	return out, nil
}

func decodeParameter(in *tfplugin.FunctionParameter) (out provider.FunctionParam, err error) {
	if in == nil {
		return out, errors.New("a parameter has no declaration")
	}
	ty, err := wire.TypeFromProto(in.Type)
	return provider.FunctionParam{
		Name:               in.Name,
		Type:               ty,
		AllowNullValue:     in.AllowNullValue,
		AllowUnknownValues: in.AllowUnknownValues,
		Description:        in.Description,
		DescriptionKind:    wire.StringKindFromProto(in.DescriptionKind),
	}, err
}

func decodeCapabilities(c *tfplugin.ServerCapabilities) provider.ServerCapabilities {
	if c == nil {
		return provider.ServerCapabilities{}
	}
	return provider.ServerCapabilities{
		GetProviderSchemaOptional: c.GetProviderSchemaOptional,
		MoveResourceState:         c.MoveResourceState,
		PlanDestroy:               c.PlanDestroy,
		GenerateResourceConfig:    c.GenerateResourceConfig,
	}
}
