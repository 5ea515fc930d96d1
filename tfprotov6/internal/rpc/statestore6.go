package rpc

import (
	"context"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

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

// WriteStateBytes implements tfplugin.StateStoreServer. What is not sent is
// judged by the chunks themselves: with an error among their messages nothing
// is written.
func (p *provider6) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	var said []*tfplugin.Diagnostic
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := send[tfplugin.WriteStateBytesResponse](ctx, &p.caller, "WriteStateBytes", func(yield func(*tfplugin.WriteStateBytesChunk) bool) {
		if req == nil || req.Chunks == nil {
			return
		}
		for chunk, diags := range req.Chunks {
			said = append(said, diags...)
			if hasErrors(diags) {
				cancel() // do not write an incomplete state
				return
			}
			if !yield(chunk) {
				return
			}
		}
	})
	if hasErrors(said) {
		return &tfplugin.WriteStateBytesResponse{Diagnostics: said}, nil
	}
	if err == nil {
		answer.Diagnostics = append(said, answer.Diagnostics...)
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
