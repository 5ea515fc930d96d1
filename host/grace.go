package host

import (
	"context"
	"time"
)

// WithGracePeriod returns a context for work that should not be interrupted in the
// middle: it is cancelled grace after ctx is, or by cancel.
func WithGracePeriod(ctx context.Context, grace time.Duration) (_ context.Context, cancel context.CancelFunc) {
	whole, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-whole.Done():
		case <-timer.C:
			end()
		}
	})
	return whole, func() {
		stop()
		end()
	}
}
