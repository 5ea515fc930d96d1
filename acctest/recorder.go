package acctest

import (
	"fmt"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
)

// recorder is a T that keeps the verdict to itself, so that two can be compared.
type recorder struct {
	T // names the test and cleans up

	mu              sync.Mutex
	failed, skipped bool
	ended           bool
	said            []string
}

// record runs a test to its end, which may be FailNow.
func record(t T, run func(T)) *recorder {
	r := &recorder{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(r)
		r.ended = true
	}()
	<-done
	if !r.ended && !r.skipped && !r.failed {
		// The test case ended the goroutine by the T that it was made with.
		r.failed = true
	}
	return r
}

var atStep = regexp.MustCompile(`(?i)step (\d+)/\d+`)

// verdict is how a test ended.
type verdict struct {
	outcome string
	// step is where a failure says that it was, or "".
	step string
}

// String is the verdict in words.
func (v verdict) String() string {
	if v.step == "" {
		return v.outcome
	}
	return v.outcome + " at step " + v.step
}

// agrees reports whether both are the same: not every failure names its step.
func (v verdict) agrees(other verdict) bool {
	return v.outcome == other.outcome && (v.step == other.step || v.step == "" || other.step == "")
}

func (r *recorder) verdict() verdict {
	switch {
	case r.failed:
		for _, text := range r.said {
			if m := atStep.FindStringSubmatch(text); m != nil {
				return verdict{"failed", m[1]}
			}
		}
		return verdict{"failed", ""}
	case r.skipped:
		return verdict{"was skipped", ""}
	default:
		return verdict{"passed", ""}
	}
}

// log is all that was said.
func (r *recorder) log() string { return strings.Join(r.said, "\n") }

func (r *recorder) say(text string, failed, skipped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		r.said = append(r.said, text)
	}
	r.failed = r.failed || failed
	r.skipped = r.skipped || skipped
}

// Error is part of T, like all that follow.
func (r *recorder) Error(args ...any) { r.say(fmt.Sprintln(args...), true, false) }

// Errorf fails the test and goes on.
func (r *recorder) Errorf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...), true, false)
}

// Fail fails the test and goes on.
func (r *recorder) Fail() { r.say("", true, false) }

// FailNow fails the test and ends it.
func (r *recorder) FailNow() {
	r.say("", true, false)
	goruntime.Goexit()
}

// Failed reports whether the test has failed.
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Fatal fails the test and ends it.
func (r *recorder) Fatal(args ...any) {
	r.say(fmt.Sprintln(args...), true, false)
	goruntime.Goexit()
}

// Fatalf fails the test and ends it.
func (r *recorder) Fatalf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...), true, false)
	goruntime.Goexit()
}

// Log keeps a line.
func (r *recorder) Log(args ...any) { r.say(fmt.Sprintln(args...), false, false) }

// Logf keeps a line.
func (r *recorder) Logf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...), false, false)
}

// Parallel does nothing: the real test is what runs in parallel.
func (r *recorder) Parallel() {}

// Skip ends the test without a verdict.
func (r *recorder) Skip(args ...any) {
	r.say(fmt.Sprintln(args...), false, true)
	goruntime.Goexit()
}

// SkipNow ends the test without a verdict.
func (r *recorder) SkipNow() {
	r.say("", false, true)
	goruntime.Goexit()
}

// Skipf ends the test without a verdict.
func (r *recorder) Skipf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...), false, true)
	goruntime.Goexit()
}

// Skipped reports whether the test was skipped.
func (r *recorder) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped
}
