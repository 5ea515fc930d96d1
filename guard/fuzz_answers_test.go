package guard_test

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// FuzzAnswers calls methods of all families of a provider that returns random responses or
// panics. It checks that the guard does not panic, and that a second guard around the first one
// adds no diagnostics: the responses of a guard break only rules that the guard reports.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{})
	random := rand.NewChaCha8([32]byte{1})
	for range 150 { // long inputs, because every choice after the last byte is 1
		choices := make([]byte, 120)
		_, _ = random.Read(choices)
		f.Add(choices)
	}
	w := newWorld(f, fake{}, "fake_thing")
	f.Fuzz(func(t *testing.T, choices []byte) {
		wild := &wild{chooser: chooser(choices)}
		var between recorder
		p := guard.Wrap(between.listen(guard.Wrap(wild)))
		for name, call := range map[string]func(*testing.T, provider.Interface, world) diag.Diagnostics{
			"data": readData, "data, deferrable": readDataDeferrable, "open": open, "open, deferrable": openDeferrable, "renew": renew,
			"call": call, "call of any": callWith("same", cty.True), "list": list, "list of names": listWithoutObject,
			"action plan": planAction, "invoke": invoke, "state": readBytes, "write": writeBytes, "lock": lock,
			"states": getStates, "generate": generate,
			"read": read, "plan": planUpdate, "create": create, "update": update, "import": importID, "move": move,
		} {
			between.messages = nil
			wild.chooser = chooser(choices)
			outer := call(t, p, w)
			if diff := cmp.Diff(brokenRules(between.messages), brokenRules(outer)); diff != "" {
				t.Errorf("%s: a second guard reports different rules (-first +second):\n%s", name, diff)
			}
		}
	})
}

// recorder records the diagnostics that a guard returns.
type recorder struct{ messages diag.Diagnostics }

func (h *recorder) listen(p provider.Interface) *mutant {
	hear := func(messages diag.Diagnostics) { h.messages = append(h.messages, messages...) }
	return &mutant{
		Interface:  p,
		readData:   func(r *provider.ReadDataSourceResponse) { hear(r.Diagnostics) },
		open:       func(r *provider.OpenEphemeralResourceResponse) { hear(r.Diagnostics) },
		renew:      func(r *provider.RenewEphemeralResourceResponse) { hear(r.Diagnostics) },
		call:       func(r *provider.CallFunctionResponse) { hear(asMessages(r.Err)) },
		planAction: func(r *provider.PlanActionResponse) { hear(r.Diagnostics) },
		list: func(r *provider.ListResourceResponse) {
			hear(r.Diagnostics)
			r.Results = hearing(r.Results, func(r *provider.ListResult) { hear(r.Diagnostics) })
		},
		invoke: func(r *provider.InvokeActionResponse) {
			hear(r.Diagnostics)
			r.Events = hearing(r.Events, func(e *provider.ActionEvent) {
				if end, ok := (*e).(provider.ActionCompleted); ok {
					hear(end.Diagnostics)
				}
			})
		},
		readBytes: func(r *provider.ReadStateBytesResponse) {
			hear(r.Diagnostics)
			r.Chunks = hearing(r.Chunks, func(c *provider.StateChunk) { hear(c.Diagnostics) })
		},
		configureStore: func(r *provider.ConfigureStateStoreResponse) { hear(r.Diagnostics) },
		writeBytes:     func(r *provider.WriteStateBytesResponse) { hear(r.Diagnostics) },
		lock:           func(r *provider.LockStateResponse) { hear(r.Diagnostics) },
		getStates:      func(r *provider.GetStatesResponse) { hear(r.Diagnostics) },
		generate:       func(r *provider.GenerateResourceConfigResponse) { hear(r.Diagnostics) },
		read:           func(r *provider.ReadResourceResponse) { hear(r.Diagnostics) },
		plan:           func(r *provider.PlanResourceChangeResponse) { hear(r.Diagnostics) },
		apply:          func(r *provider.ApplyResourceChangeResponse) { hear(r.Diagnostics) },
		imports:        func(r *provider.ImportResourceStateResponse) { hear(r.Diagnostics) },
		move:           func(r *provider.MoveResourceStateResponse) { hear(r.Diagnostics) },
	}
}

func hearing[E any](seq iter.Seq[E], hear func(*E)) iter.Seq[E] {
	if seq == nil {
		return nil
	}
	return each(seq, hear)
}

