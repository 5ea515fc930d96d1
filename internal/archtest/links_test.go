package archtest_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// markdownLink matches a link or an image; what follows # is an anchor.
	markdownLink = regexp.MustCompile(`\]\(([^()\s#]+)(#[^()\s]*)?\)`)
	code         = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
)

// TestLinks checks that relative links in Markdown files lead to files.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		if path.Ext(file) != ".md" || strings.Contains(file, "testdata/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range markdownLink.FindAllStringSubmatch(code.ReplaceAllString(string(content), ""), -1) {
			if target := m[1]; !strings.Contains(target, ":") {
				if _, err := os.Stat(filepath.Join(root, path.Dir(file), target)); err != nil {
					t.Errorf("%s links to %s: %v", file, target, err)
				}
			}
		}
	}
}
