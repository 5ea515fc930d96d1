package host

import (
	"context"
	"time"
)

// WithGracePeriod returns a context that is cancelled a grace period after ctx is: for a
// step that must not be interrupted half-way. There is no limit while ctx is not cancelled.
func WithGracePeriod(ctx context.Context, period time.Duration) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(period)
		defer timer.Stop()
		select {
		case <-own.Done():
		case <-timer.C:
			cancel()
		}
	})
	return own, func() {
		stop()
		cancel()
	}
}