// wild returns responses chosen by a fuzzer.
type wild struct {
	fake
	chooser
}

// maybe panics for a few values of the next byte.
func (w *wild) maybe() {
	if w.next()%32 == 31 {
		panic(secret)
	}
}

func (w *wild) any(ty cty.Type) cty.Value {
	switch w.next() % 24 {
	case 4:
		return cty.NilVal
	case 5:
		return cty.DynamicVal
	case 6:
		return cty.NullVal(cty.String)
	case 7:
		return cty.StringVal("x").Mark("m")
	case 8:
		return oddVal()
	case 9:
		return cty.UnknownVal(ty)
	case 10, 11, 12:
		return w.value(ty, 3)
	}
	if !ty.IsObjectType() {
		return w.value(ty, 3)
	}
	attrs := make(values)
	for _, name := range slices.Sorted(keysOf(ty)) {
		attrs[name] = w.any(ty.AttributeType(name))
		if attrs[name] == cty.NilVal {
			delete(attrs, name)
		}
	}
	return cty.ObjectVal(attrs)
}

func keysOf(ty cty.Type) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range ty.AttributeTypes() {
			if !yield(name) {
				return
			}
		}
	}
}

// near returns v or a random value.
func (w *wild) near(v cty.Value) cty.Value {
	if v == cty.NilVal || w.next()%3 != 0 {
		return v
	}
	return w.any(v.Type())
}

func (w *wild) diagnostics() (messages diag.Diagnostics) {
	paths := []cty.Path{nil, cty.GetAttrPath("path"), cty.GetAttrPath("settings").GetAttr("pin"), {nil}, {cty.IndexStep{}}}
	for range w.next() % 8 / 6 {
		messages = append(messages, diag.Diagnostic{
			Severity: diag.Severity(w.next() % 4), Summary: []string{"", "said"}[w.next()%2], Path: paths[int(w.next())%len(paths)],
		})
	}
	return messages
}

func (w *wild) later() *provider.Deferred {
	if w.next()%8 != 0 {
		return nil
	}
	return &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
}

func (w *wild) bytes() []byte { return [][]byte{nil, {}, []byte("mine")}[w.next()%3] }

func (w *wild) when() time.Time {
	return []time.Time{{}, time.Now().Add(time.Hour), time.Now().Add(-time.Hour)}[w.next()%3]
}

func (w *wild) ReadDataSource(_ context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	w.maybe()
	return provider.ReadDataSourceResponse{State: w.near(found(req.Config)), Diagnostics: w.diagnostics(), Deferred: w.later()}
}

func (w *wild) OpenEphemeralResource(_ context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	w.maybe()
	return provider.OpenEphemeralResourceResponse{
		Result: w.near(found(req.Config)), Diagnostics: w.diagnostics(), Deferred: w.later(), Private: w.bytes(), RenewAt: w.when(),
	}
}

func (w *wild) RenewEphemeralResource(context.Context, provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	w.maybe()
	return provider.RenewEphemeralResourceResponse{Diagnostics: w.diagnostics(), Private: w.bytes(), RenewAt: w.when()}
}

func (w *wild) CloseEphemeralResource(context.Context, provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	w.maybe()
	return provider.CloseEphemeralResourceResponse{Diagnostics: w.diagnostics()}
}

func (w *wild) CallFunction(context.Context, provider.CallFunctionRequest) provider.CallFunctionResponse {
	w.maybe()
	errs := []error{
		errors.New("x"), errors.New(""), provider.ErrUnimplemented, (*provider.FunctionArgumentError)(nil), &provider.FunctionArgumentError{},
		&provider.FunctionArgumentError{Index: int(w.next()) - 2, Err: errors.New("x")},
	}
	if i := int(w.next()) % 12; i < len(errs) {
		return provider.CallFunctionResponse{Err: errs[i]}
	}
	return provider.CallFunctionResponse{Result: w.any(cty.String)}
}

// parts returns nil or a stream of up to five parts, which may continue after yield returned false.
func parts[E any](w *wild, make func() E) iter.Seq[E] {
	if w.next()%16 == 15 {
		return nil
	}
	return func(yield func(E) bool) {
		for range w.next() % 6 {
			w.maybe()
			if !yield(make()) && w.next()%4 != 0 {
				return
			}
		}
	}
}

