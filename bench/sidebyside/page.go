package sidebyside

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// Section is a part of the page that is generated from results.
type Section struct{ Name, Body string }

// Sections measures and runs everything. Root is the directory of this package.
func Sections(ctx context.Context, root string) ([]Section, error) {
	size, err := sizes(root)
	if err != nil {
		return nil, err
	}
	return []Section{{"size", size}, {"behaviour", behaviour(ctx)}, {"mistakes", mistakes(ctx)}}, nil
}

func sizes(root string) (string, error) {
	var b strings.Builder
	b.WriteString("| | lines of code | tokens | lines in all |\n|---|--:|--:|--:|\n")
	var ours Size
	for i, c := range Contenders() {
		size, err := Measure(filepath.Join(root, c.Dir))
		if err != nil {
			return "", err
		}
		if i == 0 {
			ours = size
			fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", titled(c), size.Lines, size.Tokens, size.All)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", titled(c), times(size.Lines, ours.Lines), times(size.Tokens, ours.Tokens), times(size.All, ours.All))
	}
	libraries, err := versions(root)
	fmt.Fprintf(&b, "\n%s\n\nThe libraries: %s.\n", Rule, libraries)
	return b.String(), err
}

// times returns a number and its ratio to that of the runtime.
func times(n, ours int) string {
	return fmt.Sprintf("%d (%.1f ×)", n, float64(n)/float64(ours))
}

// titled returns the title of a contender with a link to its code.
func titled(c Contender) string {
	return fmt.Sprintf("[%s](../bench/sidebyside/%s)", c.Title, c.Dir)
}

// table is a table with a column for each contender, and notes below it.
type table struct {
	rows  strings.Builder
	notes []string
}

func newTable(first string) *table {
	t := &table{}
	t.rows.WriteString("| " + first + " |")
	for _, c := range Contenders() {
		t.rows.WriteString(" " + c.Title + " |")
	}
	t.rows.WriteString("\n|---|" + strings.Repeat("---|", len(Contenders())) + "\n")
	return t
}

// cell adds a cell, with a reference to a note if there is one.
func (t *table) cell(word, note string) {
	if note != "" {
		t.notes = append(t.notes, note)
		word += fmt.Sprintf(" (%d)", len(t.notes))
	}
	t.rows.WriteString(" " + word + " |")
}

func (t *table) String() string {
	var b strings.Builder
	b.WriteString(t.rows.String())
	b.WriteString("\n")
	for i, note := range t.notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String()
}

func behaviour(ctx context.Context) string {
	t := newTable("The resource …")
	for _, g := range Groups() {
		fmt.Fprintf(&t.rows, "| **%s** |%s\n", g.Title, strings.Repeat(" |", len(Contenders())))
		for _, s := range g.Scenarios {
			t.rows.WriteString("| " + s.Name + " |")
			for _, c := range Contenders() {
				if err := s.Run(ctx, c); err != nil {
					t.cell("no", c.Title+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
					continue
				}
				t.cell("yes", "")
			}
			t.rows.WriteString("\n")
		}
	}
	return t.String()
}

func mistakes(ctx context.Context) string {
	t := newTable("A resource that …")
	for _, kind := range mistake.Kinds() {
		t.rows.WriteString("| " + string(kind) + " |")
		for _, c := range Contenders() {
			finding := Blame(ctx, c, kind)
			note := ""
			if finding.Finder == Nowhere {
				note = c.Title + ": " + finding.Said
			}
			t.cell(string(finding.Finder), note)
		}
		t.rows.WriteString("\n")
	}
	return t.String()
}

var published = regexp.MustCompile(`github\.com/hashicorp/(terraform-plugin-(?:framework\S*|sdk/v2) v\S+)`)

// versions returns the modules of the other two contenders with their versions in go.mod.
func versions(root string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "..", "go.mod"))
	if err != nil {
		return "", err
	}
	var list []string
	for _, m := range published.FindAllStringSubmatch(string(mod), -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, ", "), nil
}
