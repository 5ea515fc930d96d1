package server

import (
	"context"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
)

// finishTimeout limits how long an RPC that must complete continues after its context was
// canceled.
const finishTimeout = 5 * time.Minute

// uninterrupted returns the context for an RPC that must complete: one that closes an object,
// writes a state or unlocks it. Once StopProvider has returned, terraform-plugin-go cancels the
// contexts of all RPCs in progress, although a stopped run still needs these.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return graceperiod.With(ctx, finishTimeout)
}
