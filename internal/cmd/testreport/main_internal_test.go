package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport checks the report of go test on a module with tests of each outcome.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.25\n",
		"good/a_test.go": "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) { t.Log(\"quiet\") }\n",
		"skip/a_test.go": `package skip

import "testing"

func TestSkip(t *testing.T) {
	for _, name := range []string{"a", "b/c"} {
		t.Run(name, func(t *testing.T) { t.Log("before"); t.Skip("no sshd\nhere") })
	}
	t.Run("good", func(*testing.T) {})
}
`,
		"bad/a_test.go":   "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"wrong\") }) }\n",
		"crash/a_test.go": "package crash\n\nimport \"testing\"\n\nfunc TestCrash(t *testing.T) { t.Log(\"last words\"); panic(\"crashed\") }\n",
		"build/a_test.go": "package build\n\nvar x int = \"text\"\n",
		"empty/a.go":      "package empty\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(packages ...string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-json", "-vet=off"}, packages...)...)
		cmd.Dir = dir
		events, _ := cmd.Output() // fails if a test fails
		var out bytes.Buffer
		r := newReport(&out)
		if err := r.read(bytes.NewReader(events)); err != nil {
			t.Fatal(err)
		}
		ok := r.finish()
		return out.String(), ok
	}

	out, ok := run("./good", "./skip", "./empty")
	if !ok || strings.Contains(out, "quiet") || strings.Contains(out, "PASS") || strings.Contains(out, "empty") {
		t.Errorf("ok is %t, want true and only results in the output:\n%s", ok, out)
	}
	for _, want := range []string{"ok  \texample.com/m/good", "\nskipped:\n     2  no sshd\n", "\n2 passed, 0 failed, 2 skipped\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not contain %q:\n%s", want, out)
		}
	}

	out, ok = run("./...")
	if ok {
		t.Errorf("ok is true for failed tests, want false:\n%s", out)
	}
	for _, want := range []string{
		"    a_test.go:5: wrong\n", "--- FAIL: TestBad", "last words", "panic: crashed", "cannot use \"text\"",
		"\n2 passed, 2 failed, 2 skipped\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not contain %q:\n%s", want, out)
		}
	}

	if out, ok = run("-run=Renamed", "./good"); ok || !strings.Contains(out, "no test ran") {
		t.Errorf("ok is %t without a test, want false and a message that no test ran:\n%s", ok, out)
	}
	if out, ok = run("./build"); ok || !strings.HasSuffix(out, "\n0 passed, 1 failed, 0 skipped\n") {
		t.Errorf("ok is %t without a successful build, want false and one failure:\n%s", ok, out)
	}
}
