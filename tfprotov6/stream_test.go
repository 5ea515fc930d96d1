package tfprotov6_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// results returns a stream of n results, counted in yielded. It panics at its end if panics is true.
func results(n int, panics bool, yielded *int) iter.Seq[provider.ListResult] {
	return func(yield func(provider.ListResult) bool) {
		for range n {
			*yielded++
			if !yield(provider.ListResult{DisplayName: "found"}) {
				return
			}
		}
		if panics {
			panic("hunter2")
		}
	}
}

// TestStreamEndsEarly checks that the stream of the provider ends when the reader stops, as
// Terraform does at the limit of a list.
func TestStreamEndsEarly(t *testing.T) {
	t.Parallel()
	yielded := 0
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: results(10, true, &yielded)})
	for range viaProtocol(t, f).ListResource(t.Context(), provider.ListResourceRequest{TypeName: thing}).Results {
		if yielded == 2 {
			break
		}
	}
	if yielded != 2 {
		t.Errorf("the provider returned %d results, want 2", yielded)
	}
}

// TestStreamIsNotStopped checks that the reader is not called again if a provider
// continues after the reader has stopped, and that the panic that this causes is recovered.
func TestStreamIsNotStopped(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: func(yield func(provider.ListResult) bool) {
		for range 3 {
			yield(provider.ListResult{DisplayName: "found"})
		}
	}})
	list, _ := serve(t, f).(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
	read := 0
	list.Results(func(tfplugin.ListResourceResult) bool {
		read++
		return false
	})
	if read != 1 {
		t.Errorf("the reader was called %d times, want once", read)
	}
}

func TestStreamPanics(t *testing.T) {
	t.Parallel()
	yielded := 0
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: results(2, true, &yielded)})
	f.answer(provider.InvokeActionResponse{Events: func(yield func(provider.ActionEvent) bool) {
		yield(provider.ActionProgress{Message: "still well"})
		panic("hunter2")
	}})
	f.answer(provider.ReadStateBytesResponse{Chunks: func(yield func(provider.StateChunk) bool) {
		yield(provider.StateChunk{Bytes: []byte("well")})
		panic("hunter2")
	}})
	server := serve(t, f)
	check := func(name string, n int, diags diag.Diagnostics) {
		if n != 1 || !diags.HasErrors() || !strings.Contains(diags.Error(), "panic") || strings.Contains(diags.Error(), "hunter2") {
			t.Errorf("%s: got %d last elements with diagnostics %q, want 1 with an error about a panic, without its value", name, n, diags)
		}
	}
	var diags diag.Diagnostics
	list, _ := server.(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
	n := 0
	for r := range list.Results {
		n++
		diags = wire.DiagnosticsFromProto(r.Diagnostics)
	}
	check("ListResource", n-2, diags)
	events, _ := server.(tfplugin.ActionServer).InvokeAction(t.Context(), &tfplugin.InvokeActionRequest{ActionType: thing})
	n = 0
	for e := range events.Events {
		n++
		if completed, ok := e.Type.(tfplugin.CompletedInvokeActionEventType); ok {
			diags = wire.DiagnosticsFromProto(completed.Diagnostics)
		}
	}
	check("InvokeAction", n-1, diags)
	chunks, _ := server.(tfplugin.StateStoreServer).ReadStateBytes(t.Context(), &tfplugin.ReadStateBytesRequest{TypeName: thing})
	n = 0
	for c := range chunks.Chunks {
		n++
		diags = wire.DiagnosticsFromProto(c.Diagnostics)
	}
	check("ReadStateBytes", n-1, diags)
}

// TestReaderPanics checks that a panic of the reader of a stream is not recovered.
func TestReaderPanics(t *testing.T) {
	t.Parallel()
	yielded := 0
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: results(2, false, &yielded)})
	list, _ := serve(t, f).(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("got panic %v, want mine", r)
		}
	}()
	for range list.Results {
		panic("mine")
	}
	t.Error("the panic of the reader was recovered")
}

// TestListedNameIsNotPrintable checks that a name with invalid UTF-8, which gRPC cannot send, does
// not end a list, and that its control characters are not sent.
func TestListedNameIsNotPrintable(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: func(yield func(provider.ListResult) bool) {
		_ = yield(provider.ListResult{DisplayName: "caf\xe9\x1b\a"}) && yield(provider.ListResult{DisplayName: "bar"})
	}})
	list, _ := serve(t, f).(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
	var got []string
	for r := range list.Results {
		got = append(got, r.DisplayName)
	}
	if want := []string{"caf\uFFFD", "bar"}; !slices.Equal(got, want) {
		t.Errorf("got the names %q, want %q", got, want)
	}
}

