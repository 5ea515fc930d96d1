package rpc

import (
	"context"
	"fmt"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/protoversion"
)

// provider6 is a provider with protocol 6.
type provider6 struct{ caller }

var (
	_ tfplugin.ProviderServerWithListResource = (*provider6)(nil)
	_ tfplugin.ProviderServerWithActions      = (*provider6)(nil)
	_ tfplugin.ProviderServerWithStateStores  = (*provider6)(nil)
)

// Provider returns the provider behind a connection, with protocol 5 or 6, as a server
// of protocol 6. It performs no RPC. Another version of the protocol is an error.
func Provider(ctx context.Context, conn Conn, version int) (tfplugin.ProviderServer, error) {
	switch version {
	case 6:
		return Provider6(conn)
	case 5:
		p, err := Provider5(conn)
		if err != nil {
			return nil, err
		}
		return protoversion.Upgrade(ctx, p)
	}
	return nil, fmt.Errorf("unsupported protocol %d, expected 5 or 6", version)
}

// Provider6 returns a provider with protocol 6, or an error if terraform-plugin-go
// does not have the protocol. The result implements the optional interfaces of
// terraform-plugin-go; their RPCs fail if the provider does not implement them.
func Provider6(conn Conn) (tfplugin.ProviderServer, error) {
	s, err := service6()
	if err != nil {
		return nil, err
	}
	return &provider6{caller{conn: conn, service: s}}, nil
}

// GetMetadata implements tfplugin.ProviderServer.
func (p *provider6) GetMetadata(ctx context.Context, req *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return unary[tfplugin.GetMetadataResponse](ctx, &p.caller, "GetMetadata", req)
}

// GetProviderSchema implements tfplugin.ProviderServer.
func (p *provider6) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return unary[tfplugin.GetProviderSchemaResponse](ctx, &p.caller, "GetProviderSchema", req)
}

// GetResourceIdentitySchemas implements tfplugin.ProviderServer.
func (p *provider6) GetResourceIdentitySchemas(ctx context.Context, req *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return unary[tfplugin.GetResourceIdentitySchemasResponse](ctx, &p.caller, "GetResourceIdentitySchemas", req)
}

// ValidateProviderConfig implements tfplugin.ProviderServer.
func (p *provider6) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return unary[tfplugin.ValidateProviderConfigResponse](ctx, &p.caller, "ValidateProviderConfig", req)
}

// ConfigureProvider implements tfplugin.ProviderServer.
func (p *provider6) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return unary[tfplugin.ConfigureProviderResponse](ctx, &p.caller, "ConfigureProvider", req)
}

// StopProvider implements tfplugin.ProviderServer.
func (p *provider6) StopProvider(ctx context.Context, req *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return unary[tfplugin.StopProviderResponse](ctx, &p.caller, "StopProvider", req)
}

// ValidateResourceConfig implements tfplugin.ProviderServer.
func (p *provider6) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	return unary[tfplugin.ValidateResourceConfigResponse](ctx, &p.caller, "ValidateResourceConfig", req)
}

// UpgradeResourceState implements tfplugin.ProviderServer.
func (p *provider6) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	return unary[tfplugin.UpgradeResourceStateResponse](ctx, &p.caller, "UpgradeResourceState", req)
}

// UpgradeResourceIdentity implements tfplugin.ProviderServer.
func (p *provider6) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	return unary[tfplugin.UpgradeResourceIdentityResponse](ctx, &p.caller, "UpgradeResourceIdentity", req)
}

// ReadResource implements tfplugin.ProviderServer.
func (p *provider6) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return unary[tfplugin.ReadResourceResponse](ctx, &p.caller, "ReadResource", req)
}

// PlanResourceChange implements tfplugin.ProviderServer.
func (p *provider6) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	return unary[tfplugin.PlanResourceChangeResponse](ctx, &p.caller, "PlanResourceChange", req)
}

// ApplyResourceChange implements tfplugin.ProviderServer.
func (p *provider6) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	return unary[tfplugin.ApplyResourceChangeResponse](ctx, &p.caller, "ApplyResourceChange", req)
}

// ImportResourceState implements tfplugin.ProviderServer.
func (p *provider6) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	return unary[tfplugin.ImportResourceStateResponse](ctx, &p.caller, "ImportResourceState", req)
}

// MoveResourceState implements tfplugin.ProviderServer.
func (p *provider6) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	return unary[tfplugin.MoveResourceStateResponse](ctx, &p.caller, "MoveResourceState", req)
}

// GenerateResourceConfig implements tfplugin.ProviderServer.
func (p *provider6) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return unary[tfplugin.GenerateResourceConfigResponse](ctx, &p.caller, "GenerateResourceConfig", req)
}

// ValidateDataResourceConfig implements tfplugin.ProviderServer.
func (p *provider6) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	return unary[tfplugin.ValidateDataResourceConfigResponse](ctx, &p.caller, "ValidateDataResourceConfig", req)
}

// ReadDataSource implements tfplugin.ProviderServer.
func (p *provider6) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	return unary[tfplugin.ReadDataSourceResponse](ctx, &p.caller, "ReadDataSource", req)
}

// CallFunction implements tfplugin.ProviderServer.
func (p *provider6) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	return unary[tfplugin.CallFunctionResponse](ctx, &p.caller, "CallFunction", req)
}

// GetFunctions implements tfplugin.ProviderServer.
func (p *provider6) GetFunctions(ctx context.Context, req *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	return unary[tfplugin.GetFunctionsResponse](ctx, &p.caller, "GetFunctions", req)
}

