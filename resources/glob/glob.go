// Package glob matches paths below a directory with patterns.
//
// In a pattern, * matches any number of characters except /, ? matches one character except
// /, [a-z] matches one character of a range, [!a-z] one outside of it, and \ makes the next
// character literal. A pattern without /, except at its end, matches names at any depth; any
// other matches paths relative to the directory, where the element ** matches any number of
// elements. A pattern that ends with / only matches directories. The descriptions of
// attributes repeat these rules.
//
// Invariants: [Parse] rejects every invalid pattern; the time of a match is at most
// proportional to the length of the pattern times that of the path.
//
// Elements are matched by [path.Match]. A matcher of whole paths with **, such as
// doublestar, gives different results: its classes match /, and it has alternatives in
// braces.
//
// Elsewhere: packages tree (exclude) and directorylist use it.
package glob

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Patterns is a list of patterns, which matches the paths that at least one of them matches.
type Patterns []Pattern

// Pattern matches paths below a directory.
type Pattern struct {
	anyDepth bool // whether to match names at any depth
	dirsOnly bool
	elements []string // each a pattern of path.Match, or **
}

// ParseAll parses patterns. Its error contains the first invalid pattern.
func ParseAll(texts []string) (Patterns, error) {
	all := make(Patterns, 0, len(texts))
	for _, text := range texts {
		p, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// Parse parses a pattern. An invalid pattern is an error, which does not contain the pattern.
func Parse(text string) (Pattern, error) {
	rest, dirsOnly := strings.CutSuffix(text, "/")
	below, rooted := strings.CutPrefix(rest, "/")
	p := Pattern{dirsOnly: dirsOnly, anyDepth: !rooted && !strings.Contains(rest, "/")}
	for e := range strings.SplitSeq(below, "/") {
		switch {
		case e == "":
			return p, errors.New("the pattern has an empty element: use a name or a pattern between slashes")
		case e == "." || e == "..":
			return p, errors.New("the pattern has the element " + e + ", which matches no path below the directory")
		case !utf8.ValidString(e):
			return p, errors.New("the pattern is not valid UTF-8")
		}
		translated, err := translate(e)
		if err != nil {
			return p, err
		}
		p.elements = append(p.elements, translated)
	}
	return p, nil
}

var (
	errUnclosed = errors.New("the pattern has a [ without a ]; use \\[ for the character itself")
	errClass    = errors.New("the pattern has an invalid [ ]: use [a-z] or [!a-z], with \\ before a literal !, -, [ or ]")
	errEscape   = errors.New("the pattern ends with \\; use \\\\ for the character itself")
)

// translate returns an element as a pattern of [path.Match]. path.Match negates a class with
// ^ instead of !, and accepts a [ and reversed ranges in a class, which translate rejects.
func translate(element string) (string, error) {
	var b strings.Builder
	inClass := false
	var last rune // the previous character
	runes := []rune(element)
	at := func(i int) rune {
		if i < len(runes) {
			return runes[i]
		}
		return 0
	}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\':
			if i++; i == len(runes) {
				return "", errEscape
			}
			b.WriteRune(r)
			r = runes[i]
		case r == '[' && inClass:
			return "", errClass
		case r == '[':
			inClass = true
			switch at(i + 1) {
			case '!':
				b.WriteRune(r)
				i++
				r = '^'
			case '^':
				b.WriteRune(r)
				r = '\\'
			}
		case r == ']':
			inClass = false
		case r == '-' && inClass:
			end := at(i + 1)
			if end == '\\' {
				end = at(i + 2)
			}
			if end < last {
				return "", errClass
			}
		}
		b.WriteRune(r)
		last = r
	}
	if inClass {
		return "", errUnclosed
	}
	if _, err := path.Match(b.String(), ""); err != nil {
		return "", errClass
	}
	return b.String(), nil
}

// Match reports whether the pattern matches a path, which must be relative and clean. dir reports
// whether the path is a directory.
func (p Pattern) Match(name string, dir bool) bool {
	names := strings.Split(name, "/")
	if p.anyDepth {
		names = names[len(names)-1:]
	}
	return (dir || !p.dirsOnly) && matchElements(p.elements, names)
}

// Match reports whether one of the patterns matches a path.
func (ps Patterns) Match(name string, dir bool) bool {
	return slices.ContainsFunc(ps, func(p Pattern) bool { return p.Match(name, dir) })
}

// Covers reports whether one of the patterns matches a path, or a directory above it.
func (ps Patterns) Covers(name string, dir bool) bool {
	for i, c := range name {
		if c == '/' && ps.Match(name[:i], true) {
			return true
		}
	}
	return ps.Match(name, dir)
}

// matchElements reports whether the elements of a pattern match those of a path. After a
// mismatch, it only backtracks to the last **, because the last ** can match all elements that
// an earlier ** could match.
func matchElements(pattern, names []string) bool {
	retry, at := -1, 0 // indexes of the element after the last **, and of the name to match with it
	i, j := 0, 0
	for j < len(names) || i < len(pattern) {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			i++
			retry, at = i, j
			continue
		case i < len(pattern) && j < len(names) && matchName(pattern[i], names[j]):
			i++
			j++
			continue
		case retry >= 0 && at < len(names):
			at++
			i, j = retry, at
			continue
		}
		return false
	}
	return true
}

func matchName(element, name string) bool {
	ok, err := path.Match(element, name)
	return ok && err == nil
}
