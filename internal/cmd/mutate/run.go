package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// outcome is the result for a mutant.
type outcome string

const (
	killed       outcome = "killed"
	timedOut     outcome = "timed out"
	survived     outcome = "survived"
	notCompiling outcome = "not compiling"
)

// result is the outcome of a mutant.
type result struct {
	mutant
	Outcome outcome  `json:"outcome"`
	By      []string `json:"by,omitempty"` // the first tests that failed
	Seconds float64  `json:"seconds"`
}

// judge runs the tests of a package.
type judge struct {
	dir     string // directory of the module
	scratch string
	tests   []string
	short   bool
	exec    string
	timeout time.Duration // 0 is the default of go test
}

var (
	passedPackage = regexp.MustCompile(`(?m)^ok  \t\S+\t([0-9.]+)s`)
	failedPackage = regexp.MustCompile(`(?m)^FAIL\b`)
	failedBuild   = regexp.MustCompile(`(?m)^FAIL\t\S+ \[(build|setup) failed\]$`)
	failedTest    = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	expired       = regexp.MustCompile(`(?m)^panic: test timed out after `)
)

// command returns the go test command; overlay may be empty.
func (j *judge) command(ctx context.Context, overlay string) *exec.Cmd {
	// Without debugging information a test binary is linked faster.
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-p=1", "-ldflags=-w"}
	if j.short {
		args = append(args, "-short")
	}
	if j.exec != "" {
		args = append(args, "-exec="+j.exec)
	}
	if j.timeout > 0 {
		args = append(args, "-timeout="+j.timeout.String())
	}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, j.tests...)...)
	cmd.Dir = j.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go forwards the signal to the test
	cmd.WaitDelay = 10 * time.Second                                      // do not wait longer for processes that a test left running
	return cmd
}

// clean runs the tests on the original, which they must pass, and derives the
// timeout for mutants.
func (j *judge) clean(ctx context.Context) error {
	out, err := j.command(ctx, "").CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("the tests of the original fail: %w\n%s", err, out)
	}
	var longest float64
	passed := passedPackage.FindAllSubmatch(out, -1)
	for _, m := range passed {
		seconds, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return err
		}
		longest = max(longest, seconds)
	}
	if len(passed) == 0 {
		return fmt.Errorf("no test ran on the original:\n%s", out)
	}
	j.timeout = (time.Duration(5*longest*float64(time.Second)) + 30*time.Second).Round(time.Second)
	return nil
}

// try runs the tests on a mutant.
func (j *judge) try(ctx context.Context, m mutant) (result, error) {
	overlay, err := j.overlay(m)
	if err != nil {
		return result{}, err
	}
	start := time.Now()
	cmd := j.command(ctx, overlay)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	r := result{mutant: m, Seconds: time.Since(start).Round(time.Millisecond).Seconds()}
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		r.Outcome = survived
	case failedBuild.Match(out):
		r.Outcome = notCompiling
	case expired.Match(out):
		r.Outcome = timedOut
	case failedPackage.Match(out):
		r.Outcome = killed
	default:
		return result{}, fmt.Errorf("%s: go test: %w\n%s", &m, err, out)
	}
	for _, name := range failedTest.FindAllSubmatch(out, 3) {
		r.By = append(r.By, string(name[1]))
	}
	return r, nil
}

// overlay writes the changed file, and the file for go test -overlay that puts it
// in place of the original, whose path it returns.
func (j *judge) overlay(m mutant) (string, error) {
	original, err := filepath.Abs(filepath.Join(j.dir, m.File))
	if err != nil {
		return "", err
	}
	src, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(j.scratch, "")
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(m.File))
	if err := os.WriteFile(changed, m.apply(src), 0o644); err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, content, 0o644)
}

// parallel is how many mutants are tried at the same time. Each uses a compiler and a
// linker.
const parallel = 2

// trySample tries mutants in their order until n compiled, and returns the results in
// the order in which the runs end. The set of results does not depend on that order: a
// mutant is tried only if fewer than n mutants before it compile.
func (j *judge) trySample(ctx context.Context, mutants []mutant, n int, each func(result)) ([]result, error) {
	type answer struct {
		result
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer)
	var results []result
	var firstErr error
	next, running, compiled := 0, 0, 0
	for {
		for firstErr == nil && running < parallel && compiled+running < n && next < len(mutants) {
			m := mutants[next]
			go func() {
				r, err := j.try(ctx, m)
				answers <- answer{r, err}
			}()
			next++
			running++
		}
		if running == 0 {
			return results, firstErr
		}
		a := <-answers
		running--
		if a.err != nil {
			if firstErr == nil {
				firstErr = a.err
			}
			cancel()
			continue
		}
		if a.Outcome != notCompiling {
			compiled++
		}
		results = append(results, a.result)
		each(a.result)
	}
}

// goPackage is the output of go list for a package, or for its test binary.
type goPackage struct {
	Name       string
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	Deps       []string
}

// goList runs go list, which prints packages as a sequence of JSON values.
func goList(ctx context.Context, dir string, args ...string) ([]goPackage, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %q: %w", args, err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		packages = append(packages, p)
	}
}

// listPackages returns the packages that match the patterns.
func listPackages(ctx context.Context, dir string, patterns []string) ([]goPackage, error) {
	return goList(ctx, dir, append([]string{"-json=Name,ImportPath,Dir,GoFiles,CgoFiles", "--"}, patterns...)...)
}

// testsOf returns the import paths of the packages among patterns that have tests
// whose binary contains pkg.
func testsOf(ctx context.Context, dir, pkg string, patterns []string) ([]string, error) {
	found, err := goList(ctx, dir, append([]string{"-test", "-json=Name,ImportPath,Deps", "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var tests []string
	for _, p := range found {
		tested, isTest := strings.CutSuffix(p.ImportPath, ".test")
		inTest := pkg + " [" + p.ImportPath + "]" // compiled with the files of its own test
		if isTest && p.Name == "main" && slices.ContainsFunc(p.Deps, func(dep string) bool { return dep == pkg || dep == inTest }) {
			tests = append(tests, tested)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s: no tests in %q import this package", pkg, patterns)
	}
	return tests, nil
}
