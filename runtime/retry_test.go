package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

var errBusy = errors.New("busy: " + theSecret)

func TestRetryEnds(t *testing.T) {
	t.Parallel()
	busy, broken := runtime.Retryable(errBusy), errors.New("broken")
	wrapped := fmt.Errorf("asking: %w", busy)
	for name, tt := range map[string]struct {
		answers []error // the last one is repeated
		limit   time.Duration
		options []runtime.RetryOption
		tries   int
		want    string
		is      error
	}{
		"no error":                               {[]error{nil}, 0, nil, 1, "", nil},
		"permanent error":                        {[]error{broken}, 0, nil, 1, "broken", broken},
		"transient errors, then none":            {[]error{busy, wrapped, nil}, 0, nil, 3, "", nil},
		"transient errors, then a permanent one": {[]error{busy, busy, broken}, 0, nil, 3, "broken", broken},
		"maximum of four tries":                  {[]error{wrapped}, 0, []runtime.RetryOption{runtime.RetryTries(4)}, 4, "asking: " + errBusy.Error() + " (tried 4 times in ", errBusy},
		"maximum of one try":                     {[]error{busy}, 0, []runtime.RetryOption{runtime.RetryTries(1)}, 1, errBusy.Error() + " (tried once, in 0s)", errBusy},
		"maximum of zero is ignored":             {[]error{busy, busy, nil}, 0, []runtime.RetryOption{runtime.RetryTries(0)}, 3, "", nil},
		"context ends between tries":             {[]error{busy}, 50 * time.Millisecond, nil, 1, errBusy.Error() + " (tried once, in 50ms)", errBusy},
		"context ended before the first try":     {[]error{busy}, -1, nil, 1, errBusy.Error() + " (tried once, in 0s)", errBusy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				if tt.limit != 0 {
					ctx, cancel = context.WithTimeout(t.Context(), tt.limit)
				}
				defer cancel()
				tries := 0
				err := runtime.Retry(ctx, func(got context.Context) error {
					if got != ctx {
						t.Error("f got a context other than that of Retry")
					}
					tries++
					return tt.answers[min(tries, len(tt.answers))-1]
				}, tt.options...)
				if tries != tt.tries {
					t.Errorf("tried %d times, want %d", tries, tt.tries)
				}
				if tt.want == "" && err != nil || err != nil && !strings.HasPrefix(err.Error(), tt.want) || !errors.Is(err, tt.is) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
			})
		})
	}
	if runtime.Retryable(nil) != nil || runtime.RetryAfter(nil, time.Second) != nil {
		t.Error("Retryable or RetryAfter returns an error for nil")
	}
}

// TestRetryAfter checks that a try does not come before the time that the service specifies, and
// that Retry does not wait for a time after the end of the context.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began, tries := time.Now(), 0
		err := runtime.Retry(ctx, func(context.Context) error {
			tries++
			switch tries {
			case 1:
				return fmt.Errorf("asking: %w", runtime.RetryAfter(errBusy, 20*time.Second))
			case 2:
				if waited := time.Since(began); waited != 20*time.Second {
					t.Errorf("waited %s, want 20s", waited)
				}
				return runtime.RetryAfter(errBusy, time.Hour)
			}
			return nil
		})
		if took := time.Since(began); !errors.Is(err, errBusy) || tries != 2 || took != 20*time.Second {
			t.Errorf("got %d tries, %s and error %v, want 2 tries, 20s and error %v", tries, took, err, errBusy)
		}
	})
}

// TestRetryAfterInside checks that the longest delay in the tree of an error counts.
func TestRetryAfterInside(t *testing.T) {
	t.Parallel()
	after := func(delay time.Duration) error { return runtime.RetryAfter(errBusy, delay) }
	for name, failure := range map[string]error{
		"in Retryable":          runtime.Retryable(fmt.Errorf("asking: %w", after(20*time.Second))),
		"in a shorter one":      runtime.RetryAfter(after(20*time.Second), time.Second),
		"joined with Retryable": errors.Join(runtime.Retryable(errBusy), after(20*time.Second)),
		"of several":            errors.Join(after(10*time.Second), after(20*time.Second), after(5*time.Second)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, left := time.Now(), failure
				err := runtime.Retry(t.Context(), func(context.Context) (err error) {
					err, left = left, nil
					return err
				})
				if took := time.Since(began); err != nil || took != 20*time.Second {
					t.Errorf("Retry took %s and returned error %v, want 20s and no error", took, err)
				}
			})
		})
	}
}

