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

// UndoTimeout is how long a resource may take to revert a change that failed, or to find
// out what it has done. It is long enough for mounting a file system over a network.
const UndoTimeout = 2 * time.Minute

// WithoutCancel returns a context with the values of ctx that only ends after timeout: for
// steps that must run although ctx has ended, such as undoing a step that failed.
func WithoutCancel(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), timeout)
}
