// Package walkthrough runs the commands in the README of an example, so that each command
// is tested.
//
// Elsewhere: the examples and their tests, which have the expected output, are below examples/.
package walkthrough

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Step is a command that a reader runs.
type Step struct {
	Line string
	// Fails means that the tofu command must fail.
	Fails bool
	// Check checks the output of the command, and its effects; it may be nil.
	Check func(t *testing.T, printed string)
}

// Run runs the commands in the sh blocks of README.md, which must be those of the
// steps. For tofu, Run runs the OpenTofu or Terraform under test, with -auto-approve for apply and
// destroy; export sets a variable for the following commands; other lines run in a shell.
func Run(t *testing.T, w *acctest.Workdir, steps []Step) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range steps {
		want = append(want, s.Line)
	}
	if got := lines(string(text)); !slices.Equal(got, want) {
		t.Fatalf("README.md has the lines\n%q\nand the steps of the test have\n%q", got, want)
	}
	served := slices.Clone(w.Env)
	var exported []string
	for _, s := range steps {
		var printed string
		switch first, rest, _ := strings.Cut(s.Line, " "); first {
		case "export":
			exported = append(exported, rest)
			w.Env = slices.Concat(served, exported)
		case "tofu":
			args := append(strings.Fields(rest), "-no-color")
			if args[0] == "apply" || args[0] == "destroy" {
				args = append(args, "-auto-approve")
			}
			var codes []int
			if s.Fails {
				codes = []int{1}
			}
			printed = w.Do(codes, args...).Output
		default:
			cmd := exec.CommandContext(t.Context(), "sh", "-c", s.Line)
			cmd.Dir, cmd.Env = w.Dir, append(os.Environ(), exported...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", s.Line, err, out)
			}
			printed = string(out)
		}
		if s.Check != nil {
			s.Check(t, printed)
		}
	}
}

// lines returns the lines in the sh blocks of a text.
func lines(text string) (found []string) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh"
		case inside && line != "":
			found = append(found, line)
		}
	}
	return found
}

// Prints returns a check that the output contains the texts.
func Prints(texts ...string) func(*testing.T, string) {
	return func(t *testing.T, printed string) {
		t.Helper()
		for _, w := range texts {
			if !strings.Contains(printed, w) {
				t.Errorf("want %q in:\n%s", w, printed)
			}
		}
	}
}
