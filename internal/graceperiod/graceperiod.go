// Package graceperiod has contexts for steps that must not be interrupted midway.
package graceperiod

import (
	"context"
	"time"
)

// With returns a context that has the values of ctx and is canceled a grace period after ctx is canceled.
// It has no deadline while ctx is not canceled.
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