// ValidateEphemeralResourceConfig implements tfplugin.ProviderServer.
func (p *provider6) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	return unary[tfplugin.ValidateEphemeralResourceConfigResponse](ctx, &p.caller, "ValidateEphemeralResourceConfig", req)
}

// OpenEphemeralResource implements tfplugin.ProviderServer.
func (p *provider6) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	return unary[tfplugin.OpenEphemeralResourceResponse](ctx, &p.caller, "OpenEphemeralResource", req)
}

// RenewEphemeralResource implements tfplugin.ProviderServer.
func (p *provider6) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	return unary[tfplugin.RenewEphemeralResourceResponse](ctx, &p.caller, "RenewEphemeralResource", req)
}

// CloseEphemeralResource implements tfplugin.ProviderServer.
func (p *provider6) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	return unary[tfplugin.CloseEphemeralResourceResponse](ctx, &p.caller, "CloseEphemeralResource", req)
}

// ValidateListResourceConfig implements tfplugin.ListResourceServer.
func (p *provider6) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return unary[tfplugin.ValidateListResourceConfigResponse](ctx, &p.caller, "ValidateListResourceConfig", req)
}

// ListResource implements tfplugin.ListResourceServer.
func (p *provider6) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return &tfplugin.ListResourceServerStream{Results: events(ctx, &p.caller, "ListResource", req, failedResult)}, nil
}

// ValidateActionConfig implements tfplugin.ActionServer.
func (p *provider6) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	return unary[tfplugin.ValidateActionConfigResponse](ctx, &p.caller, "ValidateActionConfig", req)
}

// PlanAction implements tfplugin.ActionServer.
func (p *provider6) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	return unary[tfplugin.PlanActionResponse](ctx, &p.caller, "PlanAction", req)
}

// InvokeAction implements tfplugin.ActionServer.
func (p *provider6) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return &tfplugin.InvokeActionServerStream{Events: events(ctx, &p.caller, "InvokeAction", req, failedEvent)}, nil
}

// ValidateStateStoreConfig implements tfplugin.StateStoreServer.
func (p *provider6) ValidateStateStoreConfig(ctx context.Context, req *tfplugin.ValidateStateStoreConfigRequest) (*tfplugin.ValidateStateStoreConfigResponse, error) {
	return unary[tfplugin.ValidateStateStoreConfigResponse](ctx, &p.caller, "ValidateStateStoreConfig", req)
}

// ConfigureStateStore implements tfplugin.StateStoreServer.
func (p *provider6) ConfigureStateStore(ctx context.Context, req *tfplugin.ConfigureStateStoreRequest) (*tfplugin.ConfigureStateStoreResponse, error) {
	return unary[tfplugin.ConfigureStateStoreResponse](ctx, &p.caller, "ConfigureStateStore", req)
}

// ReadStateBytes implements tfplugin.StateStoreServer.
func (p *provider6) ReadStateBytes(ctx context.Context, req *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	return &tfplugin.ReadStateBytesStream{Chunks: events(ctx, &p.caller, "ReadStateBytes", req, failedChunk)}, nil
}

// WriteStateBytes implements tfplugin.StateStoreServer. If a chunk has an error
// diagnostic, the state is not written.
func (p *provider6) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	var earlier []*tfplugin.Diagnostic
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := send[tfplugin.WriteStateBytesResponse](ctx, &p.caller, "WriteStateBytes", func(yield func(*tfplugin.WriteStateBytesChunk) bool) {
		if req == nil || req.Chunks == nil {
			return
		}
		for chunk, diags := range req.Chunks {
			earlier = append(earlier, diags...)
			if hasErrors(diags) {
				cancel() // do not write an incomplete state
				return
			}
			if !yield(chunk) {
				return
			}
		}
	})
	if hasErrors(earlier) {
		return &tfplugin.WriteStateBytesResponse{Diagnostics: earlier}, nil
	}
	if err == nil {
		answer.Diagnostics = append(earlier, answer.Diagnostics...)
	}
	return answer, err
}

func hasErrors(diags []*tfplugin.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfplugin.Diagnostic) bool { return d != nil && d.Severity == tfplugin.DiagnosticSeverityError })
}

// GetStates implements tfplugin.StateStoreServer.
func (p *provider6) GetStates(ctx context.Context, req *tfplugin.GetStatesRequest) (*tfplugin.GetStatesResponse, error) {
	return unary[tfplugin.GetStatesResponse](ctx, &p.caller, "GetStates", req)
}

// DeleteState implements tfplugin.StateStoreServer.
func (p *provider6) DeleteState(ctx context.Context, req *tfplugin.DeleteStateRequest) (*tfplugin.DeleteStateResponse, error) {
	return unary[tfplugin.DeleteStateResponse](ctx, &p.caller, "DeleteState", req)
}

// LockState implements tfplugin.StateStoreServer.
func (p *provider6) LockState(ctx context.Context, req *tfplugin.LockStateRequest) (*tfplugin.LockStateResponse, error) {
	return unary[tfplugin.LockStateResponse](ctx, &p.caller, "LockState", req)
}

// UnlockState implements tfplugin.StateStoreServer.
func (p *provider6) UnlockState(ctx context.Context, req *tfplugin.UnlockStateRequest) (*tfplugin.UnlockStateResponse, error) {
	return unary[tfplugin.UnlockStateResponse](ctx, &p.caller, "UnlockState", req)
}
