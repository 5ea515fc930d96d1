package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGenerateResources checks that the descriptions of each resource package are generated
// before the pages are: go generate would otherwise write the pages first.
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
