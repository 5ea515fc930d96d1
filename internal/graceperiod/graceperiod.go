// Package graceperiod has contexts for steps that must not be interrupted midway.
package graceperiod

import (
	"context"
	"time"
)

// With returns a context with the values of ctx but without a deadline, and a function that cancels the context.
// The context is also canceled when the grace period after the end of ctx is over.
func With(ctx context.Context, period time.Duration) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-own.Done():
		case <-time.After(period):
			cancel()
		}
	})
	return own, func() {
		stop()
		cancel()
	}
}
