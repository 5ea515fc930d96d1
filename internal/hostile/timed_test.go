package hostile_test

import (
	"fmt"
	goruntime "runtime"
	"testing"
	"time"
)

const (
	// slow is the maximum CPU time of a request.
	slow = time.Second
	// slack is the ratio of the maximum wall time to the maximum CPU time. It is
	// large because the host may be busy with other work.
	slack = 10
	// retries is the maximum number of repetitions of a slow execution.
	retries = 3
	// stuck is the time after which an execution with its repetitions is aborted.
	stuck = time.Minute
)

// timed runs one execution. It repeats an execution with a slow request, and
// reports a failure if a request is slow each time.
func timed(tb testing.TB, w *world, execution func()) {
	tb.Helper()
	watch := time.AfterFunc(stuck, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("an execution with its repetitions did not end within a minute:\n%s", stacks[:goruntime.Stack(stacks, true)]))
	})
	defer watch.Stop()
	took := fastest(slow, func() time.Duration {
		w.judge.slowest = 0
		execution()
		return w.judge.slowest
	})
	if took > slow {
		tb.Errorf("a request takes at least %v of CPU time, or %d times as much wall time, in each of %d runs", took, slack, 1+retries)
	}
}

// fastest returns the shortest time that an execution reports. It repeats the
// execution while the time exceeds the limit, at most retries times.
func fastest(limit time.Duration, execution func() time.Duration) (best time.Duration) {
	for try := range 1 + retries {
		if took := execution(); try == 0 || took < best {
			best = took
		}
		if best <= limit {
			break
		}
	}
	return best
}

// stopwatch starts a measurement and returns a function that ends it. The function
// returns the CPU time, or the wall time divided by slack if that is more.
func stopwatch() func() time.Duration {
	begin, used := time.Now(), processorTime()
	return func() time.Duration {
		whole := time.Since(begin)
		// Other goroutines use CPU time too, and a request uses at most one
		// CPU.
		return max(min(processorTime()-used, whole), whole/slack)
	}
}
