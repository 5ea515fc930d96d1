package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Retryable marks err as transient, for example because a service is busy or an
// object does not exist yet. [Retry] tries again after the marked error, even if
// another error wraps it; in all other respects it behaves like err. Retryable returns nil for nil.
func Retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryable{err: err}
}

// RetryAfter is [Retryable] for a service that specifies a delay, for example in the header
// Retry-After: the next try does not start before it has passed. If the deadline of
// the context is earlier, [Retry] returns at once. The longest delay counts if an error has several.
func RetryAfter(err error, delay time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryable{err: err, delay: delay}
}

type retryable struct {
	err   error
	delay time.Duration // of the service; zero if it specifies none
}

func (r *retryable) Error() string { return r.err.Error() }
func (r *retryable) Unwrap() error { return r.err }

// retryableIn reports whether the tree of err has a retryable error, and returns the longest delay
// of these errors. The error of a [Retry] that has ended is not retryable.
func retryableIn(err error) (delay time.Duration, found bool) {
	switch e := err.(type) { //nolint:errorlint // each level of the chain is visited by the recursion
	case *exhausted:
	case *retryable:
		inner, _ := retryableIn(e.err)
		return max(e.delay, inner), true
	case interface{ Unwrap() error }:
		return retryableIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			inner, ok := retryableIn(err)
			delay, found = max(delay, inner), found || ok
		}
	}
	return delay, found
}

// RetryOption is an option of [Retry].
type RetryOption func(r *retry)

// RetryDelays sets the delay after the first try, 100 ms by default, and the maximum
// delay, 10 s by default. A first delay that is not positive is replaced by the
// default, and a maximum below the first delay by the first delay.
func RetryDelays(first, longest time.Duration) RetryOption {
	return func(r *retry) {
		if first > 0 {
			r.delay = first
		}
		r.longest = max(longest, r.delay)
	}
}

// RetryTries sets the maximum number of tries; by default, or if most is not positive,
// only the context limits the tries.
func RetryTries(most int) RetryOption {
	return func(r *retry) { r.most = most }
}

// retry is the state of a retry.
type retry struct {
	delay, longest time.Duration
	most           int

	tries int
	began time.Time
}

// Retry calls f until it returns no error, or one that is not [Retryable], which
// Retry returns. Between two tries Retry waits, each time twice as long up to the maximum
// delay, minus a random part of up to half of the delay, so that many callers that fail together do not
// try again at the same time.
//
// If ctx is done, by the timeout of the operation or by Stop, or after the last of
// [RetryTries], the error is that of the last try with the number of tries;
// errors.Is finds what it wraps. It is not Retryable any more, so a Retry inside
// another Retry does not multiply the tries. F is called at least once. Each further try is
// logged, without the error, which may contain a value.
func Retry(ctx context.Context, f func(ctx context.Context) error, options ...RetryOption) error {
	r := retry{delay: 100 * time.Millisecond, longest: 10 * time.Second, began: time.Now()}
	for _, option := range options {
		option(&r)
	}
	for {
		err := f(ctx)
		r.tries++
		delay, again := retryableIn(err)
		if !again {
			return err
		}
		if r.tries == r.most || !r.wait(ctx, delay) {
			return &exhausted{err: err, tries: r.tries, took: time.Since(r.began)}
		}
	}
}

// wait waits for the next try, at least for the delay that the service specifies, and reports
// whether there is a next try.
func (r *retry) wait(ctx context.Context, atLeast time.Duration) bool {
	pause := max(r.delay-rand.N(r.delay/2+1), atLeast) //nolint:gosec // nothing depends on its being hard to guess
	if end, ok := ctx.Deadline(); ok && atLeast > time.Until(end) {
		return false
	}
	r.delay = min(r.delay, r.longest-r.delay) + r.delay // twice the delay, or the maximum
	select {
	case <-time.After(pause):
		tflog.Debug(ctx, "trying again", map[string]any{
			"operation": callFrom(ctx).title(), "tries": r.tries, "pause": pause.Round(time.Millisecond).String(),
		})
		return true
	case <-ctx.Done():
		return false
	}
}

// exhausted is the error of a Retry that has ended: that of the last try, with the number of tries.
type exhausted struct {
	err   error
	tries int
	took  time.Duration
}

func (e *exhausted) Error() string {
	if e.tries == 1 {
		return fmt.Sprintf("%v (tried once, in %s)", e.err, e.took.Round(time.Millisecond))
	}
	return fmt.Sprintf("%v (tried %d times in %s)", e.err, e.tries, e.took.Round(time.Millisecond))
}

func (e *exhausted) Unwrap() error { return e.err }
