// Command testreport reads the output of "go test -json" from standard input.
// It prints what go test prints without -v, except for packages without test files,
// then the reasons for skipped tests, and the number of passed, failed and skipped
// tests. It exits with 1 if a test or a build failed, or if no test ran.
//
// A test with subtests is not counted unless it is skipped; its subtests are.
//
// With the argument -packages it only prints how many packages to test at a time.
//
// Elsewhere: scripts/gotest runs the tests; package internal/tier skips tests
// by tier.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
)

func main() {
	if slices.Equal(os.Args[1:], []string{"-packages"}) {
		fmt.Println(goruntime.GOMAXPROCS(0) + 2) // tests also wait for processes and timers; GOMAXPROCS respects the limits of a container
		return
	}
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !r.finish() {
		os.Exit(1)
	}
}

// event is a line of "go test -json": see "go doc test2json".
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output
	Test       string
	Output     string
}

// test identifies a test; the name is empty for output of a package outside of
// tests.
type test struct{ pkg, name string }

// report collects the events of a run.
type report struct {
	out     io.Writer
	output  map[test][]string // of running tests and packages, and of failed tests of such packages
	parents map[test]bool     // tests with subtests

	passed, failed, skipped int
	failures                bool
	reasons                 map[string]int // skipped tests by reason
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[test][]string{}, parents: map[test]bool{}, reasons: map[string]int{}}
}

// read reads all events. It prints other lines unchanged.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
				fmt.Fprint(r.out, string(line))
			} else {
				r.add(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "build-fail":
		r.failures = true
	case "run":
		if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
			r.parents[test{e.Package, e.Test[:i]}] = true
		}
	case "output":
		r.output[t] = append(r.output[t], e.Output)
	case "pass", "fail", "skip":
		r.end(t, e.Action)
	}
}

// end counts a test that ended, and keeps the output of a failed test for
// endPackage. For a package, it calls endPackage.
func (r *report) end(t test, action string) {
	output := r.output[t]
	delete(r.output, t)
	if t.name == "" {
		r.endPackage(t, action, output)
		return
	}
	switch action {
	case "fail":
		// Subtests end before their test, so their output comes first.
		r.output[test{t.pkg, ""}] = append(r.output[test{t.pkg, ""}], unframed(output)...)
	case "skip":
		r.reasons[reason(output)]++
	}
	if r.parents[t] && action != "skip" {
		return
	}
	switch action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
	case "skip":
		r.skipped++
	}
}

// endPackage prints the result of a package, its output outside of tests, and the
// output of failed and interrupted tests. It prints nothing for a package without
// test files.
func (r *report) endPackage(pkg test, action string, output []string) {
	if action == "fail" {
		r.failures = true
		for t, lines := range r.output { // interrupted by a crash or timeout
			if t.pkg == pkg.pkg {
				output = append(unframed(lines), output...)
				delete(r.output, t)
			}
		}
	}
	for _, line := range output {
		if line != "PASS\n" && !strings.Contains(line, "[no test files]") {
			fmt.Fprint(r.out, line)
		}
	}
}

// finish prints how many tests were skipped for each reason, and how many passed, failed and
// were skipped. It reports whether tests ran and none failed.
func (r *report) finish() bool {
	if len(r.reasons) > 0 {
		fmt.Fprintf(r.out, "\nskipped:\n")
	}
	byCount := func(a, b string) int {
		return cmp.Or(cmp.Compare(r.reasons[b], r.reasons[a]), strings.Compare(a, b))
	}
	for _, why := range slices.SortedFunc(maps.Keys(r.reasons), byCount) {
		fmt.Fprintf(r.out, "%6d  %s\n", r.reasons[why], why)
	}
	if r.failures && r.failed == 0 {
		r.failed = 1 // a build, code outside of tests or a test whose subtests passed has failed
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if r.passed+r.failed+r.skipped == 0 {
		fmt.Fprintln(r.out, "no test ran: check the packages and the flag -run")
		return false
	}
	return !r.failures
}

// unframed returns the output of a test without the lines that only -v prints. It
// modifies its argument.
func unframed(output []string) []string {
	return slices.DeleteFunc(output, func(line string) bool {
		return strings.HasPrefix(line, "=== ")
	})
}

var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)\n`)

// reason returns the first line of the last message of a skipped test.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if m := logged.FindStringSubmatch(line); len(m) == 2 && m[1] != "" {
			return m[1]
		}
	}
	return "no reason given"
}
