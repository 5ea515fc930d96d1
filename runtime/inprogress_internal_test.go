package runtime

import (
	"context"
	"sync/atomic"
	"testing"
)

// TestAfterAllCallsOnce checks that the function is called exactly once if the last operation ends while
// afterAll runs.
func TestAfterAllCallsOnce(t *testing.T) {
	t.Parallel()
	for range 1000 {
		var l inProgress
		_, leave := l.join(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			leave()
		}()
		var calls atomic.Int64
		l.afterAll(func(context.Context) { calls.Add(1) })
		<-ended
		if n := calls.Load(); n != 1 {
			t.Fatalf("the function was called %d times, want once", n)
		}
	}
}
