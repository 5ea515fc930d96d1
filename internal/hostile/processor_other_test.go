//go:build !unix

package hostile_test

import "time"

// processorTime returns 0, because this operating system has no getrusage. A stopwatch then
// measures only the wall time, divided by slack.
func processorTime() time.Duration { return 0 }