// TestRetryDelays checks that delays double up to the maximum, and that each is at
// least half of its nominal value.
func TestRetryDelays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options []runtime.RetryOption
		want    []time.Duration
	}{
		"by default":      {nil, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10_000 * ms, 10_000 * ms}},
		"configured":      {[]runtime.RetryOption{runtime.RetryDelays(ms, 3*ms)}, []time.Duration{ms, 2 * ms, 3 * ms, 3 * ms}},
		"negative delays": {[]runtime.RetryOption{runtime.RetryDelays(-ms, -ms)}, []time.Duration{100 * ms, 100 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var shorter int
				for range 30 {
					var pauses []time.Duration
					last := time.Now()
					_ = runtime.Retry(t.Context(), func(context.Context) error {
						pauses = append(pauses, time.Since(last))
						last = time.Now()
						return runtime.Retryable(errBusy)
					}, append(tt.options, runtime.RetryTries(len(tt.want)+1))...)
					for i, most := range tt.want {
						if got := pauses[i+1]; got > most || got < most/2 {
							t.Errorf("delay %d is %s, want from %s to %s", i+1, got, most/2, most)
						} else if got < most*3/4 {
							shorter++
						}
					}
				}
				if shorter == 0 {
					t.Error("no delay is shorter than three quarters of its nominal value")
				}
			})
		})
	}
}

const ms = time.Millisecond

// TestRetryInAResource checks that in a resource both the timeout and the retry are reported,
// and that the log has each further try but not the errors.
func TestRetryInAResource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := &shelves{do: func(ctx context.Context, _ *Shelf, _ string) error {
			return runtime.Retry(ctx, func(context.Context) error {
				return diag.WithPath(cty.GetAttrPath("name"), runtime.Retryable(errBusy))
			}, runtime.RetryDelays(time.Minute, time.Minute))
		}}
		d := newDriver(t, loggingTo{w.provider(t), tflogtest.RootLogger(t.Context(), &log)}, "test_shelf")
		config := d.config(attrs{"name": str("a"), "timeouts": timeouts(map[string]string{"create": "80s"})})
		diags := d.applyPlan(config, d.plan(config))
		wantTimeout(t, diags, "Creating test_shelf took too long", cty.GetAttrPath("timeouts").GetAttr("create"))
		if len(diags) != 2 || diag.FormatPath(diags[1].Path) != "name" || !strings.Contains(diags[1].Detail, "tried ") {
			t.Errorf("got %v", diags)
		}
		var got []string
		for _, line := range logLines(t, &log) {
			got = append(got, fmt.Sprint(line["@message"], " ", line["operation"]))
		}
		if diff := cmp.Diff("trying again test_shelf Create", got[0]); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
	var log bytes.Buffer
	_ = runtime.Retry(tflogtest.RootLogger(t.Context(), &log), func(context.Context) error { return runtime.Retryable(errBusy) },
		runtime.RetryDelays(ms, ms), runtime.RetryTries(3))
	if lines := logLines(t, bytes.NewBuffer(log.Bytes())); len(lines) != 2 || strings.Contains(log.String(), theSecret) {
		t.Errorf("the log is %s, want 2 lines without the error", log.String())
	}
}

// TestNestedRetry checks that a Retry inside another does not multiply the tries, unless its
// error is marked again.
func TestNestedRetry(t *testing.T) {
	t.Parallel()
	for want, again := range map[int]func(error) error{
		3: func(err error) error { return fmt.Errorf("outer: %w", err) },
		6: runtime.Retryable,
	} {
		tries := 0
		twice := []runtime.RetryOption{runtime.RetryDelays(ms, ms), runtime.RetryTries(2)}
		err := runtime.Retry(t.Context(), func(ctx context.Context) error {
			return again(runtime.Retry(ctx, func(context.Context) error {
				tries++
				return fmt.Errorf("inner: %w", runtime.Retryable(errBusy))
			}, runtime.RetryDelays(ms, ms), runtime.RetryTries(3)))
		}, twice...)
		if tries != want || !errors.Is(err, errBusy) {
			t.Errorf("tried %d times, want %d; got error %v, want %v", tries, want, err, errBusy)
		}
	}
}
