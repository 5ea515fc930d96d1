package tfprotov6

import (
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

func schemasFromProto(in *tfplugin.GetProviderSchemaResponse) (out provider.GetProviderSchemaResponse, err error) {
	out.Diagnostics = wire.DiagnosticsFromProto(in.Diagnostics)
	out.ServerCapabilities = capabilitiesFromProto(in.ServerCapabilities)
	if out.Provider, err = schemaFromProto("provider configuration", "", in.Provider); err != nil {
		return out, err
	}
	if out.ProviderMeta, err = schemaFromProto("provider_meta", "", in.ProviderMeta); err != nil {
		return out, err
	}
	actions := make(map[string]*tfplugin.Schema, len(in.ActionSchemas))
	for name, a := range in.ActionSchemas {
		if a == nil {
			return out, fmt.Errorf("the %s %s has no schema", action, name)
		}
		actions[name] = a.Schema
	}
	families := []struct {
		what  string
		types map[string]*tfplugin.Schema
		out   *map[string]provider.Schema
	}{
		{managedResource, in.ResourceSchemas, &out.ResourceTypes},
		{dataSource, in.DataSourceSchemas, &out.DataSources},
		{ephemeralResource, in.EphemeralResourceSchemas, &out.EphemeralResourceTypes},
		{listResource, in.ListResourceSchemas, &out.ListResourceTypes},
		{action, actions, &out.Actions},
		{stateStore, in.StateStoreSchemas, &out.StateStores},
	}
	for _, f := range families {
		schemas := make(map[string]provider.Schema, len(f.types))
		for name, in := range f.types {
			if schemas[name], err = schemaFromProto(f.what, name, in); err != nil {
				return out, err
			}
		}
		*f.out = schemas
	}
	out.Functions = make(map[string]provider.FunctionDecl, len(in.Functions))
	for name, f := range in.Functions {
		if out.Functions[name], err = functionFromProto(f); err != nil {
			return out, fmt.Errorf("schema of the function %s: %w", name, err)
		}
	}
	return out, nil
}

func schemaFromProto(what, name string, in *tfplugin.Schema) (provider.Schema, error) {
	version, body, err := wire.SchemaFromProto(in)
	if err != nil {
		if name != "" {
			what += " " + name
		}
		return provider.Schema{}, fmt.Errorf("schema of the %s: %w", what, err)
	}
	return provider.Schema{Version: version, Body: body}, nil
}

// identitiesFromProto reads the answer of an RPC that older servers do not
// have: for them there are no identities.
func identitiesFromProto(in *tfplugin.GetResourceIdentitySchemasResponse, err error) (out provider.GetResourceIdentitySchemasResponse, _ error) {
	if err != nil || in == nil {
		return out, nil //nolint:nilerr // see above
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

func functionFromProto(in *tfplugin.Function) (out provider.FunctionDecl, err error) {
	if in == nil || in.Return == nil {
		return out, fmt.Errorf("it has no result")
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
		p, err := parameterFromProto(param)
		if err != nil {
			return out, err
		}
		out.Parameters = append(out.Parameters, p)
	}
	if in.VariadicParameter != nil {
		p, err := parameterFromProto(in.VariadicParameter)
		out.VariadicParameter = &p
		return out, err
	}
	return out, nil
}

func parameterFromProto(in *tfplugin.FunctionParameter) (out provider.FunctionParam, err error) {
	if in == nil {
		return out, fmt.Errorf("a parameter has no declaration")
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
