package guard

import (
	"context"
	"iter"

	"github.com/posixform/terraform-provider-posix/diag"
)

// follow passes the events of a provider to receive until they end or receive returns
// false. It returns the diagnostics for a panic of the provider, including one because the
// provider continued after false. It does not recover panics of receive.
func follow[Event any](
	ctx context.Context, g *guarded, rpc, typeName string, events iter.Seq[Event], receive func(Event) (more bool),
) (crash diag.Diagnostics) {
	receiving := false
	defer func() {
		if receiving {
			return
		}
		if cause := recover(); cause != nil {
			crash = g.panicked(ctx, &panicInCall, rpc, typeName)
		}
	}()
	for event := range events {
		receiving = true
		more := receive(event)
		receiving = false
		if !more {
			break
		}
	}
	return nil
}
