package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// store finds the server's interface for state stores, and the codec of one.
func (c *call) store(cl *client, name string) (tfplugin.StateStoreServer, *wire.Codec) {
	codec := c.codec(cl.schemas, cl.schemas.stateStores, stateStore, name)
	server, ok := cl.server.(tfplugin.StateStoreServer)
	if codec == nil || !c.offered(ok) {
		return nil, nil
	}
	return server, codec
}

// ValidateStateStoreConfig is part of provider.Interface.
func (cl *client) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) (resp provider.ValidateStateStoreConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateStateStoreConfig"}
	defer c.finish(&resp.Diagnostics)
	server, codec := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := server.ValidateStateStoreConfig(ctx, &tfplugin.ValidateStateStoreConfigRequest{TypeName: req.TypeName, Config: config})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// ConfigureStateStore is part of provider.Interface.
func (cl *client) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) (resp provider.ConfigureStateStoreResponse) {
	c := call{ctx: ctx, rpc: "ConfigureStateStore"}
	defer c.finish(&resp.Diagnostics)
	server, codec := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := server.ConfigureStateStore(ctx, &tfplugin.ConfigureStateStoreRequest{
		TypeName:     req.TypeName,
		Config:       config,
		Capabilities: &tfplugin.ConfigureStateStoreClientCapabilities{ChunkSize: req.ChunkSize},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		if got.Capabilities != nil {
			resp.ChunkSize = got.Capabilities.ChunkSize
		}
	}
	return resp
}

// ReadStateBytes is part of provider.Interface.
func (cl *client) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) (resp provider.ReadStateBytesResponse) {
	c := call{ctx: ctx, rpc: "ReadStateBytes"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	got, err := server.ReadStateBytes(ctx, &tfplugin.ReadStateBytesRequest{TypeName: req.TypeName, StateID: req.StateID})
	if c.answered(got != nil, err) && got.Chunks != nil {
		resp.Chunks = func(yield func(provider.StateChunk) bool) {
			c := call{ctx: ctx, rpc: c.rpc, typ: c.typ}
			if stream(&c, got.Chunks, readChunk, yield) && len(c.diags) > 0 {
				yield(provider.StateChunk{Diagnostics: c.diags})
			}
		}
	}
	return resp
}

func readChunk(in tfplugin.ReadStateByteChunk) provider.StateChunk {
	return provider.StateChunk{
		Bytes:       in.Bytes,
		TotalLength: in.TotalLength,
		Start:       in.Range.Start,
		End:         in.Range.End,
		Diagnostics: wire.DiagnosticsFromProto(in.Diagnostics),
	}
}

// WriteStateBytes is part of provider.Interface.
func (cl *client) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	c := call{ctx: ctx, rpc: "WriteStateBytes"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	// Which state is written is said with the first chunk, so there is always
	// one.
	meta := &tfplugin.WriteStateChunkMeta{TypeName: req.TypeName, StateID: req.StateID}
	got, err := server.WriteStateBytes(ctx, &tfplugin.WriteStateBytesStream{
		Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
			first := meta
			if req.Chunks != nil {
				for chunk := range req.Chunks {
					out := &tfplugin.WriteStateBytesChunk{Meta: first, StateByteChunk: chunkToProto(chunk)}
					first = nil
					if !yield(out, wire.DiagnosticsToProto(chunk.Diagnostics)) {
						return
					}
				}
			}
			if first != nil {
				yield(&tfplugin.WriteStateBytesChunk{Meta: first}, nil)
			}
		},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// LockState is part of provider.Interface.
func (cl *client) LockState(ctx context.Context, req provider.LockStateRequest) (resp provider.LockStateResponse) {
	c := call{ctx: ctx, rpc: "LockState"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	got, err := server.LockState(ctx, &tfplugin.LockStateRequest{TypeName: req.TypeName, StateID: req.StateID, Operation: req.Operation})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.LockID = got.LockID
	}
	return resp
}

// UnlockState is part of provider.Interface.
func (cl *client) UnlockState(ctx context.Context, req provider.UnlockStateRequest) (resp provider.UnlockStateResponse) {
	c := call{ctx: ctx, rpc: "UnlockState"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	got, err := server.UnlockState(ctx, &tfplugin.UnlockStateRequest{TypeName: req.TypeName, StateID: req.StateID, LockID: req.LockID})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// GetStates is part of provider.Interface.
func (cl *client) GetStates(ctx context.Context, req provider.GetStatesRequest) (resp provider.GetStatesResponse) {
	c := call{ctx: ctx, rpc: "GetStates"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	got, err := server.GetStates(ctx, &tfplugin.GetStatesRequest{TypeName: req.TypeName})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.StateIDs = got.StateIDs
	}
	return resp
}

// DeleteState is part of provider.Interface.
func (cl *client) DeleteState(ctx context.Context, req provider.DeleteStateRequest) (resp provider.DeleteStateResponse) {
	c := call{ctx: ctx, rpc: "DeleteState"}
	defer c.finish(&resp.Diagnostics)
	server, _ := c.store(cl, req.TypeName)
	if server == nil {
		return resp
	}
	got, err := server.DeleteState(ctx, &tfplugin.DeleteStateRequest{TypeName: req.TypeName, StateID: req.StateID})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}
