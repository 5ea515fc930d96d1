package guard_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// dataBody returns thingBody without its write-only attributes.
func dataBody() *configschema.Block {
	b := thingBody()
	delete(b.Attributes, "token")
	delete(b.Attributes["settings"].NestedType.Attributes, "once")
	return b
}

func textBody(name string) *configschema.Block {
	return &configschema.Block{Attributes: attributes{name: {Type: cty.String, Optional: true}}}
}

func actionBody() *configschema.Block {
	b := textBody("host")
	b.Attributes["token"] = &configschema.Attribute{Type: cty.String, Optional: true, WriteOnly: true}
	return b
}

// storedState is the content of the store, in chunks of chunkSize bytes.
const (
	storedState = "{state}"
	chunkSize   = 4
)

func fakeFunctions() map[string]provider.FunctionDecl {
	something := provider.FunctionParam{Name: "value", Type: cty.DynamicPseudoType, AllowNullValue: true, AllowUnknownValues: true}
	text := []provider.FunctionParam{{Name: "text", Type: cty.String}}
	lists := provider.FunctionParam{Name: "lists", Type: cty.List(cty.String), AllowNullValue: true}
	return map[string]provider.FunctionDecl{
		"shout":       {Parameters: text, ReturnType: cty.String},
		"whisper":     {Parameters: text, ReturnType: cty.String},
		"same":        {Parameters: []provider.FunctionParam{something}, ReturnType: cty.DynamicPseudoType},
		"count":       {VariadicParameter: &something, ReturnType: cty.Number},
		"count_lists": {VariadicParameter: &lists, ReturnType: cty.Number},
	}
}

// found returns a configuration with the values that the provider adds.
func found(config cty.Value) cty.Value {
	body := dataBody()
	v, _ := cty.Transform(config, func(path cty.Path, v cty.Value) (cty.Value, error) {
		attr := body.EnclosingAttribute(path)
		switch {
		case attr == nil || !attr.Computed || !v.IsNull():
			return v, nil
		case v.Type() == cty.Number:
			return cty.NumberIntVal(4), nil
		default:
			return cty.StringVal("chosen"), nil
		}
	})
	return v
}

func (f fake) ReadDataSource(_ context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	return provider.ReadDataSourceResponse{State: found(req.Config)}
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

func (f fake) OpenEphemeralResource(_ context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	return provider.OpenEphemeralResourceResponse{Result: found(req.Config), Private: f.private, RenewAt: inAnHour()}
}

func (f fake) RenewEphemeralResource(_ context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	return provider.RenewEphemeralResourceResponse{Private: req.Private, RenewAt: inAnHour()}
}

func (f fake) CloseEphemeralResource(context.Context, provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	return provider.CloseEphemeralResourceResponse{}
}

func (f fake) CallFunction(_ context.Context, req provider.CallFunctionRequest) (resp provider.CallFunctionResponse) {
	switch req.FunctionName {
	case "shout":
		resp.Result = cty.StringVal(strings.ToUpper(req.Arguments[0].AsString()))
	case "whisper":
		resp.Result = cty.StringVal(strings.ToLower(req.Arguments[0].AsString()))
	case "same":
		resp.Result = req.Arguments[0]
	default:
		resp.Result = cty.NumberIntVal(int64(len(req.Arguments)))
	}
	return resp
}

func (f fake) ListResource(_ context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	return provider.ListResourceResponse{Results: func(yield func(provider.ListResult) bool) {
		for i, path := range []string{"/a", "/b", "/c"} {
			if req.Limit > 0 && int64(i) == req.Limit || !yield(listed(path, req.IncludeResourceObject)) {
				return
			}
		}
	}}
}

func listed(path string, include bool) provider.ListResult {
	r := provider.ListResult{DisplayName: path, Identity: identityOf(cty.StringVal("local"), cty.StringVal(path))}
	if include {
		r.ResourceObject = set(bodyOf("fake_thing").EmptyValue(), "path", cty.StringVal(path))
	}
	return r
}

func (f fake) PlanAction(context.Context, provider.PlanActionRequest) provider.PlanActionResponse {
	return provider.PlanActionResponse{}
}

func (f fake) InvokeAction(context.Context, provider.InvokeActionRequest) provider.InvokeActionResponse {
	return provider.InvokeActionResponse{Events: slices.Values([]provider.ActionEvent{
		provider.ActionProgress{Message: "half way"}, provider.ActionCompleted{},
	})}
}

func (f fake) ConfigureStateStore(context.Context, provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	return provider.ConfigureStateStoreResponse{ChunkSize: chunkSize}
}

// chunksOf returns a text in chunks, as a client and a store send it.
func chunksOf(text string) []provider.StateChunk {
	var chunks []provider.StateChunk
	for start := 0; start < len(text); start += chunkSize {
		part := text[start:min(start+chunkSize, len(text))]
		chunks = append(chunks, provider.StateChunk{
			Bytes: []byte(part), TotalLength: int64(len(text)), Start: int64(start), End: int64(start + len(part) - 1),
		})
	}
	return chunks
}

func (f fake) ReadStateBytes(context.Context, provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	return provider.ReadStateBytesResponse{Chunks: slices.Values(chunksOf(storedState))}
}

func (f fake) WriteStateBytes(_ context.Context, req provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	for chunk := range req.Chunks {
		resp.Diagnostics = append(resp.Diagnostics, chunk.Diagnostics...)
	}
	return resp
}

func (f fake) LockState(context.Context, provider.LockStateRequest) provider.LockStateResponse {
	return provider.LockStateResponse{LockID: "lock"}
}

func (f fake) GetStates(context.Context, provider.GetStatesRequest) provider.GetStatesResponse {
	return provider.GetStatesResponse{StateIDs: []string{"default", "other"}}
}

// families adds the requests of families other than managed resources.
func (w *world) families() {
	config := unset(thingConfig("/a", "hello"), "token")
	config = set(config, "settings", unset(config.GetAttr("settings"), "once"))
	w.readData = provider.ReadDataSourceRequest{TypeName: "fake_data", Config: config}
	w.open = provider.OpenEphemeralResourceRequest{TypeName: "fake_lease", Config: config}
	w.renew = provider.RenewEphemeralResourceRequest{TypeName: "fake_lease", Private: []byte("mine")}
	w.call = provider.CallFunctionRequest{FunctionName: "shout", Arguments: []cty.Value{cty.StringVal(secret)}}
	w.list = provider.ListResourceRequest{
		TypeName: "fake_thing", Config: textBody("prefix").EmptyValue(), IncludeResourceObject: true, Limit: 2,
	}
	act := cty.ObjectVal(values{"host": cty.StringVal("local"), "token": cty.StringVal(secret)})
	w.planAction = provider.PlanActionRequest{ActionType: "fake_act", Config: act}
	w.invoke = provider.InvokeActionRequest{ActionType: "fake_act", Config: act}
	w.configureStore = provider.ConfigureStateStoreRequest{TypeName: "fake_store", Config: textBody("directory").EmptyValue(), ChunkSize: 8 << 20}
	w.readBytes = provider.ReadStateBytesRequest{TypeName: "fake_store", StateID: "default"}
	w.writeBytes = provider.WriteStateBytesRequest{TypeName: "fake_store", StateID: "default", Chunks: slices.Values(chunksOf(storedState))}
	w.lock = provider.LockStateRequest{TypeName: "fake_store", StateID: "default", Operation: "plan"}
	w.getStates = provider.GetStatesRequest{TypeName: "fake_store"}
}
