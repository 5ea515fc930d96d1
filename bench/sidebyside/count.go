package sidebyside

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Rule describes how code is counted.
const Rule = "All Go files of the package are counted, except tests, doc.go and generated files: the schema, the resource, the provider and its main " +
	"function. A line counts if it has at least one token that is not a comment; tokens are those of go/scanner. The files are " +
	"formatted by gofmt, and no line is longer than 140 columns, with four columns a tab."

// MaxColumns is the maximum length of a line that the rule allows.
const MaxColumns = 140

// Size is an amount of code. All counts every line, including comments and empty lines.
type Size struct{ Files, Lines, Tokens, All int }

// Sources returns the files of a package that count.
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
		return nil, fmt.Errorf("%s: there is no code", dir)
	}
	return counted, nil
}

// Measure counts the code of a package.
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

// count returns how many lines have a token, and how many tokens there are. A raw string
// counts as one token, and all its lines have it.
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
