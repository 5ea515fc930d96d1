package acctest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// TestScripts runs the scripts of testdata, which use every command.
func TestScripts(t *testing.T) {
	t.Parallel()
	acctest.Script(t, "testdata/scripts/*.txtar", notes)
	used := map[string]bool{}
	names, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			for word := range strings.FieldsSeq(strings.TrimPrefix(line, "! ")) {
				used[word] = true
				break
			}
		}
	}
	for _, name := range acctest.ScriptCommands() {
		if !used[name] {
			t.Errorf("no script uses the command %s", name)
		}
	}
}

// TestScriptErrors checks the line and text of errors.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	const config = "\n-- main.tf --\nresource \"demo_note\" \"this\" {\n  path = \"$WORK/note\"\n  text = \"a\"\n}\n"
	for name, tt := range map[string]struct{ script, want string }{
		"an unknown command":     {"apply\nfly\n", `s.txtar:2: there is no command "fly"`},
		"too many arguments":     {"apply now\n", "s.txtar:1: apply has 1 arguments"},
		"no commands":            {"# nothing\n", "s.txtar: the script has no commands"},
		"an open quote":          {"! apply 'a\n", "s.txtar:1: a quote is not closed"},
		"another value":          {"apply\nstate demo_note.this.text == b\n", `s.txtar:2: demo_note.this.text is "a", want == "b"`},
		"no such attribute":      {"apply\nstate demo_note.this.txt == ''\n", "s.txtar:2: demo_note.this has no attribute txt"},
		"an unknown comparison":  {"apply\nstate demo_note.this.text = a\n", `s.txtar:2: unknown comparison "="`},
		"no such object":         {"apply\nstate demo_note.that.text == a\n", "s.txtar:2: no object in the state"},
		"an unwanted object":     {"apply\nstate demo_note.this absent\n", "s.txtar:2: demo_note.this is in the state"},
		"an untainted object":    {"apply\nstate demo_note.this tainted\n", "s.txtar:2: demo_note.this is not in the state, or not tainted"},
		"an absent object":       {"apply\nstate demo_note.thsi.text absent\n", "s.txtar:2: no object in the state has an address that is a prefix of demo_note.thsi.text"},
		"an absent attribute":    {"apply\nstate demo_note.this.txet absent\n", "s.txtar:2: demo_note.this has no attribute txet"},
		"an unequal attribute":   {"apply\nstate demo_note.this.txet != b\n", "s.txtar:2: demo_note.this has no attribute txet"},
		"an unknown object":      {"apply\nplan demo_note.thsi no-op\n", "s.txtar:2: the plan has no action for demo_note.thsi, want no-op"},
		"an unwanted value":      {"apply\nstate demo_note.this.text absent\n", `s.txtar:2: demo_note.this.text is "a", not null`},
		"an empty plan":          {"apply\nplan changes\n", "s.txtar:2: the plan is empty"},
		"a plan with changes":    {"plan empty\n", "s.txtar:1: the plan is not empty:\n  + demo_note.this: Create"},
		"another action":         {"plan demo_note.this update\n", "s.txtar:1: the plan has the action create for demo_note.this, want update"},
		"no error":               {"! apply 'x'\n", "s.txtar:1: apply succeeded"},
		"another error":          {"write $WORK/note/x y\n", "s.txtar:1: open"},
		"a misuse after !":       {"! fly 'there is no command'\n", `s.txtar:1: there is no command "fly"`},
		"no such file":           {"use other\n", "s.txtar:1: the archive has no other"},
		"a failing destroy":      {"apply\nremove $WORK/note\nwrite $WORK/x y\n! use other x\n", "s.txtar:4: the archive has no other"},
		"an unloadable import":   {"use bad\nimport demo_note.this /nonexistent/x\n-- bad/bad.tf --\nunknown {}", "s.txtar:2: exit status 1\n\nError: Unsupported block type"},
		"an unwanted list":       {"use list\napply\nstate terraform_data.a.input absent\n-- list/a.tf --\nresource \"terraform_data\" \"a\" {\n  input = [\"x\"]\n}", `s.txtar:3: terraform_data.a.input is "1 element", not null`},
		"an error of the engine": {"import demo_note.this /nonexistent/x\n", "s.txtar:1: exit status 1\n\nError: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := acctest.RunScript(t, "s.txtar", []byte(tt.script+config), t.TempDir(), notes)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("the error is %v, want an error that starts with %s", err, tt.want)
			}
		})
	}
}