func (w *wild) ListResource(context.Context, provider.ListResourceRequest) provider.ListResourceResponse {
	w.maybe()
	return provider.ListResourceResponse{Diagnostics: w.diagnostics(), Results: parts(w, func() provider.ListResult {
		r := listed("/"+number(int(w.next()%4)), w.next()%2 == 0)
		if w.next()%4 == 0 {
			r.DisplayName = ""
		}
		r.Identity = w.near(r.Identity)
		if r.ResourceObject != cty.NilVal {
			r.ResourceObject = w.near(r.ResourceObject)
		}
		r.Diagnostics = w.diagnostics()
		return r
	})}
}

func (w *wild) PlanAction(context.Context, provider.PlanActionRequest) provider.PlanActionResponse {
	w.maybe()
	return provider.PlanActionResponse{Diagnostics: w.diagnostics(), Deferred: w.later()}
}

func (w *wild) InvokeAction(context.Context, provider.InvokeActionRequest) provider.InvokeActionResponse {
	w.maybe()
	return provider.InvokeActionResponse{Diagnostics: w.diagnostics(), Events: parts(w, func() provider.ActionEvent {
		return []provider.ActionEvent{
			nil, provider.ActionProgress{Message: "x"}, provider.ActionProgress{}, &provider.ActionProgress{}, provider.ActionCompleted{Diagnostics: w.diagnostics()},
		}[w.next()%5]
	})}
}

func (w *wild) ConfigureStateStore(context.Context, provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	w.maybe()
	return provider.ConfigureStateStoreResponse{ChunkSize: int64(w.next()) - 2, Diagnostics: w.diagnostics()}
}

func (w *wild) ReadStateBytes(context.Context, provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	w.maybe()
	good := chunksOf(storedState)
	return provider.ReadStateBytesResponse{Diagnostics: w.diagnostics(), Chunks: parts(w, func() provider.StateChunk {
		c := good[w.next()%2]
		switch w.next() % 8 {
		case 0:
			c.Start--
		case 1:
			c.TotalLength = int64(w.next()) - 4
		case 2:
			c.Bytes = nil
		}
		c.Diagnostics = w.diagnostics()
		return c
	})}
}

func (w *wild) WriteStateBytes(_ context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	w.maybe()
	for range req.Chunks {
		if w.next()%4 == 0 {
			break
		}
	}
	return provider.WriteStateBytesResponse{Diagnostics: w.diagnostics()}
}

func (w *wild) LockState(context.Context, provider.LockStateRequest) provider.LockStateResponse {
	w.maybe()
	return provider.LockStateResponse{LockID: []string{"", "lock"}[w.next()%2], Diagnostics: w.diagnostics()}
}

func (w *wild) GetStates(context.Context, provider.GetStatesRequest) provider.GetStatesResponse {
	w.maybe()
	return provider.GetStatesResponse{StateIDs: [][]string{nil, {""}, {"a", "a"}, {"a"}}[w.next()%4], Diagnostics: w.diagnostics()}
}

func (w *wild) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	w.maybe()
	return provider.GenerateResourceConfigResponse{Config: w.near(w.fake.GenerateResourceConfig(ctx, req).Config), Diagnostics: w.diagnostics()}
}

func (w *wild) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	w.maybe()
	r := w.fake.ReadResource(ctx, req)
	r.NewState, r.Identity, r.Diagnostics, r.Deferred = w.near(r.NewState), w.near(r.Identity), w.diagnostics(), w.later()
	return r
}

func (w *wild) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	w.maybe()
	r := w.fake.PlanResourceChange(ctx, req)
	r.PlannedState, r.PlannedIdentity, r.Diagnostics, r.Deferred = w.near(r.PlannedState), w.near(r.PlannedIdentity), w.diagnostics(), w.later()
	return r
}

func (w *wild) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	w.maybe()
	r := w.fake.ApplyResourceChange(ctx, req)
	r.NewState, r.NewIdentity, r.Private, r.Diagnostics = w.near(r.NewState), w.near(r.NewIdentity), w.bytes(), w.diagnostics()
	return r
}

func (w *wild) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	w.maybe()
	r := w.fake.ImportResourceState(ctx, req)
	found := &r.ImportedResources[0]
	found.State, found.Identity, r.Diagnostics, r.Deferred = w.near(found.State), w.near(found.Identity), w.diagnostics(), w.later()
	return r
}

func (w *wild) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	w.maybe()
	r := w.fake.MoveResourceState(ctx, req)
	r.TargetState, r.TargetIdentity, r.Diagnostics = w.near(r.TargetState), w.near(r.TargetIdentity), w.diagnostics()
	return r
}
