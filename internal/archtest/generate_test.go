package archtest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGenerateResources checks that resources/doc.go lists each resource package with generated
// descriptions: go generate would otherwise write the pages before these descriptions.
func TestGenerateResources(t *testing.T) {
	t.Parallel()
	describes := regexp.MustCompile(`(?m)^//go:generate go run .*/cmd/describe `)
	var described []string
	for _, file := range files(t) {
		dir, found := strings.CutPrefix(filepath.ToSlash(filepath.Dir(file)), "resources/")
		if !found || !strings.HasSuffix(file, ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if describes.Match(content) {
			described = append(described, "./"+dir)
		}
	}
	content, err := os.ReadFile(filepath.Join(root, "resources", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^//go:generate go generate (.*)$`).FindSubmatch(content)
	if line == nil {
		t.Fatal("resources/doc.go has no go:generate line with its packages")
	}
	listed := strings.Fields(string(line[1]))
	slices.Sort(described)
	slices.Sort(listed)
	if want := slices.Compact(described); !slices.Equal(listed, want) {
		t.Errorf("resources/doc.go generates %v, want %v", listed, want)
	}
}

// TestGeneratedWithoutRepository checks that scripts/generated also finds stale generated files in a
// directory without a repository, such as an unpacked archive of the source.
func TestGeneratedWithoutRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "scripts", "generated")
	if err := errors.Join(
		os.Mkdir(filepath.Dir(script), 0o700),
		os.WriteFile(script, []byte(readFile(t, "scripts/generated")), 0o600),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/a\n\ngo 1.26\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n//go:generate sh -c \"echo generated >made.txt\"\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"generated files are stale", ""} {
		out, err := exec.CommandContext(t.Context(), "sh", script).CombinedOutput()
		if stale := want != ""; stale != (err != nil) || !strings.Contains(string(out), want) {
			t.Errorf("got error %v and output %s, want %q", err, out, want)
		}
	}
}
