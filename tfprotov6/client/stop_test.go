package client_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// interruptible is a provider whose streams have one element and, once their context is done, a
// last one with an error. Its Stop does nothing.
type interruptible struct{ schemas }

func (interruptible) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	resp := schemas{}.GetProviderSchema(ctx, req)
	types := map[string]provider.Schema{typeName: resp.Provider}
	resp.Actions, resp.ListResourceTypes, resp.StateStores = types, types, types
	return resp
}

// untilDone returns a stream of first and, once ctx is done, of the result of last for an error.
func untilDone[Element any](ctx context.Context, first Element, last func(diag.Diagnostics) Element) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		if yield(first) {
			<-ctx.Done()
			yield(last(diag.Diagnostics{}.Errorf(nil, "Interrupted", "The operation was interrupted.")))
		}
	}
}

func (interruptible) InvokeAction(ctx context.Context, _ provider.InvokeActionRequest) provider.InvokeActionResponse {
	return provider.InvokeActionResponse{Events: untilDone[provider.ActionEvent](ctx, provider.ActionProgress{Message: "started"},
		func(diags diag.Diagnostics) provider.ActionEvent { return provider.ActionCompleted{Diagnostics: diags} })}
}

func (interruptible) ListResource(ctx context.Context, _ provider.ListResourceRequest) provider.ListResourceResponse {
	return provider.ListResourceResponse{Results: untilDone(ctx, provider.ListResult{DisplayName: "first"},
		func(diags diag.Diagnostics) provider.ListResult { return provider.ListResult{Diagnostics: diags} })}
}

func (interruptible) ReadStateBytes(ctx context.Context, _ provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	first := provider.StateChunk{Bytes: []byte("a"), TotalLength: 2}
	return provider.ReadStateBytesResponse{Chunks: untilDone(ctx, first,
		func(diags diag.Diagnostics) provider.StateChunk { return provider.StateChunk{Diagnostics: diags} })}
}

// TestStopEndsStreams checks that a stream that Stop interrupts ends with the provider's
// error. Without that error, clients treat an interrupted action or list as complete.
func TestStopEndsStreams(t *testing.T) {
	t.Parallel()
	remote := dial(t, program(t, "interruptible"))
	// stop requests a stop while the stream is read, as Terraform does.
	stopped := make(chan error, 1)
	stop := func() { go func() { stopped <- remote.Stop(t.Context()) }() }
	check := func(name string, elements int, last diag.Diagnostics) {
		t.Helper()
		if elements != 2 || !last.HasErrors() || !strings.Contains(last.Error(), "The operation was interrupted.") {
			t.Errorf("%s: got %d elements, the last one with diagnostics %q, want 2 and the interruption", name, elements, last)
		}
		if err := <-stopped; err != nil {
			t.Errorf("%s: Stop: %v", name, err)
		}
	}

	n, last := 0, diag.Diagnostics(nil)
	for e := range remote.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: typeName, Config: plain("a")}).Events {
		if n++; n == 1 {
			stop()
		}
		if completed, ok := e.(provider.ActionCompleted); ok {
			last = completed.Diagnostics
		}
	}
	check("InvokeAction", n, last)

	n, last = 0, nil
	for r := range remote.ListResource(t.Context(), provider.ListResourceRequest{TypeName: typeName, Config: plain("a")}).Results {
		if n++; n == 1 {
			stop()
		}
		last = r.Diagnostics
	}
	check("ListResource", n, last)

	n, last = 0, nil
	for c := range remote.ReadStateBytes(t.Context(), provider.ReadStateBytesRequest{TypeName: typeName, StateID: "default"}).Chunks {
		if n++; n == 1 {
			stop()
		}
		last = c.Diagnostics
	}
	check("ReadStateBytes", n, last)
}
