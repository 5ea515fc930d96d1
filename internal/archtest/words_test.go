package archtest_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// wordFiles are the suffixes of checked files. Generated Go files are not checked, but their
// sources are.
var wordFiles = []string{".go", ".md", ".tmpl", ".tf", ".hcl", ".tftpl"}

// terms removes the allowed terms that contain a rejected word.
var terms = strings.NewReplacer(
	" virtual machine ", " ", " virtual machines ", " ", " state machine ", " ", " state machines ", " ", " machine id ", " ", " machine readable ", " ",
	" system folder ", " ", // the resource type system_folder of another provider
)

var wordTable = regexp.MustCompile(`(?s)<!-- begin words -->.*<!-- end words -->`)

// rejected returns the words, their plurals and the phrases of the left column of
// CONTRIBUTING.md's table, each between spaces.
func rejected(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(wordTable.Find(text))) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[1]) == "instead of" {
			continue
		}
		for phrase := range strings.SplitSeq(cells[1], ",") {
			found = append(found, " "+strings.TrimSpace(phrase)+" ")
			if !strings.Contains(strings.TrimSpace(phrase), " ") {
				found = append(found, " "+strings.TrimSpace(phrase)+"s ")
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("CONTRIBUTING.md has no table of words")
	}
	return found
}

// wordsOf returns the words of a line in lower case, each between spaces. Identifiers are
// split: hostOfMachine is " host of machine ".
func wordsOf(line string) string {
	var b strings.Builder
	b.WriteByte(' ')
	last := ' '
	for _, r := range line {
		if !unicode.IsLetter(r) {
			r = ' '
		}
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if r != ' ' || last != ' ' {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.TrimRight(b.String(), " ") + " "
}

// TestWords checks that identifiers, comments, messages and documents have no rejected words.
func TestWords(t *testing.T) {
	t.Parallel()
	words := rejected(t)
	for _, file := range files(t) {
		if !slices.Contains(wordFiles, path.Ext(file)) || strings.Contains(file, "testdata/") || strings.HasSuffix(file, "_gen.go") || file == "internal/archtest/words_test.go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(wordTable.ReplaceAllString(string(content), "")) {
			number++
			text := terms.Replace(wordsOf(line))
			for _, word := range words {
				if strings.Contains(text, word) {
					t.Errorf("%s:%d has %q: use the other word in the table of CONTRIBUTING.md", file, number, strings.TrimSpace(word))
				}
			}
		}
	}
}

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                               " ",
		"func exampleMachine(n int) {":   " func example machine n int ",
		"// Folder's (v2) system_folder": " folder s v system folder ",
	} {
		if got := wordsOf(line); got != want {
			t.Errorf("%q has the words %q, want %q", line, got, want)
		}
	}
}
