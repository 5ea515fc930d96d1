package server

import (
	"context"
	"iter"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// ValidateStateStoreConfig implements tfplugin.StateStoreServer.
func (s *server) ValidateStateStoreConfig(ctx context.Context, req *tfplugin.ValidateStateStoreConfigRequest) (*tfplugin.ValidateStateStoreConfigResponse, error) {
	resp := &tfplugin.ValidateStateStoreConfigResponse{}
	c := s.call(ctx, "ValidateStateStoreConfig")
	resp.Diagnostics = unary(c, s.p.ValidateStateStoreConfig, func() provider.ValidateStateStoreConfigRequest {
		c.Type(call.StateStore, req.TypeName)
		return provider.ValidateStateStoreConfigRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
	}, func(got provider.ValidateStateStoreConfigResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// ConfigureStateStore implements tfplugin.StateStoreServer. The capabilities in
// the response are never nil: clients crash without them.
func (s *server) ConfigureStateStore(ctx context.Context, req *tfplugin.ConfigureStateStoreRequest) (*tfplugin.ConfigureStateStoreResponse, error) {
	resp := &tfplugin.ConfigureStateStoreResponse{Capabilities: &tfplugin.StateStoreServerCapabilities{}}
	c := s.call(ctx, "ConfigureStateStore")
	resp.Diagnostics = unary(c, s.p.ConfigureStateStore, func() provider.ConfigureStateStoreRequest {
		c.Type(call.StateStore, req.TypeName)
		in := provider.ConfigureStateStoreRequest{TypeName: req.TypeName, Config: c.Decode(req.Config, "configuration")}
		if req.Capabilities != nil {
			in.ChunkSize = req.Capabilities.ChunkSize
		}
		return in
	}, func(got provider.ConfigureStateStoreResponse) diag.Diagnostics {
		resp.Capabilities.ChunkSize = got.ChunkSize
		return got.Diagnostics
	})
	return resp, nil
}

// ReadStateBytes implements tfplugin.StateStoreServer. Diagnostics that belong
// to no chunk are sent with the next chunk, or with an empty one at the end.
func (s *server) ReadStateBytes(ctx context.Context, req *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	return &tfplugin.ReadStateBytesStream{Chunks: func(yield func(tfplugin.ReadStateByteChunk) bool) {
		var read provider.ReadStateBytesResponse
		ctx, end := s.streams.start(ctx)
		defer end()
		c := s.call(ctx, "ReadStateBytes")
		diags := start(c, s.p.ReadStateBytes, func() provider.ReadStateBytesRequest {
			c.Type(call.StateStore, req.TypeName)
			return provider.ReadStateBytesRequest{TypeName: req.TypeName, StateID: req.StateID}
		}, func(got provider.ReadStateBytesResponse) diag.Diagnostics {
			read = got
			return streamed(c, got.Chunks != nil, got.Diagnostics)
		})
		c = c.Fork()
		c.Add(diags)
		encode := func(chunk provider.StateChunk) tfplugin.ReadStateByteChunk {
			c.Add(chunk.Diagnostics)
			return tfplugin.ReadStateByteChunk{StateByteChunk: call.EncodeChunk(chunk), Diagnostics: wire.DiagnosticsToProto(c.Take())}
		}
		if call.Stream(c, read.Chunks, encode, yield) {
			if diags := c.Take(); len(diags) > 0 {
				yield(tfplugin.ReadStateByteChunk{Diagnostics: wire.DiagnosticsToProto(diags)})
			}
		}
	}}, nil
}

// WriteStateBytes implements tfplugin.StateStoreServer. The first chunk
// identifies the state to write.
func (s *server) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	resp := &tfplugin.WriteStateBytesResponse{}
	ctx, end := uninterrupted(ctx)
	defer end()
	c := s.call(ctx, "WriteStateBytes")
	write := func(ctx context.Context, req *tfplugin.WriteStateBytesStream) (none provider.WriteStateBytesResponse) {
		next, stop := iter.Pull2(req.Chunks)
		defer stop()
		chunk, diags, ok := next()
		c.Add(wire.DiagnosticsFromProto(diags))
		switch {
		case c.Failed():
			return none
		case !ok || chunk == nil || chunk.Meta == nil:
			c.Errorf(nil, "State without a name", "The first chunk of WriteStateBytes must identify the state. This is a bug in the client.")
			return none
		case !c.Type(call.StateStore, chunk.Meta.TypeName):
			return none
		}
		return s.p.WriteStateBytes(ctx, provider.WriteStateBytesRequest{
			TypeName: chunk.Meta.TypeName,
			StateID:  chunk.Meta.StateID,
			Chunks: func(yield func(provider.StateChunk) bool) {
				for ; ok; chunk, diags, ok = next() {
					if chunk == nil {
						chunk = &tfplugin.WriteStateBytesChunk{}
					}
					if !yield(call.DecodeChunk(chunk.StateByteChunk, diags)) {
						return
					}
				}
			},
		})
	}
	resp.Diagnostics = unary(c, write, func() *tfplugin.WriteStateBytesStream { return req },
		func(got provider.WriteStateBytesResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// LockState implements tfplugin.StateStoreServer.
func (s *server) LockState(ctx context.Context, req *tfplugin.LockStateRequest) (*tfplugin.LockStateResponse, error) {
	resp := &tfplugin.LockStateResponse{}
	c := s.call(ctx, "LockState")
	resp.Diagnostics = unary(c, s.p.LockState, func() provider.LockStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return provider.LockStateRequest{TypeName: req.TypeName, StateID: req.StateID, Operation: req.Operation}
	}, func(got provider.LockStateResponse) diag.Diagnostics {
		resp.LockID = wire.ValidUTF8(got.LockID)
		return got.Diagnostics
	})
	return resp, nil
}

// UnlockState implements tfplugin.StateStoreServer.
func (s *server) UnlockState(ctx context.Context, req *tfplugin.UnlockStateRequest) (*tfplugin.UnlockStateResponse, error) {
	resp := &tfplugin.UnlockStateResponse{}
	ctx, end := uninterrupted(ctx)
	defer end()
	c := s.call(ctx, "UnlockState")
	resp.Diagnostics = unary(c, s.p.UnlockState, func() provider.UnlockStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return provider.UnlockStateRequest{TypeName: req.TypeName, StateID: req.StateID, LockID: req.LockID}
	}, func(got provider.UnlockStateResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}

// GetStates implements tfplugin.StateStoreServer.
func (s *server) GetStates(ctx context.Context, req *tfplugin.GetStatesRequest) (*tfplugin.GetStatesResponse, error) {
	resp := &tfplugin.GetStatesResponse{}
	c := s.call(ctx, "GetStates")
	resp.Diagnostics = unary(c, s.p.GetStates, func() provider.GetStatesRequest {
		c.Type(call.StateStore, req.TypeName)
		return provider.GetStatesRequest{TypeName: req.TypeName}
	}, func(got provider.GetStatesResponse) diag.Diagnostics {
		resp.StateIDs = slices.Clone(got.StateIDs)
		for i, id := range resp.StateIDs {
			resp.StateIDs[i] = wire.ValidUTF8(id)
		}
		return got.Diagnostics
	})
	return resp, nil
}

// DeleteState implements tfplugin.StateStoreServer.
func (s *server) DeleteState(ctx context.Context, req *tfplugin.DeleteStateRequest) (*tfplugin.DeleteStateResponse, error) {
	resp := &tfplugin.DeleteStateResponse{}
	c := s.call(ctx, "DeleteState")
	resp.Diagnostics = unary(c, s.p.DeleteState, func() provider.DeleteStateRequest {
		c.Type(call.StateStore, req.TypeName)
		return provider.DeleteStateRequest{TypeName: req.TypeName, StateID: req.StateID}
	}, func(got provider.DeleteStateResponse) diag.Diagnostics { return got.Diagnostics })
	return resp, nil
}
