package sshhost

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
)

var _ host.TypedRemover = (*Host)(nil)

// RemoveOnly implements [host.TypedRemover]. Those that are asked for at about the
// same time are one question to the shell that stays. What that does not remove,
// for whatever reason, is looked at by itself: the reason then is exact.
func (h *Host) RemoveOnly(ctx context.Context, path string, want host.FileType) error {
	done, err := h.begin(ctx, path)
	if err != nil {
		return h.fail("remove", path, err)
	}
	defer done()
	if h.bare() || h.roomy() {
		var tidying sync.WaitGroup // which takes a round trip once a directory, and fails nothing
		tidying.Go(func() { _ = h.RemoveTemp(ctx, path) })
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