// TestDiagnosticsBeforeStream checks that the diagnostics of a response to an RPC with a stream are
// in the stream.
func TestDiagnosticsBeforeStream(t *testing.T) {
	t.Parallel()
	warning := diag.Diagnostics{}.Warnf(nil, "Slow", "It will take long.")
	failure := diag.Diagnostics{}.Errorf(nil, "Closed", "The service is closed.")
	f := newFake()
	p := viaProtocol(t, f)

	yielded := 0
	f.answer(provider.ListResourceResponse{Results: results(1, false, &yielded), Diagnostics: warning})
	var found []provider.ListResult
	for r := range p.ListResource(t.Context(), provider.ListResourceRequest{TypeName: thing}).Results {
		found = append(found, r)
	}
	if len(found) != 2 || found[0].Diagnostics[0].Summary != "Slow" || found[1].DisplayName != "found" {
		t.Errorf("got results %v, want the warning and the result named found", found)
	}

	f.answer(provider.InvokeActionResponse{Diagnostics: failure})
	events := 0
	for e := range p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: thing}).Events {
		events++
		if completed, ok := e.(provider.ActionCompleted); !ok || completed.Diagnostics[0].Summary != "Closed" {
			t.Errorf("got event %v, want the completed event with the error", e)
		}
	}
	if events != 1 {
		t.Errorf("got %d events, want 1", events)
	}

	f.answer(provider.InvokeActionResponse{Diagnostics: warning, Events: func(yield func(provider.ActionEvent) bool) {
		yield(provider.ActionCompleted{Diagnostics: failure})
	}})
	events = 0
	for e := range p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: thing}).Events {
		events++
		if completed, ok := e.(provider.ActionCompleted); !ok || len(completed.Diagnostics) != 2 {
			t.Errorf("got event %v, want the completed event with the warning and the error", e)
		}
	}
	if events != 1 {
		t.Errorf("got %d events with a warning in the response, want 1", events)
	}

	f.answer(provider.ReadStateBytesResponse{Diagnostics: failure})
	chunks := 0
	for c := range p.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: thing}).Chunks {
		chunks++
		if c.Diagnostics[0].Summary != "Closed" {
			t.Errorf("got chunk %v, want one with the error", c)
		}
	}
	if chunks != 1 {
		t.Errorf("got %d chunks, want 1", chunks)
	}
}

// TestUnencodableResult checks that a result that cannot be encoded has an error, and
// that the next results follow.
func TestUnencodableResult(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.answer(provider.ListResourceResponse{Results: func(yield func(provider.ListResult) bool) {
		_ = yield(provider.ListResult{DisplayName: "bad", ResourceObject: cty.True}) && yield(provider.ListResult{DisplayName: "good"})
	}})
	var found []provider.ListResult
	for r := range viaProtocol(t, f).ListResource(t.Context(), provider.ListResourceRequest{TypeName: thing}).Results {
		found = append(found, r)
	}
	if len(found) != 2 || !found[0].Diagnostics.HasErrors() || found[1].Diagnostics.HasErrors() {
		t.Errorf("got results %v, want two, only the first with an error", found)
	}
}

