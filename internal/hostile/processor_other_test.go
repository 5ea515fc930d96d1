//go:build !unix

package hostile_test

import "time"

// processorTime is not known here: a stopwatch then answers a part of all time.
func processorTime() time.Duration { return 0 }
