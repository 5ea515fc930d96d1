package demo_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/demo"
)

// world is a directory with a configuration for the command, and the notebook.
type world struct {
	*acctest.Workdir
	t        *testing.T
	notebook string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Workdir: acctest.NewServedWorkdir(t, "demo", demo.New), t: t, notebook: filepath.Join(t.TempDir(), "notebook")}
	w.Write("provider.tf", fmt.Sprintf("provider \"demo\" {\n  directory   = %q\n  owner    = \"ada\"\n  password = \"secret\"\n}\n", w.notebook))
	return w
}

// apply applies a configuration and checks that the next plan is empty.
func (w *world) apply(main string) {
	w.t.Helper()
	w.Write("main.tf", main)
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}

func (w *world) file(elem ...string) string {
	return filepath.Join(append([]string{w.notebook}, elem...)...)
}

// output decodes an output value into value.
func (w *world) output(name string, value any) {
	w.t.Helper()
	raw := w.Do(nil, "output", "-json", name).Output
	if err := json.Unmarshal([]byte(raw), value); err != nil {
		w.t.Fatalf("%v: %s", err, raw)
	}
}

// richPage is a page with most attributes; %q is its text.
//
//go:embed testdata/page.tf.tmpl
var richPage string

// TestEngineManagedResource runs the lifecycle of a page with most attributes.
func TestEngineManagedResource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(fmt.Sprintf(richPage, "hello"))
	if left, _ := filepath.Glob(w.file("session", "*.json")); len(left) > 0 {
		t.Errorf("sessions are left open: %v", left)
	}
	raw, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil || strings.Contains(string(raw), "token-") {
		t.Errorf("the state has a write-only value, or cannot be read (error %v)", err)
	}

	t.Log("no changes for the same values in other formats")
	sameValues := strings.NewReplacer(`"600"`, `"0600"`, `jsonencode({ b = [true], a = 1 })`, `"{ \"a\" : 1, \"b\" : [ true ] }"`, `"First"`, `"FIRST"`, `en-GB`, `en-gb`)
	w.Write("main.tf", sameValues.Replace(fmt.Sprintf(richPage, "hello")))
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")

	t.Log("drift is found and repaired")
	path := w.file("page", "first.json")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(page), `"hello"`, `"scribble"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if plan := w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color").Output; !strings.Contains(plan, "scribble") {
		t.Errorf("the plan does not show the drift:\n%s", plan)
	}
	w.apply(fmt.Sprintf(richPage, "hello"))

	t.Log("outputs that an update does not change stay known")
	w.Write("main.tf", fmt.Sprintf(richPage, "good bye"))
	plan := w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color").Output
	if n := strings.Count(plan, "known after apply"); n != 1 || strings.Count(plan, "digest") != 1 { // read_at; the digest is known
		t.Errorf("%d attributes are known after apply, want only read_at, and the digest once:\n%s", n, plan)
	}
	w.apply(fmt.Sprintf(richPage, "good bye"))

	t.Log("a change of timeouts does not write the page")
	before := mtime(t, path)
	w.apply(strings.Replace(fmt.Sprintf(richPage, "good bye"), `"30s"`, `"40s"`, 1))
	if !mtime(t, path).Equal(before) {
		t.Error("the page was written because of a change of timeouts")
	}
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("Stat of the destroyed page: error %v, want fs.ErrNotExist", err)
	}
}

func mtime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestEngineRefusals checks the errors of validation.
func TestEngineRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct{ page, want string }{
		"pattern":    {`name = "No"`, "lower-case letters"},
		"nested":     {"name = \"n\"\n  sections = [{ heading = \"x\", level = 7 }]", "from 1 to 6"},
		"conflict":   {"name = \"n\"\n  text = \"a\"\n  text_wo = \"b\"\n  text_wo_version = 1", "text is already set"},
		"pair":       {"name = \"n\"\n  text_wo = \"b\"", "text_wo_version must be set too"},
		"own check":  {"name = \"n\"\n  text = \"forbidden\"", "not allowed in the notebook of ada"},
		"parse":      {"name = \"n\"\n  mode = \"rw\"", "octal digits"},
		"timeout":    {"name = \"n\"\n  timeouts = { create = \"soon\" }", "not a duration"},
		"too many":   {"name = \"n\"\n" + linkBlocks(9), "No more than 8"},
		"empty name": {"name = \"n\"\n  sections = [{ heading = \"\" }]", "from 1 to 80 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			w.Write("main.tf", "resource \"demo_page\" \"it\" {\n  "+test.page+"\n}\n")
			if out := w.Do([]int{1}, "plan", "-no-color").Output; !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " "), test.want) {
				t.Errorf("the error lacks %q:\n%s", test.want, out)
			}
		})
	}
}

func linkBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  link {\n    page = \"p%d\"\n  }\n", i)
	}
	return b.String()
}

// TestEngineDataAndFunctions checks data sources, function calls and reads that the
// plan defers until the apply.
func TestEngineDataAndFunctions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(`
terraform {
  provider_meta "demo" {
    module = "tests"
  }
}

