package sidebyside_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"doc.go":    "// Package p counts.\npackage p\n",
		"p_gen.go":  "package p\n\nvar made = 1\n",
		"p_test.go": "package p\n\nvar untold = 1\n",
		"a.go": "package p // a comment beside code\n\n/* a comment\n   of two lines */\n// and one more\n" +
			"var text = `two\nlines` // of a string\n\nfunc f() {\n\n\treturn\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The lines that count: package p, var text = `two, lines`, func f() {, return, }
	got, err := sidebyside.Measure(dir)
	if want := (sidebyside.Size{Files: 1, Lines: 6, Tokens: 13, All: 12}); err != nil || got != want {
		t.Errorf("Measure returned %+v and the error %v, want %+v", got, err, want)
	}
	if got, err := sidebyside.Measure(t.TempDir()); err == nil {
		t.Errorf("a directory without code has the size %+v, want an error", got)
	}
}

// TestSourcesFollowRule checks that the counted code is formatted as the rule requires.
func TestSourcesFollowRule(t *testing.T) {
	t.Parallel()
	for _, c := range sidebyside.Contenders() {
		files, err := sidebyside.Sources(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if formatted, err := format.Source(src); err != nil || !bytes.Equal(src, formatted) {
				t.Errorf("%s is not formatted by gofmt (%v)", file, err)
			}
			n := 0
			for line := range strings.Lines(string(src)) {
				n++
				if columns := len([]rune(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    "))); columns > sidebyside.MaxColumns {
					t.Errorf("%s:%d has %d columns, want at most %d", file, n, columns, sidebyside.MaxColumns)
				}
			}
		}
	}
}

// TestLinesRatio checks that the runtime needs at most a third of the framework's lines of
// code.
func TestLinesRatio(t *testing.T) {
	t.Parallel()
	sizes := map[string]sidebyside.Size{}
	for _, c := range sidebyside.Contenders() {
		size, err := sidebyside.Measure(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", c.Title, size)
		sizes[c.Title] = size
	}
	ours, framework := sizes["runtime"], sizes["framework"]
	if ours.Lines*3 > framework.Lines {
		t.Errorf("the runtime has %d lines, want at most a third of the framework's %d", ours.Lines, framework.Lines)
	}
}
