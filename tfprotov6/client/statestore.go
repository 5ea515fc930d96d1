package client

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateStateStoreConfig implements provider.Interface.
func (cl *client) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) (resp provider.ValidateStateStoreConfigResponse) {
	c := cl.call(ctx, "ValidateStateStoreConfig")
	method := optional(cl.server, tfplugin.StateStoreServer.ValidateStateStoreConfig)
	resp.Diagnostics = unary(c, method, func() *tfplugin.ValidateStateStoreConfigRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.ValidateStateStoreConfigRequest{TypeName: req.TypeName, Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateStateStoreConfigResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// ConfigureStateStore implements provider.Interface.
func (cl *client) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) (resp provider.ConfigureStateStoreResponse) {
	c := cl.call(ctx, "ConfigureStateStore")
	method := optional(cl.server, tfplugin.StateStoreServer.ConfigureStateStore)
	resp.Diagnostics = unary(c, method, func() *tfplugin.ConfigureStateStoreRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.ConfigureStateStoreRequest{
			TypeName:     req.TypeName,
			Config:       c.Encode(req.Config, "configuration"),
			Capabilities: &tfplugin.ConfigureStateStoreClientCapabilities{ChunkSize: req.ChunkSize},
		}
	}, func(got *tfplugin.ConfigureStateStoreResponse) []*tfplugin.Diagnostic {
		if got.Capabilities != nil {
			resp.ChunkSize = got.Capabilities.ChunkSize
		}
		return got.Diagnostics
	})
	return resp
}

// ReadStateBytes implements provider.Interface.
func (cl *client) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) (resp provider.ReadStateBytesResponse) {
	c := cl.call(ctx, "ReadStateBytes")
	var failure error
	method := recordFailure(&failure, optional(cl.server, tfplugin.StateStoreServer.ReadStateBytes))
	resp.Diagnostics = unary(c, method, func() *tfplugin.ReadStateBytesRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.ReadStateBytesRequest{TypeName: req.TypeName, StateID: req.StateID}
	}, func(got *tfplugin.ReadStateBytesStream) []*tfplugin.Diagnostic {
		if !responded(c, got.Chunks != nil, nil) {
			return nil
		}
		resp.Chunks = elements(c, got.Chunks, &failure, func(_ *call.Call, in tfplugin.ReadStateByteChunk) provider.StateChunk {
			return call.DecodeChunk(in.StateByteChunk, in.Diagnostics)
		}, func(d diag.Diagnostics) provider.StateChunk { return provider.StateChunk{Diagnostics: d} })
		return nil
	})
	return resp
}

// WriteStateBytes implements provider.Interface. The first chunk identifies the
// state, so at least one is sent.
func (cl *client) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	c := cl.call(ctx, "WriteStateBytes")
	method := optional(cl.server, tfplugin.StateStoreServer.WriteStateBytes)
	resp.Diagnostics = unary(c, method, func() *tfplugin.WriteStateBytesStream {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.WriteStateBytesStream{Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
			meta := &tfplugin.WriteStateChunkMeta{TypeName: req.TypeName, StateID: req.StateID}
			if req.Chunks != nil {
				for chunk := range req.Chunks {
					out := &tfplugin.WriteStateBytesChunk{Meta: meta, StateByteChunk: call.EncodeChunk(chunk)}
					meta = nil
					if !yield(out, wire.DiagnosticsToProto(chunk.Diagnostics)) {
						return
					}
				}
			}
			if meta != nil {
				yield(&tfplugin.WriteStateBytesChunk{Meta: meta}, nil)
			}
		}}
	}, func(got *tfplugin.WriteStateBytesResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// LockState implements provider.Interface.
func (cl *client) LockState(ctx context.Context, req provider.LockStateRequest) (resp provider.LockStateResponse) {
	c := cl.call(ctx, "LockState")
	method := optional(cl.server, tfplugin.StateStoreServer.LockState)
	resp.Diagnostics = unary(c, method, func() *tfplugin.LockStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.LockStateRequest{TypeName: req.TypeName, StateID: req.StateID, Operation: req.Operation}
	}, func(got *tfplugin.LockStateResponse) []*tfplugin.Diagnostic {
		resp.LockID = got.LockID
		return got.Diagnostics
	})
	return resp
}

// UnlockState implements provider.Interface.
func (cl *client) UnlockState(ctx context.Context, req provider.UnlockStateRequest) (resp provider.UnlockStateResponse) {
	c := cl.call(ctx, "UnlockState")
	method := optional(cl.server, tfplugin.StateStoreServer.UnlockState)
	resp.Diagnostics = unary(c, method, func() *tfplugin.UnlockStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.UnlockStateRequest{TypeName: req.TypeName, StateID: req.StateID, LockID: req.LockID}
	}, func(got *tfplugin.UnlockStateResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// GetStates implements provider.Interface.
func (cl *client) GetStates(ctx context.Context, req provider.GetStatesRequest) (resp provider.GetStatesResponse) {
	c := cl.call(ctx, "GetStates")
	method := optional(cl.server, tfplugin.StateStoreServer.GetStates)
	resp.Diagnostics = unary(c, method, func() *tfplugin.GetStatesRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.GetStatesRequest{TypeName: req.TypeName}
	}, func(got *tfplugin.GetStatesResponse) []*tfplugin.Diagnostic {
		resp.StateIDs = got.StateIDs
		return got.Diagnostics
	})
	return resp
}

// DeleteState implements provider.Interface.
func (cl *client) DeleteState(ctx context.Context, req provider.DeleteStateRequest) (resp provider.DeleteStateResponse) {
	c := cl.call(ctx, "DeleteState")
	method := optional(cl.server, tfplugin.StateStoreServer.DeleteState)
	resp.Diagnostics = unary(c, method, func() *tfplugin.DeleteStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return &tfplugin.DeleteStateRequest{TypeName: req.TypeName, StateID: req.StateID}
	}, func(got *tfplugin.DeleteStateResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}
