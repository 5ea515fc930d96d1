package glob

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Patterns are for what any of them is for.
type Patterns []Pattern

// Pattern is for some of the paths below a directory.
type Pattern struct {
	anywhere bool // it is for names, wherever they are
	dirs     bool // it is for directories alone
	elements []string
}

// ParseAll reads several patterns. An error names the one that is wrong.
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

// Parse reads a pattern.
func Parse(text string) (Pattern, error) {
	rest, dirs := strings.CutSuffix(text, "/")
	below, rooted := strings.CutPrefix(rest, "/")
	p := Pattern{dirs: dirs, anywhere: !rooted && !strings.Contains(rest, "/"), elements: strings.Split(below, "/")}
	for _, e := range p.elements {
		switch {
		case e == "":
			return p, errors.New("it has an empty element: write a name or a pattern between slashes")
		case e == "." || e == "..":
			return p, errors.New("it has the element " + e + ", which no path below the folder has")
		case !utf8.ValidString(e):
			return p, errors.New("it is not UTF-8")
		}
		if err := checkElement(e); err != nil {
			return p, err
		}
	}
	return p, nil
}

func checkElement(e string) error {
	for rest := e; rest != ""; {
		_, after, err := token(rest)
		if err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// Match says whether the pattern is for what is at a path, relative and clean.
func (p Pattern) Match(path string, dir bool) bool {
	names := strings.Split(path, "/")
	if p.anywhere {
		names = names[len(names)-1:]
	}
	return (dir || !p.dirs) && matchElements(p.elements, names)
}

// Match says whether one of the patterns is for what is at a path.
func (ps Patterns) Match(path string, dir bool) bool {
	for _, p := range ps {
		if p.Match(path, dir) {
			return true
		}
	}
	return false
}

// Covers says whether one of them is for what is at a path, or for a directory that it is in.
func (ps Patterns) Covers(path string, dir bool) bool {
	for i, c := range path {
		if c == '/' && ps.Match(path[:i], true) {
			return true
		}
	}
	return ps.Match(path, dir)
}

// matchElements tries the elements of a pattern on those of a path. Where it fails after a
// **, only the last of these takes one more: what an earlier one would gain, that can.
func matchElements(pattern, names []string) bool {
	retry, at := -1, 0 // behind the last **, and where that ends
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

// matchName tries one element on a name, in the same way.
func matchName(element, name string) bool {
	retry, at := "", -1
	rest, i := element, 0
	for i < len(name) || rest != "" {
		if strings.HasPrefix(rest, "*") {
			rest = rest[1:]
			retry, at = rest, i
			continue
		}
		if rest != "" && i < len(name) {
			r, size := utf8.DecodeRuneInString(name[i:])
			if matches, after, err := token(rest); err == nil && matches(r) {
				rest, i = after, i+size
				continue
			}
		}
		if at < 0 || at >= len(name) {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[at:])
		at += size
		rest, i = retry, at
	}
	return true
}

var (
	errOpen    = errors.New("it has a [ without a ]; for the character itself, write \\[")
	errRange   = errors.New("it has a range in [ ] that is none: write [a-z], and \\ before a -, ], [ or ! that stands for itself")
	errNothing = errors.New("it ends with a \\, which takes the meaning from the character that follows; for itself, write \\\\")
)

// token is what the pattern begins with: which characters it is for, and what follows. A * is for
// none here.
func token(pattern string) (matches func(rune) bool, rest string, err error) {
	r, size := utf8.DecodeRuneInString(pattern)
	rest = pattern[size:]
	switch r {
	case '*':
		return func(rune) bool { return false }, rest, nil
	case '?':
		return func(rune) bool { return true }, rest, nil
	case '[':
		return class(rest)
	case '\\':
		if rest == "" {
			return nil, "", errNothing
		}
		r, size = utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return func(c rune) bool { return c == r }, rest, nil
}

// class reads what is behind a [.
func class(pattern string) (matches func(rune) bool, rest string, err error) {
	rest, not := strings.CutPrefix(pattern, "!")
	type span struct{ from, to rune }
	var spans []span
	one := func() (rune, bool, error) { // and whether it was taken the meaning from
		if rest == "" {
			return 0, false, errOpen
		}
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		if r != '\\' {
			return r, false, nil
		}
		if rest == "" {
			return 0, false, errOpen
		}
		r, size = utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		return r, true, nil
	}
	for {
		from, plain, err := one()
		switch {
		case err != nil:
			return nil, "", err
		case from == ']' && !plain:
			if len(spans) == 0 {
				return nil, "", errRange
			}
			return func(r rune) bool {
				for _, s := range spans {
					if s.from <= r && r <= s.to {
						return !not
					}
				}
				return not
			}, rest, nil
		case (from == '[' || from == '-') && !plain:
			return nil, "", errRange
		}
		to := from
		if strings.HasPrefix(rest, "-") {
			rest = rest[1:]
			if to, plain, err = one(); err != nil {
				return nil, "", err
			}
			if to < from || !plain && (to == ']' || to == '[' || to == '-') {
				return nil, "", errRange
			}
		}
		spans = append(spans, span{from, to})
	}
}
