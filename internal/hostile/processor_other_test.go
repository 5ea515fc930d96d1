//go:build !unix

package hostile_test

import "time"

// processorTime returns nothing on this system: a stopwatch then returns a share of the
// wall time.
func processorTime() time.Duration { return 0 }
