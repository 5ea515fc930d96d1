package addrs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// ParseError is text that is no address of the kind that is wanted.
type ParseError struct {
	// Kind is what was wanted, with its article: "a resource address".
	Kind string
	Text string
	// Offset is the byte in Text at which Problem was found.
	Offset  int
	Problem string
}

// Error says what is wrong and where, counting characters from 1.
func (e *ParseError) Error() string {
	at := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	return fmt.Sprintf("%s is not %s: at character %d, %s", quote(e.Text), e.Kind, at, e.Problem)
}

// scanner reads an address from left to right. The first problem stays; after
// it everything reads as empty.
type scanner struct {
	kind, text string
	pos        int
	err        *ParseError
}

func scan(kind, text string) *scanner { return &scanner{kind: kind, text: text} }

func (s *scanner) fail(problem string) {
	if s.err == nil {
		s.err = &ParseError{Kind: s.kind, Text: s.text, Offset: s.pos, Problem: problem}
	}
	s.pos = len(s.text)
}

// end is the error of the whole, to which anything that is left belongs.
func (s *scanner) end() error {
	if s.pos < len(s.text) {
		s.fail("nothing more is expected")
	}
	if s.err != nil {
		return s.err
	}
	return nil
}

func (s *scanner) rest() string { return s.text[s.pos:] }

// take skips c if it is next.
func (s *scanner) take(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// want skips c, which must be next.
func (s *scanner) want(c byte, where string) {
	if !s.take(c) {
		s.fail(strconv.Quote(string(rune(c))) + " is expected " + where)
	}
}

// takeWord skips a word and the dot after it, if both are next.
func (s *scanner) takeWord(word string) bool {
	rest, ok := strings.CutPrefix(s.rest(), word)
	if !ok || rest == "" || rest[0] != '.' {
		return false
	}
	s.pos += len(word) + 1
	return true
}

// name reads an identifier of the language.
func (s *scanner) name(what string) string {
	start := s.pos
	for i, r := range s.rest() {
		if !identifierRune(r, i == 0) {
			break
		}
		s.pos = start + i + utf8.RuneLen(r)
	}
	if s.pos == start {
		s.fail("the name of " + what + " is expected")
		return ""
	}
	return s.text[start:s.pos]
}

// key reads an instance key if one is next.
func (s *scanner) key() InstanceKey {
	if !s.take('[') {
		return NoKey
	}
	var key InstanceKey
	if s.take('"') {
		key = StringKey(s.quoted())
	} else {
		key = s.index()
	}
	s.want(']', "after the key")
	return key
}

func (s *scanner) index() InstanceKey {
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9' {
		s.pos++
	}
	digits := s.text[start:s.pos]
	if digits == "" {
		s.fail("a key is expected: a whole number, or a string in quotes")
		return NoKey
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		s.pos = start
		s.fail("the number is too large for a key")
	}
	return IntKey(n)
}

// quoted reads the rest of a string of the language, up to its closing quote.
// It is what quote writes; what would begin a template is an error.
func (s *scanner) quoted() string {
	// Nearly all keys mean what they look like.
	if i := strings.IndexAny(s.rest(), "\"\\$%\n"); i >= 0 && s.text[s.pos+i] == '"' {
		plain := s.text[s.pos : s.pos+i]
		if utf8.ValidString(plain) {
			s.pos += i + 1
			return normalize(plain)
		}
	}
	var out strings.Builder
	for s.err == nil {
		r, size := utf8.DecodeRuneInString(s.rest())
		switch {
		case size == 0 || r == '\n':
			s.fail("the string has no closing quote")
		case r == utf8.RuneError && size == 1:
			s.fail("there are bytes that are not UTF-8")
		case r == '"':
			s.pos++
			return normalize(out.String())
		case r == '\\':
			s.pos++
			out.WriteRune(s.escape())
		case r == '$' || r == '%':
			s.introducer(&out, s.text[s.pos:s.pos+1])
		default:
			s.pos += size
			out.WriteRune(r)
		}
	}
	return ""
}

// introducer reads a sign that would begin a template before a brace; doubled,
// it stands for itself.
func (s *scanner) introducer(out *strings.Builder, sign string) {
	switch rest := s.rest(); {
	case strings.HasPrefix(rest, sign+sign+"{"):
		s.pos += 3
		out.WriteString(sign + "{")
	case strings.HasPrefix(rest, sign+"{"):
		s.fail("a key cannot have a template: write " + sign + sign + "{ for the characters")
	default:
		s.pos++
		out.WriteString(sign)
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape() rune {
	simple := map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\'}
	if s.pos < len(s.text) {
		c := s.text[s.pos]
		if r, ok := simple[c]; ok {
			s.pos++
			return r
		}
		digits := map[byte]int{'u': 4, 'U': 8}[c]
		if digits > 0 && s.pos+digits < len(s.text) {
			n, err := strconv.ParseUint(s.text[s.pos+1:s.pos+1+digits], 16, 32)
			if err == nil && n <= unicode.MaxRune && utf8.ValidRune(rune(n)) {
				s.pos += 1 + digits
				return rune(n)
			}
		}
	}
	s.fail(`after a backslash one of n, r, t, ", \, uXXXX and UXXXXXXXX is expected`)
	return 0
}

// normalize gives text the form that all strings of the language have.
func normalize(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return cty.NormalizeString(text)
		}
	}
	return text
}

func identifierRune(r rune, first bool) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case r < utf8.RuneSelf:
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return letter || !first && (r == '-' || r >= '0' && r <= '9')
	case unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space):
		return false
	case unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start):
		return true
	default:
		return !first && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
	}
}
