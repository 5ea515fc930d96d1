package acctest

import (
	"fmt"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
)

// recorder is a T that records the verdict of a test.
type recorder struct {
	T // provides the name and cleanups

	mu              sync.Mutex
	failed, skipped bool
	ended           bool
	messages        []string
	// step is the first step that the message of a failure names, or "".
	step string
}

// record runs a test until it returns or ends its goroutine, and returns its recorder.
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
		// The test case ended the goroutine through another T, usually t.
		r.skipped = t.Skipped() && !t.Failed()
		r.failed = !r.skipped
	}
	return r
}

var atStep = regexp.MustCompile(`(?i)step (\d+)/\d+`)

// verdict is the result of a test.
type verdict struct {
	outcome string
	// step is the failed step as the message gives it, or "".
	step string
}

// String returns the verdict in words.
func (v verdict) String() string {
	if v.step == "" {
		return v.outcome
	}
	return v.outcome + " at step " + v.step
}

// agrees reports whether v and other have the same outcome and, if both have a step, the same step.
func (v verdict) agrees(other verdict) bool {
	return v.outcome == other.outcome && (v.step == other.step || v.step == "" || other.step == "")
}

func (r *recorder) verdict() verdict {
	switch {
	case r.failed:
		return verdict{"failed", r.step}
	case r.skipped:
		return verdict{"was skipped", ""}
	default:
		return verdict{"passed", ""}
	}
}

// log returns all messages.
func (r *recorder) log() string { return strings.Join(r.messages, "\n") }

func (r *recorder) add(text string, failed, skipped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		r.messages = append(r.messages, text)
	}
	if m := atStep.FindStringSubmatch(text); failed && r.step == "" && m != nil {
		r.step = m[1]
	}
	r.failed = r.failed || failed
	r.skipped = r.skipped || skipped
}

// Error fails the test and continues.
func (r *recorder) Error(args ...any) { r.add(fmt.Sprintln(args...), true, false) }

// Errorf fails the test and continues.
func (r *recorder) Errorf(format string, args ...any) {
	r.add(fmt.Sprintf(format, args...), true, false)
}

// Fail fails the test and continues.
func (r *recorder) Fail() { r.add("", true, false) }

// FailNow fails the test and ends it.
func (r *recorder) FailNow() {
	r.add("", true, false)
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
	r.add(fmt.Sprintln(args...), true, false)
	goruntime.Goexit()
}

// Fatalf fails the test and ends it.
func (r *recorder) Fatalf(format string, args ...any) {
	r.add(fmt.Sprintf(format, args...), true, false)
	goruntime.Goexit()
}

// Log records a message.
func (r *recorder) Log(args ...any) { r.add(fmt.Sprintln(args...), false, false) }

// Logf records a message.
func (r *recorder) Logf(format string, args ...any) {
	r.add(fmt.Sprintf(format, args...), false, false)
}

// Parallel does nothing: the underlying T determines whether the test runs in parallel.
func (r *recorder) Parallel() {}

// Skip records a message and ends the test as skipped.
func (r *recorder) Skip(args ...any) {
	r.add(fmt.Sprintln(args...), false, true)
	goruntime.Goexit()
}

// SkipNow ends the test as skipped.
func (r *recorder) SkipNow() {
	r.add("", false, true)
	goruntime.Goexit()
}

// Skipf records a message and ends the test as skipped.
func (r *recorder) Skipf(format string, args ...any) {
	r.add(fmt.Sprintf(format, args...), false, true)
	goruntime.Goexit()
}

// Skipped reports whether the test was skipped.
func (r *recorder) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped
}
