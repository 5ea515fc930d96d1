package scenarios_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryRuleHasScenarios checks that sections 1 to 16 of docs/checks.md and the lifecycle have
// scenarios, and that each scenario has a title and an outcome.
func TestEveryRuleHasScenarios(t *testing.T) {
	t.Parallel()
	sections := map[string]int{}
	whole := regexp.MustCompile(`(?s)^1 .*: (succeeds|fails)\n.*  holds `)
	title := regexp.MustCompile(`^[A-Z].*[.)]$`)
	every := all(t)
	for _, s := range every {
		if !title.MatchString(s.Title) {
			t.Errorf("%s: the title %q is not a sentence", s.Name, s.Title)
		}
		if !whole.MatchString(s.Outcome(false)) {
			t.Errorf("%s has no outcome; -update records it", s.Name)
		}
		for _, check := range s.Checks {
			section, _, _ := strings.Cut(check, "#")
			section, _, _ = strings.Cut(section, ".")
			sections[section]++
		}
	}
	for _, section := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "lifecycle"} {
		if sections[section] == 0 {
			t.Errorf("section %s has no scenario", section)
		}
		delete(sections, section)
	}
	if len(sections) > 0 {
		t.Errorf("unknown checks %v", sections)
	}
	if len(every) < 300 {
		t.Errorf("there are only %d scenarios, want at least 300", len(every))
	}
}

// TestHeldRoundTrip checks that lines of objects stay the same when they are converted to
// a state file and back, and that invalid lines are rejected.
func TestHeldRoundTrip(t *testing.T) {
	t.Parallel()
	const lines = `data.wrong_data.d {"id":"1"}
module.m["x"].wrong_plain.a {"id":"1"}
module.m.module.n[0].wrong_plain.a["k"] {"id":"2"}
wrong_plain.a (deposed) {"id":"3"}
wrong_plain.a (tainted, version 2, create-before-destroy) {"id":"4","list":[{}],"n":1.5} private "p" needs wrong_plain.b wrong_plain.c
wrong_plain.b[1] (identity-version 3) {} private "q r" identity {"id":"5","region":null}
`
	s := read(t, "prior", lines)
	file, err := PriorState(s)
	if err != nil {
		t.Fatal(err)
	}
	held, outputs, err := Held(file)
	if err != nil || len(outputs) > 0 {
		t.Fatal(outputs, err)
	}
	if diff := cmp.Diff(lines, strings.Join(held, "\n")+"\n"); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	for _, mistake := range []string{"nothing", `wrong_plain.a (odd) {}`, `wrong_plain.a {`, `wrong_plain.a {} with "p"`, `wrong_plain.a {} private p`} {
		if _, err := PriorState(read(t, "prior", mistake+"\n")); err == nil {
			t.Errorf("%s is accepted", mistake)
		}
	}
}

// read returns a scenario with one section.
func read(t *testing.T, section, text string) *Scenario {
	t.Helper()
	s, err := Read(t.TempDir(), write(t, "A title.\n\nchecks: 1\n-- "+section+" --\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.txtar")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSteps checks that a step inherits the files that it does not replace, but not the
// behaviour, that outcomes are recorded, and that invalid files are rejected.
func TestSteps(t *testing.T) {
	t.Parallel()
	file := write(t, `A title.

checks: 1 2#x
compare: order any-title
-- steps --
plan
apply -refresh=false
destroy
-- main.tf --
one
-- other.tf --
other
-- behaviour.hcl --
first
-- 2/main.tf --
two
-- 2/other.tf --
-- 3/schema.hcl --
third
`)
	s, err := Read(t.TempDir(), file)
	if err != nil {
		t.Fatal(err)
	}
	type step struct{ Command, Main, Other, Behaviour, Schema string }
	var got []step
	for _, st := range s.Steps {
		got = append(got, step{strings.Join(st.Command, " "), string(st.Files["main.tf"]), string(st.Files["other.tf"]), string(st.Behaviour), string(st.Schema)})
	}
	want := []step{
		{"plan", "one\n", "other\n", "first\n", ""},
		{"apply -refresh=false", "two\n", "", "", ""},
		{"destroy", "two\n", "", "", "third\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !s.Ordered || !s.AnyTitle || len(s.Checks) != 2 {
		t.Errorf("steps (-want +got):\n%s\n%+v", diff, s)
	}
	if err := s.Record("new\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.RecordTerraform("other\n"); err != nil {
		t.Fatal(err)
	}
	again, err := Read(t.TempDir(), file)
	if err != nil || again.Outcome(false) != "new\n" || again.Outcome(true) != "other\n" {
		t.Errorf("recorded %q and %q: %v", again.Outcome(false), again.Outcome(true), err)
	}
	for _, mistake := range []string{"A title.\n", "A title.\n\nchecks: 1\ncompare: much\n", "A title.\n\nchecks: 1\n-- 2/main.tf --\n", "A title.\n\nchecks: 1\n-- steps --\nplan\n\nplan\n"} {
		if _, err := Read(t.TempDir(), write(t, mistake)); err == nil {
			t.Errorf("%q is accepted", mistake)
		}
	}
}

// TestTextsAreCompared checks which differences of outcomes Unaddressed and Unordered remove.
func TestTextsAreCompared(t *testing.T) {
	t.Parallel()
	const recorded = "  says    error -: It broke\n  says    error wrong_plain.a: Other\n"
	for _, tt := range []struct{ got, want string }{
		{"  says    error wrong_plain.a: It broke\n", "  says    error -: It broke\n"},
		{"  says    error wrong_plain.a: It broke\n  says    error wrong_plain.b: It broke\n", "  says    error -: It broke\n"},
		{"  says    error wrong_plain.b: Other\n", "  says    error wrong_plain.b: Other\n"},
		{"  says    warning wrong_plain.a: It broke\n", "  says    warning wrong_plain.a: It broke\n"},
	} {
		if got := Unaddressed(tt.got, recorded); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.got, got, tt.want)
		}
	}
	if got := Unordered("1 apply: fails\n  asks    x a: read, plan b, apply\n"); got != "1 apply: fails\n  asks    x a: apply, plan b, read\n" {
		t.Errorf("unordered: %q", got)
	}
}
