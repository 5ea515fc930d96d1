package sshhost

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.TypedRemover = (*Host)(nil)

// RemoveOnly implements [host.TypedRemover]. Calls at about the same time are one
// question to the shell. What that does not remove, for whatever reason, is removed
// by itself, which gives the exact reason.
func (h *Host) RemoveOnly(ctx context.Context, path string, want host.FileType) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail("remove", path, err)
	}
	defer done()
	if m := h.mode.Load(); m == nil || m.shell {
		removeTemp := h.RemoveTemp
		if m == nil { // it need not be found out for this
			removeTemp = h.byShell.RemoveTemp
		}
		var tidying sync.WaitGroup // in the same round trip as a rule; its failure does not matter
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
