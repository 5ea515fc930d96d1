package remote

import (
	"context"
	"time"
)

// Lingering is a context that ends a while after ctx does: for a step that is not
// to be left half way, so that its outcome is known. As long as ctx lasts, so does
// it: a host may be slow.
func Lingering(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(while)
		defer timer.Stop()
		select {
		case <-lasting.Done():
		case <-timer.C:
			cancel()
		}
	})
	return lasting, func() {
		stop()
		cancel()
	}
}
