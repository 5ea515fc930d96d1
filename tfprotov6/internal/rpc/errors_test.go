package rpc_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// TestErrors checks the text of the error for several causes of a failed RPC, and that the
// gRPC error is in the chain.
func TestErrors(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	returned := make(chan struct{}) // closed when the call that times out has returned
	older := grpc.NewServer()
	older.RegisterService(&grpc.ServiceDesc{ServiceName: "tfplugin6.Provider"}, nil)
	for name, tt := range map[string]struct {
		conn  *grpc.ClientConn
		fake  fake6
		ctx   context.Context
		close bool
		want  string
		is    error
		code  codes.Code
	}{
		"error of the provider": {fake: fake6{memory{err: errors.New("quota exceeded")}}, want: "quota exceeded", code: codes.Unknown},
		"unknown RPC":           {conn: connect(t, older), want: "does not implement ReadResource: it has an earlier version", code: codes.Unimplemented},
		"other protocol":        {conn: serve(t, nil, &fake5{}), want: "does not support this protocol", code: codes.Unimplemented},
		"canceled":              {ctx: canceled, want: "the request was canceled", is: context.Canceled, code: codes.Canceled},
		"deadline exceeded": {
			fake: fake6{memory{during: func(context.Context) { <-returned }}},
			want: "the request was canceled: context deadline exceeded", is: context.DeadlineExceeded, code: codes.DeadlineExceeded,
		},
		"deadline first exceeded in the provider": {
			fake: fake6{memory{err: status.Error(codes.Canceled, "stream terminated")}},
			want: "the request was canceled: context deadline exceeded", is: context.DeadlineExceeded, code: codes.Canceled,
		},
		"closed connection": {close: true, want: "the connection to the provider was closed", code: codes.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.conn == nil {
				tt.conn = serve(t, &tt.fake, nil)
			}
			ctx := tt.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			if errors.Is(tt.is, context.DeadlineExceeded) {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
				defer cancel()
			}
			if tt.close {
				tt.conn.Close()
			}
			p, err := rpc.Provider6(rpc.Conn{GRPC: tt.conn})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.ReadResource(ctx, &tfplugin.ReadResourceRequest{})
			if tt.code == codes.DeadlineExceeded {
				close(returned)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "rpc error") {
				t.Errorf("got error %v, want %q without \"rpc error\"", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if code := status.Code(err); code != tt.code && (code != codes.DeadlineExceeded || !errors.Is(tt.is, context.DeadlineExceeded)) { // on a busy host the deadline may pass earlier
				t.Errorf("got code %s, want %s", code, tt.code)
			}
		})
	}
}

// TestLost checks that the error has the text of Conn.Lost if the connection broke.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lost func(context.Context) string
		want string
	}{
		"known reason":     {func(context.Context) string { return "it crashed" }, "it crashed"},
		"unknown reason":   {func(context.Context) string { return "" }, "no connection"},
		"no Lost function": {nil, "no connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := grpc.NewServer()
			conn := connect(t, server)
			server.Stop()
			p, err := rpc.Provider6(rpc.Conn{GRPC: conn, Lost: tt.lost})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = p.GetMetadata(t.Context(), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestSizes checks that the response to GetProviderSchema has the size limit of Terraform, and that
// other responses may be larger.
func TestSizes(t *testing.T) {
	t.Parallel()
	f := &fake6{}
	p := dial6(t, f)
	large := strings.Repeat("x", 65<<20)
	f.answer = &tfplugin.GetProviderSchemaResponse{Provider: &tfplugin.Schema{Block: &tfplugin.SchemaBlock{Description: large}}}
	if _, err := p.GetProviderSchema(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("schemas: got error %v, want one about the size", err)
	}
	f.answer = &tfplugin.ReadResourceResponse{Private: make([]byte, 65<<20)}
	if got, err := p.ReadResource(t.Context(), nil); err != nil || len(got.Private) != 65<<20 {
		t.Errorf("other responses: got error %v, want none and 65 MiB of private data", err)
	}
}

// TestInvalidResponses checks that the error for an invalid type in a schema has the
// path of the attribute.
func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	f := &fake6{}
	p := dial6(t, f)
	f.answer = &tfplugin.GetProviderSchemaResponse{ResourceSchemas: map[string]*tfplugin.Schema{
		"a_b": {Block: &tfplugin.SchemaBlock{Attributes: []*tfplugin.SchemaAttribute{{Name: "c"}, {Name: "d", Type: noType{}}}}},
	}}
	_, err := p.GetProviderSchema(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "decode the response: resource_schemas: a_b: block: attributes: 1: type: invalid type") {
		t.Errorf("got error %v, want an invalid type with the path of the attribute", err)
	}
}

// TestStreams checks that the request of a stream is sent when the stream is read, and canceled
// when the reader stops, that a second reading is an error, and that an error is the last element of a stream.
func TestStreams(t *testing.T) {
	t.Parallel()
	list := func(t *testing.T, f *fake6) *tfplugin.ListResourceServerStream {
		t.Helper()
		lister, _ := dial6(t, f).(tfplugin.ListResourceServer)
		stream, err := lister.ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return stream
	}
	text := func(r tfplugin.ListResourceResult) string {
		var all []string
		for _, d := range r.Diagnostics {
			all = append(all, d.Summary+": "+d.Detail)
		}
		return strings.Join(all, "\n")
	}
	t.Run("not read", func(t *testing.T) {
		t.Parallel()
		f := &fake6{}
		list(t, f)
		if f.asked != nil {
			t.Error("the request was sent")
		}
	})
	t.Run("read twice", func(t *testing.T) {
		t.Parallel()
		f := &fake6{memory{answer: &tfplugin.ListResourceServerStream{Results: slices.Values([]tfplugin.ListResourceResult{{DisplayName: "one"}})}}}
		stream := list(t, f)
		if got := slices.Collect(stream.Results); len(got) != 1 || got[0].DisplayName != "one" {
			t.Errorf("first reading: got %+v, want the result named one", got)
		}
		if got := slices.Collect(stream.Results); len(got) != 1 || !strings.Contains(text(got[0]), "already read") {
			t.Errorf("second reading: got %+v, want the error that the stream was already read", got)
		}
	})
	t.Run("error", func(t *testing.T) {
		t.Parallel()
		got := slices.Collect(list(t, &fake6{memory{err: errors.New("no luck")}}).Results)
		if len(got) != 1 || text(got[0]) != "The provider did not answer: ListResource failed: no luck" {
			t.Errorf("got results %+v, want one with the error of the provider", got)
		}
	})
	t.Run("reader stops", func(t *testing.T) {
		t.Parallel()
		over := make(chan struct{})
		f := &fake6{}
		f.during = func(ctx context.Context) { context.AfterFunc(ctx, func() { close(over) }) }
		f.answer = &tfplugin.ListResourceServerStream{Results: func(yield func(tfplugin.ListResourceResult) bool) {
			for yield(tfplugin.ListResourceResult{DisplayName: "again"}) {
			}
		}}
		for range list(t, f).Results {
			break
		}
		select {
		case <-over:
		case <-time.After(time.Minute):
			t.Error("the request was not canceled")
		}
	})
}

// TestWriteStateBytes checks that the provider does not get the end of the stream if a
// chunk has an error.
func TestWriteStateBytes(t *testing.T) {
	t.Parallel()
	type end struct {
		chunks int
		broken bool
	}
	ended := make(chan end, 1000)
	f := &writing{ended: func(chunks int, broken bool) { ended <- end{chunks, broken} }}
	p, err := rpc.Provider6(rpc.Conn{GRPC: serve(t, f, nil)})
	if err != nil {
		t.Fatal(err)
	}
	store, _ := p.(tfplugin.StateStoreServer)
	warning := []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityWarning, Summary: "disk almost full"}}
	failure := []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityError, Summary: "cannot read on"}}
	write := func(second []*tfplugin.Diagnostic) []*tfplugin.Diagnostic {
		t.Helper()
		resp, err := store.WriteStateBytes(t.Context(), &tfplugin.WriteStateBytesStream{
			Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
				_ = yield(&tfplugin.WriteStateBytesChunk{Meta: &tfplugin.WriteStateChunkMeta{TypeName: "a"}}, nil) &&
					yield(&tfplugin.WriteStateBytesChunk{}, second)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	if got := write(warning); len(got) != 2 || got[0].Summary != "disk almost full" || got[1].Summary != "written" {
		t.Errorf("with a warning: got diagnostics %+v, want the warning and the diagnostic of the provider", got)
	}
	if got := <-ended; got != (end{2, false}) {
		t.Errorf("with a warning: the provider got %+v, want 2 chunks, not broken", got)
	}
	for range 200 { // the end of the stream must not race with the cancellation
		if got := write(failure); len(got) != 1 || got[0].Summary != "cannot read on" {
			t.Fatalf("with an error: got diagnostics %+v, want only the error of the chunk", got)
		}
		select {
		case got := <-ended:
			if !got.broken || got.chunks > 1 {
				t.Fatalf("with an error: the provider got %+v, want broken after at most 1 chunk", got)
			}
		case <-time.After(10 * time.Millisecond): // canceled before the provider was called
		}
	}
}

// TestWriteStateBytesEarlyResponse checks that a provider may respond before the last
// chunk.
func TestWriteStateBytesEarlyResponse(t *testing.T) {
	t.Parallel()
	p, err := rpc.Provider6(rpc.Conn{GRPC: serve(t, &writing{enough: true}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	store, _ := p.(tfplugin.StateStoreServer)
	resp, err := store.WriteStateBytes(t.Context(), &tfplugin.WriteStateBytesStream{
		Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
			for yield(&tfplugin.WriteStateBytesChunk{}, nil) {
			}
		},
	})
	if err != nil || len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary != "enough" {
		t.Errorf("got response %+v and error %v, want the diagnostic \"enough\"", resp, err)
	}
}
