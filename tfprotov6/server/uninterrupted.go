package server

import (
	"context"
	"time"
)

// finishTimeout limits how long an RPC that must complete continues after its context was
// canceled.
const finishTimeout = 5 * time.Minute

// uninterrupted returns the context for an RPC that must complete: one that closes an object,
// writes a state or unlocks it. Once StopProvider has returned, terraform-plugin-go cancels the
// contexts of all RPCs in progress, although a stopped run still needs these. The context
// has the values of ctx and ends finishTimeout after it.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(finishTimeout, cancel)
		defer late.Stop()
		<-own.Done()
	})
	return own, func() {
		stop()
		cancel()
	}
}
