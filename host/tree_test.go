package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// canceling is a host that cancels the caller's context when a directory is read.
type canceling struct {
	host.Host
	cancel context.CancelFunc
}

func (c *canceling) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	defer c.cancel()
	return c.Host.ReadDir(ctx, path)
}

// TestWalkTreeCanceled checks that the error of a walk whose context ends names the host and the
// path.
func TestWalkTreeCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := host.WalkTree(ctx, &canceling{memory.New(memory.Config{Name: "web"}), cancel}, "/", host.TreeQuery{All: true})
	named, ok := errors.AsType[*host.Error](err)
	if !ok || named.Host != "web" || named.Path != "/" || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a canceled read of / on web", err)
	}
}
