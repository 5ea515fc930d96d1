package walkthrough

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Step is a line that a reader types.
type Step struct {
	Line string
	// Fails says that a line of tofu ends with an error.
	Fails bool
	// Check looks at what it has printed, and done, if not nil.
	Check func(t *testing.T, printed string)
}

// Run does the lines that are in the sh blocks of README.md, which have to be those
// of the steps. A line of tofu is run by the engine that tests use, where it asks
// with the answer yes; export sets a variable of the lines after it; any other line
// is one of a shell.
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
		t.Fatalf("README.md has the lines\n%q\nand the test those of\n%q", got, want)
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

// lines are what stands in the sh blocks of a text.
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

// Prints checks that words are in what was printed.
func Prints(words ...string) func(*testing.T, string) {
	return func(t *testing.T, printed string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(printed, w) {
				t.Errorf("want %q in:\n%s", w, printed)
			}
		}
	}
}
