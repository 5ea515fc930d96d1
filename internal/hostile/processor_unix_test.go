//go:build unix

package hostile_test

import (
	"syscall"
	"time"
)

// processorTime returns the CPU time of the process so far, or 0 if it is unknown.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
