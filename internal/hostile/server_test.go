package hostile_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"reflect"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// server has all interfaces of a provider server.
type server interface {
	tfplugin.ProviderServer
	tfplugin.ListResourceServer
	tfplugin.ActionServer
	tfplugin.StateStoreServer
}

// judged is a server whose responses are checked and whose requests may be
// changed.
type judged struct {
	server
	judge *judge
	// tamper is the random source of changes to requests; nil changes nothing.
	tamper *rand.Rand
}

var _ server = (*judged)(nil)

// pass calls a method of the server, with a changed request if s.tamper is set, and
// checks the response.
func pass[Req, Resp any](ctx context.Context, s *judged, rpc string, req *Req, call func(context.Context, *Req) (*Resp, error)) (*Resp, error) {
	if s.tamper != nil {
		tamper(s.tamper, reflect.ValueOf(req).Elem())
	}
	took := stopwatch()
	resp, err := call(ctx, req)
	s.judge.slowest = max(s.judge.slowest, took())
	if testing.Verbose() {
		s.judge.trace(rpc, typeNameOf(req), req, resp)
	}
	s.judge.answer(subject{rpc, typeNameOf(req)}, resp, err)
	return resp, err
}

// passStream checks the elements of a stream.
func passStream[E any](s *judged, rpc, typeName string, seq iter.Seq[E]) iter.Seq[E] {
	if seq == nil {
		s.judge.fail("%s has no stream", rpc)
		seq = func(func(E) bool) {}
	}
	return func(yield func(E) bool) {
		took := stopwatch()
		for e := range seq {
			s.judge.slowest = max(s.judge.slowest, took())
			s.judge.answer(subject{rpc, typeName}, &e, nil)
			if !yield(e) {
				return
			}
			took = stopwatch()
		}
		s.judge.slowest = max(s.judge.slowest, took())
	}
}

// typeNameOf returns the type name in a request, or "".
func typeNameOf(req any) string {
	v := reflect.ValueOf(req).Elem()
	for _, name := range []string{"TypeName", "TargetTypeName", "ActionType", "Name"} {
		if f := v.FieldByName(name); f.IsValid() {
			return f.String()
		}
	}
	return ""
}

func (s *judged) ValidateProviderConfig(ctx context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	return pass(ctx, s, "ValidateProviderConfig", req, s.server.ValidateProviderConfig)
}

func (s *judged) ConfigureProvider(ctx context.Context, req *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	return pass(ctx, s, "ConfigureProvider", req, s.server.ConfigureProvider)
}

func (s *judged) StopProvider(ctx context.Context, req *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return pass(ctx, s, "StopProvider", req, s.server.StopProvider)
}

func (s *judged) ValidateResourceConfig(ctx context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	return pass(ctx, s, "ValidateResourceConfig", req, s.server.ValidateResourceConfig)
}

func (s *judged) UpgradeResourceState(ctx context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	return pass(ctx, s, "UpgradeResourceState", req, s.server.UpgradeResourceState)
}

func (s *judged) UpgradeResourceIdentity(ctx context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	return pass(ctx, s, "UpgradeResourceIdentity", req, s.server.UpgradeResourceIdentity)
}

func (s *judged) ReadResource(ctx context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return pass(ctx, s, "ReadResource", req, s.server.ReadResource)
}

func (s *judged) PlanResourceChange(ctx context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	return pass(ctx, s, "PlanResourceChange", req, s.server.PlanResourceChange)
}

func (s *judged) ApplyResourceChange(ctx context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	return pass(ctx, s, "ApplyResourceChange", req, s.server.ApplyResourceChange)
}

func (s *judged) ImportResourceState(ctx context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	return pass(ctx, s, "ImportResourceState", req, s.server.ImportResourceState)
}

func (s *judged) MoveResourceState(ctx context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	return pass(ctx, s, "MoveResourceState", req, s.server.MoveResourceState)
}

func (s *judged) GenerateResourceConfig(ctx context.Context, req *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return pass(ctx, s, "GenerateResourceConfig", req, s.server.GenerateResourceConfig)
}

func (s *judged) ValidateDataResourceConfig(ctx context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	return pass(ctx, s, "ValidateDataResourceConfig", req, s.server.ValidateDataResourceConfig)
}

func (s *judged) ReadDataSource(ctx context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	return pass(ctx, s, "ReadDataSource", req, s.server.ReadDataSource)
}

func (s *judged) ValidateEphemeralResourceConfig(ctx context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	return pass(ctx, s, "ValidateEphemeralResourceConfig", req, s.server.ValidateEphemeralResourceConfig)
}

func (s *judged) OpenEphemeralResource(ctx context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	return pass(ctx, s, "OpenEphemeralResource", req, s.server.OpenEphemeralResource)
}

