//go:build !windows

package serve

import (
	"os"
	"time"
)

// parentPeriod is the time between two checks of the parent process.
const parentPeriod = time.Second

// parentEnded returns a channel that is closed when the parent process has ended: a process
// then gets another parent. All Unix systems do so; PR_SET_PDEATHSIG exists only on Linux, and
// is sent at the end of the thread that started the process.
func parentEnded() <-chan struct{} {
	ended := make(chan struct{})
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(parentPeriod)
		}
		close(ended)
	}()
	return ended
}
