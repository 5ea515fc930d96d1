package bench

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/report"
)

// Sample is the measurement of one contender in one case.
type Sample struct {
	// Times are nanoseconds per call, one for each round.
	Times []float64
	// Allocs is the number of allocations per call in the last round.
	Allocs float64
}

// Median returns the median time per call in nanoseconds.
func (s Sample) Median() float64 { return report.Median(s.Times) }

// Ratio returns the median over the rounds of s's time divided by other's time in the same
// round, which cancels out disturbances of a whole round.
func (s Sample) Ratio(other Sample) float64 {
	ratios := make([]float64, min(len(s.Times), len(other.Times)))
	for i := range ratios {
		ratios[i] = s.Times[i] / other.Times[i]
	}
	return report.Median(ratios)
}

// Calls that take longer than slow are measured in at most slowRounds rounds.
const (
	slow       = 300 * time.Millisecond
	slowRounds = 3
)

// Measure calls c on every contender for rounds rounds of duration batch each, in turn,
// and returns a sample for each contender. It is an error if a call fails or the first answer
// of a contender is wrong.
func Measure(ctx context.Context, c Case, contenders []Contender, rounds int, batch time.Duration) ([]Sample, error) {
	samples := make([]Sample, len(contenders))
	calls := make([]int, len(contenders))
	turns := make([]int, len(contenders))
	for i, impl := range contenders {
		n, each, err := calibrate(ctx, c, impl, batch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", impl.Name, err)
		}
		calls[i], turns[i] = n, rounds
		if each > slow {
			turns[i] = min(rounds, slowRounds)
		}
	}
	for round := range rounds {
		for k := range contenders {
			// Each round starts with a different contender, so that none always runs after
			// the same one.
			i := (round + k) % len(contenders)
			if round >= turns[i] {
				continue
			}
			if err := samples[i].add(ctx, c, contenders[i], calls[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", contenders[i].Name, err)
			}
		}
	}
	return samples, nil
}

// calibrate checks and warms up a contender, and returns the number of calls in a batch and
// the duration of the first call.
func calibrate(ctx context.Context, c Case, impl Contender, batch time.Duration) (calls int, first time.Duration, err error) {
	start := time.Now()
	answer, err := c.Call(ctx, impl)
	first = time.Since(start)
	if err != nil {
		return 0, 0, err
	}
	if err := c.Check(answer); err != nil {
		return 0, 0, err
	}
	if first > slow {
		return 1, first, nil
	}
	for start := time.Now(); calls == 0 || time.Since(start) < batch; calls++ {
		if _, err := c.Call(ctx, impl); err != nil {
			return 0, 0, err
		}
	}
	return calls, first, nil
}

// add measures n calls. It collects the garbage of earlier calls first; collecting the
// garbage of the measured calls is part of their time.
func (s *Sample) add(ctx context.Context, c Case, impl Contender, n int) error {
	goruntime.GC()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if _, err := c.Call(ctx, impl); err != nil {
			return err
		}
	}
	elapsed := time.Since(start)
	goruntime.ReadMemStats(&after)
	s.Times = append(s.Times, float64(elapsed.Nanoseconds())/float64(n))
	s.Allocs = float64(after.Mallocs-before.Mallocs) / float64(n)
	return nil
}
