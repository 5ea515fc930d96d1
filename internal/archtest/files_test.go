package archtest_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOneDocPerPackage checks that each package has one package comment: in doc.go, or in its only file other
// than tests and generated files.
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
			t.Errorf("%s has package comments in %q, want a comment in %s on the package's purpose, callers, invariants and related packages", p.dir, comments, want)
		}
	}
}

// TestNoVagueDirectories rejects directory names that do not describe the content.
func TestNoVagueDirectories(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		switch path.Base(p.dir) {
		case "util", "utils", "common", "helper", "helpers", "misc", "pkg", "shared":
			t.Errorf("the name of %s does not describe the content: name the package after its purpose", p.dir)
		}
	}
}

// TestNoLocalPaths rejects paths of the host on which a file was written, and the addresses of
// package servers. The words are concatenated so that the test does not find them in this file.
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
				t.Errorf("%s:%d contains %q, which is a path of one host or the address of a package server", file, line, word)
			}
		}
	}
}

var directRequire = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9.-]+\.[a-z]+/\S+) v\S+$`)

var explained = regexp.MustCompile("(?m)^- `([^`/]+\\.[a-z]+/[^`]+)`")

// TestDependenciesAreExplained checks that docs/architecture.md explains each direct dependency, and nothing
// that go.mod does not require.
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
	all := explained.FindAllSubmatch(doc, -1)
	if len(all) == 0 {
		t.Fatal("no explanations of dependencies found in docs/architecture.md")
	}
	for _, m := range all {
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
			t.Errorf("docs/architecture.md does not explain in a sentence why `%s` is needed", m[1])
		}
	}
}

// TestLayersAreDocumented checks that the table in docs/architecture.md has the layers of
// layers_test.go and the packages of this module that they may import, except for vocabulary.
func TestLayersAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(height int, dir string, imports []string) string {
		imports = slices.DeleteFunc(slices.Clone(imports), func(p string) bool { return p == "–" || slices.Contains(vocabulary, p) })
		slices.Sort(imports)
		return fmt.Sprintf("%d %s may import %q", height, dir, imports)
	}
	var documented, tested []string
	for _, m := range layerRow.FindAllStringSubmatch(string(doc), -1) {
		height, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, row(height, strings.TrimSuffix(m[2], "/"), strings.Split(m[3], ", ")))
	}
	for _, l := range layers {
		dir := l.dir
		if dir == "." {
			dir = "main.go"
		}
		tested = append(tested, row(l.height, dir, l.ours))
	}
	slices.Sort(documented)
	slices.Sort(tested)
	if diff := cmp.Diff(tested, documented); diff != "" {
		t.Errorf("the table of layers in docs/architecture.md differs from the one in layers_test.go (-test +document):\n%s", diff)
	}
}

// layerRow matches a row of the table of layers: height, directory, content, imports.
var layerRow = regexp.MustCompile("(?m)^\\| ([0-9]) \\| `([^`]+)` \\| .* \\| ([^|]+) \\|$")
