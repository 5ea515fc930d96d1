package tfprotov6

import (
	"context"
	"iter"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

const stateStore = "state store"

// ValidateStateStoreConfig is part of tfplugin.StateStoreServer.
func (s *server) ValidateStateStoreConfig(ctx context.Context, req *tfplugin.ValidateStateStoreConfigRequest) (resp *tfplugin.ValidateStateStoreConfigResponse, _ error) {
	resp = &tfplugin.ValidateStateStoreConfigResponse{}
	c := call{ctx: ctx, rpc: "ValidateStateStoreConfig"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.stateStores, stateStore, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	config := c.decode(codec, req.Config, "configuration")
	if c.failed() {
		return resp, nil
	}
	got := s.p.ValidateStateStoreConfig(ctx, provider.ValidateStateStoreConfigRequest{TypeName: req.TypeName, Config: config})
	c.add(got.Diagnostics)
	return resp, nil
}

// ConfigureStateStore is part of tfplugin.StateStoreServer. The capabilities in
// its answer are never nil: clients crash without them.
func (s *server) ConfigureStateStore(ctx context.Context, req *tfplugin.ConfigureStateStoreRequest) (resp *tfplugin.ConfigureStateStoreResponse, _ error) {
	resp = &tfplugin.ConfigureStateStoreResponse{Capabilities: &tfplugin.StateStoreServerCapabilities{}}
	c := call{ctx: ctx, rpc: "ConfigureStateStore"}
	defer c.end(&resp.Diagnostics)
	codec := c.codec(s.schemas, s.schemas.stateStores, stateStore, req.TypeName)
	if codec == nil {
		return resp, nil
	}
	ask := provider.ConfigureStateStoreRequest{TypeName: req.TypeName, Config: c.decode(codec, req.Config, "configuration")}
	if c.failed() {
		return resp, nil
	}
	if req.Capabilities != nil {
		ask.ChunkSize = req.Capabilities.ChunkSize
	}
	got := s.p.ConfigureStateStore(ctx, ask)
	c.add(got.Diagnostics)
	resp.Capabilities.ChunkSize = got.ChunkSize
	return resp, nil
}

// known says whether there is a state store of that name.
func (s *server) knownStore(c *call, name string) bool {
	return c.codec(s.schemas, s.schemas.stateStores, stateStore, name) != nil
}

// ReadStateBytes is part of tfplugin.StateStoreServer. Messages that are of no
// chunk come with a chunk of no bytes.
func (s *server) ReadStateBytes(ctx context.Context, req *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	return &tfplugin.ReadStateBytesStream{Chunks: func(yield func(tfplugin.ReadStateByteChunk) bool) {
		c := call{ctx: ctx, rpc: "ReadStateBytes"}
		read := s.startRead(&c, req)
		convert := func(chunk provider.StateChunk) tfplugin.ReadStateByteChunk {
			diags := append(c.take(), chunk.Diagnostics...)
			return tfplugin.ReadStateByteChunk{StateByteChunk: chunkToProto(chunk), Diagnostics: wire.DiagnosticsToProto(diags)}
		}
		if stream(&c, read.Chunks, convert, yield) && len(c.diags) > 0 {
			yield(tfplugin.ReadStateByteChunk{Diagnostics: wire.DiagnosticsToProto(c.diags)})
		}
	}}, nil
}

func (s *server) startRead(c *call, req *tfplugin.ReadStateBytesRequest) (read provider.ReadStateBytesResponse) {
	defer func() {
		if r := recover(); r != nil {
			c.panicked(r)
		}
	}()
	if s.knownStore(c, req.TypeName) {
		read = s.p.ReadStateBytes(c.ctx, provider.ReadStateBytesRequest{TypeName: req.TypeName, StateID: req.StateID})
		c.add(read.Diagnostics)
	}
	return read
}

// WriteStateBytes is part of tfplugin.StateStoreServer. The first chunk says
// which state is written.
func (s *server) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (resp *tfplugin.WriteStateBytesResponse, _ error) {
	resp = &tfplugin.WriteStateBytesResponse{}
	c := call{ctx: ctx, rpc: "WriteStateBytes"}
	defer c.end(&resp.Diagnostics)
	next, stop := iter.Pull2(req.Chunks)
	defer stop()
	chunk, diags, ok := next()
	c.add(wire.DiagnosticsFromProto(diags))
	if c.failed() {
		return resp, nil
	}
	if !ok || chunk == nil || chunk.Meta == nil {
		c.errorf(nil, "State without a name", "The first part of a state that is to be written has to say which state it is.")
		return resp, nil
	}
	if !s.knownStore(&c, chunk.Meta.TypeName) {
		return resp, nil
	}
	got := s.p.WriteStateBytes(ctx, provider.WriteStateBytesRequest{
		TypeName: chunk.Meta.TypeName,
		StateID:  chunk.Meta.StateID,
		Chunks: func(yield func(provider.StateChunk) bool) {
			for ; ok; chunk, diags, ok = next() {
				out := provider.StateChunk{Diagnostics: wire.DiagnosticsFromProto(diags)}
				if chunk != nil {
					out.Bytes, out.TotalLength = chunk.Bytes, chunk.TotalLength
					out.Start, out.End = chunk.Range.Start, chunk.Range.End
				}
				if !yield(out) {
					return
				}
			}
		},
	})
	c.add(got.Diagnostics)
	return resp, nil
}

func chunkToProto(chunk provider.StateChunk) tfplugin.StateByteChunk {
	return tfplugin.StateByteChunk{
		Bytes:       chunk.Bytes,
		TotalLength: chunk.TotalLength,
		Range:       tfplugin.StateByteRange{Start: chunk.Start, End: chunk.End},
	}
}

// LockState is part of tfplugin.StateStoreServer.
func (s *server) LockState(ctx context.Context, req *tfplugin.LockStateRequest) (resp *tfplugin.LockStateResponse, _ error) {
	resp = &tfplugin.LockStateResponse{}
	c := call{ctx: ctx, rpc: "LockState"}
	defer c.end(&resp.Diagnostics)
	if s.knownStore(&c, req.TypeName) {
		got := s.p.LockState(ctx, provider.LockStateRequest{TypeName: req.TypeName, StateID: req.StateID, Operation: req.Operation})
		c.add(got.Diagnostics)
		resp.LockID = validText(got.LockID)
	}
	return resp, nil
}

// UnlockState is part of tfplugin.StateStoreServer.
func (s *server) UnlockState(ctx context.Context, req *tfplugin.UnlockStateRequest) (resp *tfplugin.UnlockStateResponse, _ error) {
	resp = &tfplugin.UnlockStateResponse{}
	c := call{ctx: ctx, rpc: "UnlockState"}
	defer c.end(&resp.Diagnostics)
	if s.knownStore(&c, req.TypeName) {
		got := s.p.UnlockState(ctx, provider.UnlockStateRequest{TypeName: req.TypeName, StateID: req.StateID, LockID: req.LockID})
		c.add(got.Diagnostics)
	}
	return resp, nil
}

// GetStates is part of tfplugin.StateStoreServer.
func (s *server) GetStates(ctx context.Context, req *tfplugin.GetStatesRequest) (resp *tfplugin.GetStatesResponse, _ error) {
	resp = &tfplugin.GetStatesResponse{}
	c := call{ctx: ctx, rpc: "GetStates"}
	defer c.end(&resp.Diagnostics)
	if s.knownStore(&c, req.TypeName) {
		got := s.p.GetStates(ctx, provider.GetStatesRequest{TypeName: req.TypeName})
		c.add(got.Diagnostics)
		resp.StateIDs = slices.Clone(got.StateIDs)
		for i, id := range resp.StateIDs {
			resp.StateIDs[i] = validText(id)
		}
	}
	return resp, nil
}

// DeleteState is part of tfplugin.StateStoreServer.
func (s *server) DeleteState(ctx context.Context, req *tfplugin.DeleteStateRequest) (resp *tfplugin.DeleteStateResponse, _ error) {
	resp = &tfplugin.DeleteStateResponse{}
	c := call{ctx: ctx, rpc: "DeleteState"}
	defer c.end(&resp.Diagnostics)
	if s.knownStore(&c, req.TypeName) {
		got := s.p.DeleteState(ctx, provider.DeleteStateRequest{TypeName: req.TypeName, StateID: req.StateID})
		c.add(got.Diagnostics)
	}
	return resp, nil
}
