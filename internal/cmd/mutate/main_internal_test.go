package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixture returns the directory of a module with one package. The mutant of join
// does not compile, and a <= b is equivalent to a < b.
func fixture(t *testing.T, tests string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module example.com/fixture\n\ngo 1.26\n",
		"p.go": `package fixture

func least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func join(a, b string) string { return a + b }
`,
		"p_test.go": "package fixture\n\nimport \"testing\"\n\n" + tests,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRun tries mutants with go test -short, and then the survivors without -short.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := fixture(t, `
func TestLeast(t *testing.T) {
	if least(2, 1) != 1 || !testing.Short() && least(1, 2) != 1 {
		t.Error("wrong")
	}
}
`)
	outcomes := filepath.Join(t.TempDir(), "outcomes.json")
	for _, tt := range []struct {
		name string
		options
		want []string
	}{
		{"all", options{dir: dir, n: 60, seed: 1, short: true, packages: []string{"."}, jsonFile: outcomes}, []string{
			"package              mutants  killed  survived  share",
			"example.com/fixture  3        1       2         33.3 %",
			"p.go:4:5: least: branch: a < b → (a < b) && false",
			"p.go:4:7: least: boundary: a < b → a <= b",
		}},
		{"survivors", options{dir: dir, seed: 1, onlyFile: outcomes}, []string{
			"package              mutants  killed  survived  share",
			"example.com/fixture  2        1       1         50.0 %",
			"p.go:4:7: least: boundary: a < b → a <= b",
		}},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), tt.options, &out, io.Discard); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// writerFunc is a function as an [io.Writer].
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestInterruptKeepsOutcomes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := fixture(t, "func TestNothing(t *testing.T) {}\n")
	outcomes := filepath.Join(t.TempDir(), "outcomes.json")
	progress := writerFunc(func(p []byte) (int, error) {
		if bytes.HasPrefix(p, []byte(survived)) {
			cancel()
		}
		return len(p), nil
	})
	err := run(ctx, options{dir: dir, n: 60, packages: []string{"."}, jsonFile: outcomes}, io.Discard, progress)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	written, err := readReport(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	if len(written.Packages) != 1 || len(written.Packages[0].Results) == 0 {
		t.Errorf("written: %+v", written)
	}
}

func TestRunRefusesFailingTests(t *testing.T) {
	t.Parallel()
	dir := fixture(t, "func TestFails(t *testing.T) { t.Error(\"as always\") }\n")
	err := run(t.Context(), options{dir: dir, n: 1, packages: []string{"."}}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "the tests of the original fail") || !strings.Contains(err.Error(), "as always") {
		t.Errorf("error %v", err)
	}
}
