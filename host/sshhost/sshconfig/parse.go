package sshconfig

import (
	"errors"
	"strings"
)

// line is one directive.
type line struct {
	at      Position
	keyword string // in lower case
	rest    string // the text of the arguments
	words   []string
	err     error // why the arguments are invalid: a quotation mark is not closed, or no argument is given

	unguarded bool // whether other users can write the file
}

func (l *line) fail(problem string) error { return &Error{At: l.at, Problem: problem} }

const blanks = " \t\r\n"

// parse parses the directives of a file. The error of a directive is kept until the directive
// applies: a mistake in the block of another host does not matter.
func parse(path, text string) []line {
	var lines []line
	number := 0
	for text := range strings.Lines(text) {
		number++
		text = strings.TrimRight(text, blanks+"\f")
		text = strings.TrimLeft(text, blanks)
		if text == "" || text[0] == '#' {
			continue
		}
		l := line{at: Position{path, number}}
		if l.keyword, l.rest = cutKeyword(text); l.keyword == "" {
			l.keyword, l.rest = cutKeyword(l.rest)
		}
		l.words, l.err = split(l.rest)
		switch {
		case l.err != nil:
			l.err = l.fail(l.err.Error())
		case l.rest == "":
			l.err = l.fail(l.keyword + " has no argument")
		}
		lines = append(lines, l)
	}
	return lines
}

// cutKeyword splits the keyword, in lower case, from its arguments. An equals sign may follow an
// unquoted keyword, with or without blanks. If a quote in the keyword is not closed, the result is
// empty, and the line is ignored.
func cutKeyword(text string) (keyword, rest string) {
	end := strings.IndexAny(text, blanks+`="`)
	if end < 0 {
		return strings.ToLower(text), ""
	}
	keyword, rest = text[:end], text[end:]
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		inside, after, closed := strings.Cut(quoted, `"`)
		if !closed {
			return "", ""
		}
		return strings.ToLower(keyword + inside), strings.TrimLeft(after, blanks)
	}
	rest = strings.TrimLeft(rest, blanks)
	if value, ok := strings.CutPrefix(rest, "="); ok {
		rest = strings.TrimLeft(value, blanks)
	}
	return strings.ToLower(keyword), rest
}

var errQuotes = errors.New("unclosed quotation mark")

// split splits the arguments of a directive as ssh does since version 8.7: with quotes of both
// kinds, and backslashes before quotes, backslashes and, outside quotes, spaces. A # at the
// beginning of a word starts a comment.
func split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] == '#' {
			return words, nil
		}
		word, rest, err := cutWord(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word), rest
	}
}

// cutWord splits off the first word of text.
func cutWord(text string) (word, rest string, err error) {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && (strings.IndexByte(`'"\`, text[i+1]) >= 0 || quote == 0 && text[i+1] == ' '):
			i++
			b.WriteByte(text[i])
		case quote == 0 && (c == ' ' || c == '\t'):
			return b.String(), text[i:], nil
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", errQuotes
	}
	return b.String(), "", nil
}