func (s *judged) RenewEphemeralResource(ctx context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	return pass(ctx, s, "RenewEphemeralResource", req, s.server.RenewEphemeralResource)
}

func (s *judged) CloseEphemeralResource(ctx context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	return pass(ctx, s, "CloseEphemeralResource", req, s.server.CloseEphemeralResource)
}

func (s *judged) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	return pass(ctx, s, "CallFunction", req, s.server.CallFunction)
}

func (s *judged) ValidateListResourceConfig(ctx context.Context, req *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return pass(ctx, s, "ValidateListResourceConfig", req, s.server.ValidateListResourceConfig)
}

func (s *judged) ValidateActionConfig(ctx context.Context, req *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	return pass(ctx, s, "ValidateActionConfig", req, s.server.ValidateActionConfig)
}

func (s *judged) PlanAction(ctx context.Context, req *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	return pass(ctx, s, "PlanAction", req, s.server.PlanAction)
}

func (s *judged) ValidateStateStoreConfig(ctx context.Context, req *tfplugin.ValidateStateStoreConfigRequest) (*tfplugin.ValidateStateStoreConfigResponse, error) {
	return pass(ctx, s, "ValidateStateStoreConfig", req, s.server.ValidateStateStoreConfig)
}

func (s *judged) ConfigureStateStore(ctx context.Context, req *tfplugin.ConfigureStateStoreRequest) (*tfplugin.ConfigureStateStoreResponse, error) {
	return pass(ctx, s, "ConfigureStateStore", req, s.server.ConfigureStateStore)
}

func (s *judged) LockState(ctx context.Context, req *tfplugin.LockStateRequest) (*tfplugin.LockStateResponse, error) {
	return pass(ctx, s, "LockState", req, s.server.LockState)
}

func (s *judged) UnlockState(ctx context.Context, req *tfplugin.UnlockStateRequest) (*tfplugin.UnlockStateResponse, error) {
	return pass(ctx, s, "UnlockState", req, s.server.UnlockState)
}

func (s *judged) GetStates(ctx context.Context, req *tfplugin.GetStatesRequest) (*tfplugin.GetStatesResponse, error) {
	return pass(ctx, s, "GetStates", req, s.server.GetStates)
}

func (s *judged) DeleteState(ctx context.Context, req *tfplugin.DeleteStateRequest) (*tfplugin.DeleteStateResponse, error) {
	return pass(ctx, s, "DeleteState", req, s.server.DeleteState)
}

func (s *judged) GetMetadata(ctx context.Context, req *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return pass(ctx, s, "GetMetadata", req, s.server.GetMetadata)
}

func (s *judged) GetProviderSchema(ctx context.Context, req *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return pass(ctx, s, "GetProviderSchema", req, s.server.GetProviderSchema)
}

func (s *judged) GetResourceIdentitySchemas(ctx context.Context, req *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return pass(ctx, s, "GetResourceIdentitySchemas", req, s.server.GetResourceIdentitySchemas)
}

func (s *judged) GetFunctions(ctx context.Context, req *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	return pass(ctx, s, "GetFunctions", req, s.server.GetFunctions)
}

func (s *judged) ListResource(ctx context.Context, req *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	resp, err := pass(ctx, s, "ListResource", req, s.server.ListResource)
	if err == nil && resp != nil {
		resp.Results = passStream(s, "ListResource", req.TypeName, resp.Results)
	}
	return resp, err
}

func (s *judged) InvokeAction(ctx context.Context, req *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	resp, err := pass(ctx, s, "InvokeAction", req, s.server.InvokeAction)
	if err == nil && resp != nil {
		resp.Events = passStream(s, "InvokeAction", req.ActionType, resp.Events)
	}
	return resp, err
}

func (s *judged) ReadStateBytes(ctx context.Context, req *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	resp, err := pass(ctx, s, "ReadStateBytes", req, s.server.ReadStateBytes)
	if err == nil && resp != nil {
		resp.Chunks = passStream(s, "ReadStateBytes", req.TypeName, resp.Chunks)
	}
	return resp, err
}

func (s *judged) WriteStateBytes(ctx context.Context, req *tfplugin.WriteStateBytesStream) (*tfplugin.WriteStateBytesResponse, error) {
	if chunks := req.Chunks; s.tamper != nil {
		req = &tfplugin.WriteStateBytesStream{Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
			for chunk, messages := range chunks {
				tamper(s.tamper, reflect.ValueOf(&chunk).Elem())
				if !yield(chunk, messages) {
					return
				}
			}
		}}
	}
	return pass(ctx, s, "WriteStateBytes", req, s.server.WriteStateBytes)
}
