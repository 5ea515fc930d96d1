package sshhost

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.TypedRemover = (*Host)(nil)

// RemoveOnly implements [host.TypedRemover]. Concurrent calls are combined into one request
// to the shell. A file that it could not remove is removed again by itself, to get the
// exact error.
func (h *Host) RemoveOnly(ctx context.Context, path string, want host.FileType) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail("remove", path, err)
	}
	defer done()
	if m := h.mode.Load(); m == nil || m.shell {
		removeTemp := h.RemoveTemp
		if m == nil { // this does not require detecting the mode
			removeTemp = h.byShell.RemoveTemp
		}
		var tidying sync.WaitGroup // usually in the same round trip; errors do not matter
		tidying.Go(func() { _ = removeTemp(ctx, path) })
		defer tidying.Wait()
		switch removed, err := h.batches.RemoveOnly(ctx, path, want); {
		case removed:
			return nil
		case ctx.Err() != nil, errors.Is(err, host.ErrUnreachable):
			return h.fail("remove", path, cmp.Or(err, ctx.Err()))
		}
	}
	return host.RemoveOnly(ctx, onlyHost{h}, path, want)
}