resource "demo_page" "it" {
  name     = "it"
  text     = "hello"
  sections = [{ heading = "One" }]
}

data "demo_page" "it" {
  name    = demo_page.it.name
  excerpt = 3
}

output "read" {
  value = data.demo_page.it
}

output "called" {
  value = [
    provider::demo::shout("a"), provider::demo::join("-", "a", "b"), provider::demo::join("-"),
    provider::demo::certain("x"), provider::demo::outline(data.demo_page.it.sections),
  ]
}
`)
	var read struct {
		Text, Shelf, Module string
		Sections            []struct {
			Anchor string
			Level  int
		}
	}
	w.output("read", &read)
	if read.Text != "hel" || read.Shelf != "main" || read.Module != "tests" || len(read.Sections) != 1 || read.Sections[0].Anchor != "#one" {
		t.Errorf("read %+v, want the text hel, the shelf main, the module tests and one section with the anchor #one", read)
	}
	var called []any
	w.output("called", &called)
	if got, want := fmt.Sprint(called), "[A a-b  true [  One]]"; got != want {
		t.Errorf("functions returned %s, want %s", got, want)
	}
	w.Write("bad.tf", "output \"bad\" {\n  value = provider::demo::join(\"-\", \"a\", \"b\\n\")\n}\n")
	if out := w.Do([]int{1}, "plan", "-no-color").Output; !strings.Contains(out, "a word must not have line breaks") {
		t.Errorf("the output lacks the error of the argument:\n%s", out)
	}
}

// TestEngineImportAndMove checks imports by ID, by identity and with a generated configuration, a move
// from another type, and the import of a type without identity.
func TestEngineImportAndMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const page = "resource \"demo_page\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n"
	w.apply(page)

	t.Log("import by ID")
	w.Do(nil, "state", "rm", "demo_page.it")
	w.Do(nil, "import", "-no-color", "demo_page.it", "it")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")

	t.Log("import by identity")
	w.Do(nil, "state", "rm", "demo_page.it")
	w.apply(page + "import {\n  to = demo_page.it\n  identity = { name = \"it\" }\n}\n")

	if !acctest.NeedsCLI(t).GuessesImportProvider() {
		t.Log("import with generated configuration")
		w.Do(nil, "state", "rm", "demo_page.it")
		w.Write("main.tf", "import {\n  to = demo_page.it\n  id = \"it\"\n}\n")
		w.Do(nil, "plan", "-no-color", "-generate-config-out=generated.tf")
		w.Do(nil, "apply", "-auto-approve", "-no-color")
		w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
		if err := os.Remove(filepath.Join(w.Dir, "generated.tf")); err != nil {
			t.Fatal(err)
		}
		w.Write("main.tf", "")
	}
	w.Do(nil, "destroy", "-auto-approve", "-no-color")

	t.Log("move from another type")
	w.apply("resource \"demo_sheet\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n")
	before := mtime(t, w.file("page", "it.json"))
	w.apply(page + "moved {\n  from = demo_sheet.it\n  to   = demo_page.it\n}\n")
	if !mtime(t, w.file("page", "it.json")).Equal(before) {
		t.Error("the page was written because of the move")
	}

	t.Log("import of a type without identity")
	w.apply("resource \"demo_sheet\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\nimport {\n  to = demo_sheet.it\n  id = \"it\"\n}\n" +
		"removed {\n  from = demo_page.it\n  lifecycle {\n    destroy = false\n  }\n}\n")
}

// TestEngineUpgrade checks that the state of an older version of the provider is upgraded without changes.
func TestEngineUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const page = "resource \"demo_page\" \"it\" {\n  name = \"it\"\n  text = \"hello\"\n}\n"
	w.apply(page)
	path := filepath.Join(w.Dir, "terraform.tfstate")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.NewReplacer(`"schema_version": 2`, `"schema_version": 0`, `"text": "hello"`, `"body": "hello"`, `"mode": "0644"`, `"mode": 420`).Replace(string(raw))
	if strings.Count(old, `"body": `)+strings.Count(old, `"mode": 420`)+strings.Count(old, `"schema_version": 0`) != 3 {
		t.Fatalf("unexpected state before the upgrade:\n%s", raw)
	}
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}
