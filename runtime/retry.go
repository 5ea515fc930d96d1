package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Retryable marks an error as one that may well not come again: a busy service,
// a thing that is not there yet. [Retry] tries again for it, also where another
// error wraps it; for everybody else it is err. A nil error stays nil.
func Retryable(err error) error {
	if err == nil {
		return nil
	}
	return &retryable{err}
}

type retryable struct{ err error }

func (r *retryable) Error() string { return r.err.Error() }
func (r *retryable) Unwrap() error { return r.err }

// RetryOption is a choice about [Retry].
type RetryOption func(r *retry)

// RetryDelays sets how long the wait after the first try is, 100 ms without this
// option, and the longest one, 10 s. A first one that is not positive, and a
// longest one below the first, become what it is without the option, and the
// first.
func RetryDelays(first, longest time.Duration) RetryOption {
	return func(r *retry) {
		if first > 0 {
			r.delay = first
		}
		r.longest = max(longest, r.delay)
	}
}

// RetryTries sets how often to try at most; without it, or if it is not
// positive, only the context ends a retry.
func RetryTries(most int) RetryOption {
	return func(r *retry) { r.most = most }
}

// retry is how far a retry has come.
type retry struct {
	delay, longest time.Duration
	most           int

	tries int
	began time.Time
}

// Retry calls f until it returns no error, or one that is not [Retryable], which
// is then returned as it is. Between two tries it waits, each time twice as
// long, less a random part of up to half of it, so that many who fail together
// do not come back together.
//
// When ctx ends, by the operation's timeout or by Stop, or after the last of
// [RetryTries], the error is that of the last try and says how often it was
// tried; errors.Is finds what it wraps. F is called at least once. The log tells
// of each further try, without the error, which may hold a value.
func Retry(ctx context.Context, f func(ctx context.Context) error, options ...RetryOption) error {
	r := retry{delay: 100 * time.Millisecond, longest: 10 * time.Second, began: time.Now()}
	for _, option := range options {
		option(&r)
	}
	for {
		err := f(ctx)
		r.tries++
		if _, again := errors.AsType[*retryable](err); !again {
			return err
		}
		if r.tries == r.most || !r.wait(ctx) {
			return &exhausted{err: err, tries: r.tries, took: time.Since(r.began)}
		}
	}
}

// wait waits for the next try, and reports whether there is one.
func (r *retry) wait(ctx context.Context) bool {
	pause := r.delay - rand.N(r.delay/2+1)              //nolint:gosec // nothing depends on its being hard to guess
	r.delay = min(r.delay, r.longest-r.delay) + r.delay // twice, or the longest
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		tflog.Debug(ctx, "trying again", map[string]any{
			"operation": callFrom(ctx).who(), "tries": r.tries, "pause": pause.Round(time.Millisecond).String(),
		})
		return true
	case <-ctx.Done():
		return false
	}
}

// exhausted is the error of the last try.
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
