package sidebyside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// Section is a part of the page that is generated from results.
type Section struct{ Name, Body string }

// Sections runs all measurements, scenarios and mistakes, and returns their results. root
// is the directory of this package.
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

// times returns n and its ratio to ours as text.
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
			finding := Detect(ctx, c, kind)
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

// Finder is the component that detects an author's mistake, or [Nowhere] or [Nobody].
type Finder string

// The finders, from the best to the worst. Nowhere means that the mistake cannot be made, and
// Nobody means that no component detects it.
const (
	Nowhere  Finder = "cannot be made"
	Start    Finder = "at start"
	UnitTest Finder = "by a unit test of the library"
	Server   Finder = "in its response"
	Client   Finder = "by the client"
	Crash    Finder = "by a crash"
	Nobody   Finder = "not found"
)

// Finding is the component that detects a mistake, with its message.
type Finding struct {
	Finder Finder
	Said   string
}

// library builds and tests a contender's resource with a mistake.
type library struct {
	build    func(context.Context, mistake.Kind) (tfplugin.ProviderServer, error)
	unitTest func(context.Context, mistake.Kind) error
}

var libraries = map[string]library{
	"runtime":   {mistake.Ours, func(context.Context, mistake.Kind) error { return nil }},
	"framework": {mistake.Framework, mistake.FrameworkUnitTest},
	"SDKv2":     {mistake.SDKv2, mistake.SDKv2UnitTest},
}

// Detect runs the lifecycle of a contender's resource with a mistake, and returns the
// component that detects the mistake first.
func Detect(ctx context.Context, c Contender, kind mistake.Kind) Finding {
	l := libraries[c.Title]
	server, err := l.build(ctx, kind)
	if why, ok := errors.AsType[mistake.Impossible](err); ok {
		return Finding{Nowhere, why.Error()}
	}
	if err != nil {
		return Finding{Start, err.Error()}
	}
	w, err := startWorld(ctx, server, "thing_thing", cty.EmptyObjectVal)
	if err != nil {
		return Finding{Start, err.Error()}
	}
	if err := l.unitTest(ctx, kind); err != nil {
		return Finding{UnitTest, err.Error()}
	}
	err = runLifecycle(ctx, w)
	var broken *brokenRule
	switch {
	case err != nil && strings.Contains(err.Error(), panicked):
		return Finding{Crash, err.Error()}
	case errors.As(err, &broken):
		return Finding{Client, broken.Error()}
	case err != nil:
		return Finding{Server, err.Error()}
	}
	return Finding{Finder: Nobody}
}

// panicked is the summary of the error diagnostic with which the client of package tfprotov6 reports
// a panic in a server. If the provider ran in a separate process, that process would crash.
const panicked = "The provider panicked"

// runLifecycle creates, updates and reads a thing.
func runLifecycle(ctx context.Context, w *world) error {
	for _, a := range []attrs{{"name": "one", "label": "a"}, {"name": "one", "label": "b"}, {"name": "one"}} {
		if err := w.applyConfig(ctx, a); err != nil {
			return err
		}
		if err := w.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Rule describes how code is counted.
const Rule = "All Go files of the package are counted, except tests, doc.go and generated files: the schema, the resource, the provider and the " +
	"function that returns its server. A line counts if it has at least one token that is not a comment; tokens are those of go/scanner, without the " +
	"semicolons that it inserts. The files are formatted by gofmt, and no line is longer than 140 columns, with a tab width of four columns."

// MaxColumns is the maximum length of a line that the rule allows.
const MaxColumns = 140

// Size is an amount of code. All counts every line, including comments and empty lines.
type Size struct{ Files, Lines, Tokens, All int }

// Sources returns the files of a package that are counted. A package without such files is
// an error.
func Sources(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var counted []string
	for _, file := range all {
		if name := filepath.Base(file); name != "doc.go" && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_gen.go") {
			counted = append(counted, file)
		}
	}
	if len(counted) == 0 {
		return nil, fmt.Errorf("%s has no Go files to count", dir)
	}
	return counted, nil
}

// Measure counts the code of a package. A package without Go files to count is an error.
func Measure(dir string) (Size, error) {
	files, err := Sources(dir)
	if err != nil {
		return Size{}, err
	}
	total := Size{Files: len(files)}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return Size{}, err
		}
		lines, tokens := count(src)
		total.Lines += lines
		total.Tokens += tokens
		total.All += bytes.Count(src, []byte("\n"))
	}
	return total, nil
}

// count returns the number of lines that have a token, and the number of tokens. A raw
// string is one token, and each of its lines counts as a line with a token.
func count(src []byte) (lines, tokens int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0) // comments are skipped
	last := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines, tokens
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // inserted by the scanner
		}
		tokens++
		first := file.Line(pos)
		end := first + strings.Count(text, "\n")
		lines += end - max(first-1, last)
		last = end
	}
}
