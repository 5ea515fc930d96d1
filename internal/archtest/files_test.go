package archtest_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOneDocPerPackage checks that each package has its package comment in doc.go, or in its only file. The files of
// examples/note are in README.md, without the comment.
func TestOneDocPerPackage(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		var sources, comments []string
		for _, file := range p.files {
			if file.test || file.generated {
				continue
			}
			sources = append(sources, path.Base(file.path))
			if file.comment != "" {
				comments = append(comments, path.Base(file.path))
			}
		}
		want := "doc.go"
		if len(sources) == 1 {
			want = sources[0]
		}
		if !slices.Equal(comments, []string{want}) {
			t.Errorf("%s has package comments in %q, want one in %s on its purpose, its callers, its invariants and related packages", p.dir, comments, want)
		}
	}
}

// TestNoVagueDirectories rejects directory names that do not describe the content.
func TestNoVagueDirectories(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		switch path.Base(p.dir) {
		case "util", "utils", "common", "helper", "helpers", "misc", "pkg", "shared":
			t.Errorf("%s: name the package after its purpose", p.dir)
		}
	}
}

// TestNoLocalPaths rejects paths and mirrors of the host on which a file was written. The
// words are concatenated so that the test does not find itself.
func TestNoLocalPaths(t *testing.T) {
	t.Parallel()
	forbidden := []string{
		"/wo" + "rk/", "/ro" + "ot/go", "/ro" + "ot/.cache", "/tm" + "p/go-build",
		"proxy." + "golang.org", "sum." + "golang.org", "goproxy." + "io", "deb." + "debian.org", "registry." + "npmjs.org",
	}
	if here, err := filepath.Abs(root); err == nil && strings.Count(here, string(filepath.Separator)) > 1 {
		forbidden = append(forbidden, here+string(filepath.Separator))
	}
	for _, file := range files(t) {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range forbidden {
			if before, _, found := bytes.Cut(content, []byte(word)); found {
				line := 1 + bytes.Count(before, []byte("\n"))
				t.Errorf("%s:%d contains %q, which exists on one host only", file, line, word)
			}
		}
	}
}

var directRequire = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9.-]+\.[a-z]+/\S+) v\S+$`)

var explained = regexp.MustCompile("(?m)^- `([^`/]+\\.[a-z]+/[^`]+)`")

// TestDependenciesAreExplained checks that the architecture justifies each dependency.
func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range explained.FindAllSubmatch(doc, -1) {
		if !bytes.Contains(mod, append(m[1], ' ')) {
			t.Errorf("docs/architecture.md explains `%s`, which go.mod does not require", m[1])
		}
	}
	direct := directRequire.FindAllSubmatch(mod, -1)
	if len(direct) == 0 {
		t.Fatal("no direct dependencies found in go.mod")
	}
	for _, m := range direct {
		if !bytes.Contains(doc, append([]byte("`"), append(m[1], '`')...)) {
			t.Errorf("docs/architecture.md does not say in a sentence why `%s` is needed", m[1])
		}
	}
}

// TestLayersAreDocumented checks that the table in the text is the one in the test.
func TestLayersAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range layers {
		if f.dir != "." && !bytes.Contains(doc, []byte("`"+f.dir+"/`")) {
			t.Errorf("docs/architecture.md does not have `%s/` in its table of layers", f.dir)
		}
	}
}
