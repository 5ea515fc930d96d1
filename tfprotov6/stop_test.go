package tfprotov6_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// finishing is a fake. The methods that must complete call run with their context.
type finishing struct {
	*fake
	run func(ctx context.Context)
}

func (f finishing) CloseEphemeralResource(ctx context.Context, _ provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	f.run(ctx)
	return resp
}

func (f finishing) WriteStateBytes(ctx context.Context, _ provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	f.run(ctx)
	return resp
}

func (f finishing) UnlockState(ctx context.Context, _ provider.UnlockStateRequest) (resp provider.UnlockStateResponse) {
	f.run(ctx)
	return resp
}

// TestStopLetsMethodsComplete checks that methods that must complete have time to do so after
// the cancellation of their context, as after StopProvider, and that the time is limited.
func TestStopLetsMethodsComplete(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, tfplugin.ProviderServer){
		"CloseEphemeralResource": func(ctx context.Context, s tfplugin.ProviderServer) {
			_, _ = s.CloseEphemeralResource(ctx, &tfplugin.CloseEphemeralResourceRequest{TypeName: thing})
		},
		"WriteStateBytes": func(ctx context.Context, s tfplugin.ProviderServer) {
			_, _ = s.(tfplugin.StateStoreServer).WriteStateBytes(ctx, &tfplugin.WriteStateBytesStream{Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
				yield(&tfplugin.WriteStateBytesChunk{Meta: &tfplugin.WriteStateChunkMeta{TypeName: thing, StateID: "a"}}, nil)
			}})
		},
		"UnlockState": func(ctx context.Context, s tfplugin.ProviderServer) {
			_, _ = s.(tfplugin.StateStoreServer).UnlockState(ctx, &tfplugin.UnlockStateRequest{TypeName: thing, StateID: "a", LockID: "b"})
		},
	} {
		for takes, want := range map[time.Duration]time.Duration{
			4 * time.Minute: 4 * time.Minute,
			time.Hour:       5*time.Minute + time.Second,
		} {
			t.Run(name+" takes "+takes.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var took time.Duration
					server, err := tfprotov6.NewServer(t.Context(), finishing{newFake(), func(ctx context.Context) {
						began := time.Now()
						select {
						case <-ctx.Done():
						case <-time.After(takes):
						}
						took = time.Since(began)
					}})
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					time.AfterFunc(time.Second, cancel)
					call(ctx, server)
					if took != want {
						t.Errorf("the method took %s, want %s", took, want)
					}
				})
			})
		}
	}
}

// listing is a fake whose lists call list with their context.
type listing struct {
	*fake
	list func(ctx context.Context)
}

func (l listing) ListResource(ctx context.Context, _ provider.ListResourceRequest) provider.ListResourceResponse {
	return provider.ListResourceResponse{Results: func(func(provider.ListResult) bool) { l.list(ctx) }}
}

// TestStopWaitsForStreams checks that StopProvider cancels streams, including those that start
// before it has returned, and waits for their ends, but only for a limited time.
func TestStopWaitsForStreams(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		undo time.Duration // from the cancellation of a stream to its end
		want time.Duration
	}{
		"streams that end":        {8 * time.Second, 9 * time.Second},
		"streams that do not end": {time.Hour, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, err := tfprotov6.NewServer(t.Context(), listing{newFake(), func(ctx context.Context) {
					<-ctx.Done()
					time.Sleep(tt.undo)
				}})
				if err != nil {
					t.Fatal(err)
				}
				list := func() {
					stream, _ := server.(tfplugin.ListResourceServer).ListResource(t.Context(), &tfplugin.ListResourceRequest{TypeName: thing})
					stream.Results(func(tfplugin.ListResourceResult) bool { return true })
				}
				var lists sync.WaitGroup
				defer lists.Wait()
				lists.Go(list)
				synctest.Wait()
				lists.Go(func() {
					time.Sleep(time.Second)
					list()
				})
				began := time.Now()
				if _, err := server.StopProvider(t.Context(), &tfplugin.StopProviderRequest{}); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took != tt.want {
					t.Errorf("StopProvider took %s, want %s", took, tt.want)
				}
			})
		})
	}
}
