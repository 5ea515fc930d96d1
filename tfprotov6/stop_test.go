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

// listing is a fake whose lists call list with their context.
type listing struct {
	*fake
	list func(ctx context.Context)
}

func (l listing) ListResource(ctx context.Context, _ provider.ListResourceRequest) provider.ListResourceResponse {
	return provider.ListResourceResponse{Results: func(func(provider.ListResult) bool) { l.list(ctx) }}
}

// TestStopWaitsForStreams checks that StopProvider cancels streams, also those that start
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