func TestWriteStateBytes(t *testing.T) {
	t.Parallel()
	write := func(f *fake, chunks iter.Seq2[*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic]) diag.Diagnostics {
		resp, err := serve(t, f).(tfplugin.StateStoreServer).WriteStateBytes(t.Context(), &tfplugin.WriteStateBytesStream{Chunks: chunks})
		if err != nil {
			t.Fatal(err)
		}
		return wire.DiagnosticsFromProto(resp.Diagnostics)
	}
	part := func(b string) tfplugin.StateByteChunk { return tfplugin.StateByteChunk{Bytes: []byte(b)} }
	broken := []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityError, Summary: "Connection lost"}}

	if diags := write(newFake(), chunksOf()); !strings.Contains(diags.Error(), "State without a name") {
		t.Errorf("no chunks: got %q, want an error about the missing name", diags)
	}
	if diags := write(newFake(), chunksOf(&tfplugin.WriteStateBytesChunk{StateByteChunk: part("a")})); !strings.Contains(diags.Error(), "State without a name") {
		t.Errorf("no name: got %q, want an error about the missing name", diags)
	}
	atOnce := func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) { yield(nil, broken) }
	if diags := write(newFake(), atOnce); len(diags) != 1 || diags[0].Summary != "Connection lost" {
		t.Errorf("error in the first chunk: got %q, want only the lost connection", diags)
	}

	f := newFake()
	write(f, func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
		first := &tfplugin.WriteStateBytesChunk{Meta: &tfplugin.WriteStateChunkMeta{TypeName: thing, StateID: "default"}, StateByteChunk: part("a")}
		_ = yield(first, nil) && yield(nil, broken)
	})
	if len(f.asked) != 1 {
		t.Fatal("the provider was not called")
	}
	req := f.asked[0].(provider.WriteStateBytesRequest)
	var text string
	var diags diag.Diagnostics
	for c := range req.Chunks {
		text += string(c.Bytes)
		diags = append(diags, c.Diagnostics...)
	}
	if req.StateID != "default" || text != "a" || !strings.Contains(diags.Error(), "Connection lost") {
		t.Errorf("the provider got %q for the state %q, with diagnostics %q, want \"a\" for the state \"default\" and the lost connection", text, req.StateID, diags)
	}
}

// streamless is a server that returns responses without streams.
type streamless struct {
	tfplugin.ProviderServer
	tfplugin.StateStoreServer
}

func (streamless) InvokeAction(context.Context, *tfplugin.InvokeActionRequest) (*tfplugin.InvokeActionServerStream, error) {
	return &tfplugin.InvokeActionServerStream{}, nil
}

func (streamless) ListResource(context.Context, *tfplugin.ListResourceRequest) (*tfplugin.ListResourceServerStream, error) {
	return &tfplugin.ListResourceServerStream{}, nil
}

func (streamless) ReadStateBytes(context.Context, *tfplugin.ReadStateBytesRequest) (*tfplugin.ReadStateBytesStream, error) {
	return &tfplugin.ReadStateBytesStream{}, nil
}

func (streamless) ValidateActionConfig(context.Context, *tfplugin.ValidateActionConfigRequest) (*tfplugin.ValidateActionConfigResponse, error) {
	return &tfplugin.ValidateActionConfigResponse{}, nil
}

func (streamless) PlanAction(context.Context, *tfplugin.PlanActionRequest) (*tfplugin.PlanActionResponse, error) {
	return &tfplugin.PlanActionResponse{}, nil
}

func (streamless) ValidateListResourceConfig(context.Context, *tfplugin.ValidateListResourceConfigRequest) (*tfplugin.ValidateListResourceConfigResponse, error) {
	return &tfplugin.ValidateListResourceConfigResponse{}, nil
}

// TestNoStream checks that a response without a stream is an error, in the client and in
// the stream of the server.
func TestNoStream(t *testing.T) {
	t.Parallel()
	check := func(name string, diags diag.Diagnostics) {
		t.Helper()
		if len(diags) != 1 || diags[0].Summary != "The provider did not answer" {
			t.Errorf("%s: got %q, want one error about the missing response", name, diags)
		}
	}
	f := newFake()
	f.answer(provider.InvokeActionResponse{})
	f.answer(provider.ListResourceResponse{})
	f.answer(provider.ReadStateBytesResponse{})
	server := serve(t, f)
	p, err := tfprotov6.NewClient(streamless{ProviderServer: server, StateStoreServer: server.(tfplugin.StateStoreServer)})
	if err != nil {
		t.Fatal(err)
	}
	check("client, action", p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: thing}).Diagnostics)
	check("client, list", p.ListResource(t.Context(), provider.ListResourceRequest{TypeName: thing}).Diagnostics)
	check("client, state", p.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: thing}).Diagnostics)

	events, _ := server.(tfplugin.ActionServer).InvokeAction(t.Context(), &tfplugin.InvokeActionRequest{ActionType: thing})
	check("server, action", diagnosticsOf(events))
	found, _ := server.(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
	check("server, list", diagnosticsOf(found))
	chunks, _ := server.(tfplugin.StateStoreServer).ReadStateBytes(t.Context(), &tfplugin.ReadStateBytesRequest{TypeName: thing})
	check("server, state", diagnosticsOf(chunks))
}
