package authoring_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const guide = "../../docs/authoring.md"

// block is a fenced block of the guide. The words after the backquotes determine its use:
// see [reader.follow].
type block struct {
	line int
	what []string
	text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", filepath.Base(guide), b.line) }

// is reports whether the words after the backquotes start with the given ones.
func (b block) is(words ...string) bool {
	return len(b.what) >= len(words) && strings.Join(b.what[:len(words)], " ") == strings.Join(words, " ")
}

// readGuide returns the guide's text and its blocks, in order.
func readGuide(t *testing.T) (string, []block) {
	t.Helper()
	raw, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	var open *block
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		mark, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && open == nil:
			open = &block{line: n, what: strings.Fields(mark)}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	if open != nil {
		t.Fatalf("the code block at %s is not closed", open)
	}
	return string(raw), blocks
}

// source returns a file of the examples, or the part of it between the comments "[region"
// and "region]" without its indentation.
func source(t *testing.T, ref string) string {
	t.Helper()
	file, region, part := strings.Cut(ref, "#")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !part {
		return string(raw)
	}
	_, rest, begins := strings.Cut(string(raw), "// ["+region+"\n")
	text, _, ends := strings.Cut(rest, "// "+region+"]\n")
	if !begins || !ends {
		t.Fatalf("%s has no region %s", file, region)
	}
	return strings.TrimSpace(undent(text)) + "\n"
}

// undent removes the leading tabs that all non-blank lines share.
func undent(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for {
		for _, l := range lines {
			if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "\t") {
				return strings.Join(lines, "")
			}
		}
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, "\t")
		}
	}
}

// TestCode checks that code in the guide equals the examples, and that the guide has each
// part of the examples that is marked for it.
func TestCode(t *testing.T) {
	t.Parallel()
	_, blocks := readGuide(t)
	shown := map[string]bool{}
	for _, b := range blocks {
		if !b.is("go") && !b.is("yaml") && !b.is("json") {
			continue
		}
		if len(b.what) != 2 {
			t.Errorf("%s does not name the file that it shows", b)
			continue
		}
		shown[b.what[1]] = true
		if want := source(t, b.what[1]); b.text != want {
			t.Errorf("%s differs from %s, which is:\n%s", b, b.what[1], want)
		}
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("got the files %v of the examples (error %v), want at least 10", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if region, ok := strings.CutPrefix(strings.TrimSpace(line), "// ["); ok && !strings.Contains(region, "]") && !shown[file+"#"+region] {
				t.Errorf("%s marks %q for the guide, which does not show it", file, region)
			}
		}
	}
}
