package addrs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// ParseModuleInstanceStr is the inverse of [ModuleInstance.String]. An error is a
// [ParseError].
func ParseModuleInstanceStr(text string) (ModuleInstance, error) {
	s := scan("the address of a module instance", text)
	var m ModuleInstance
	for s.pos < len(s.text) {
		if len(m) > 0 {
			s.want('.', "between modules")
		}
		m = append(m, ModuleInstanceStep{Name: s.module(), InstanceKey: s.key()})
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseAbsResourceInstanceStr is the inverse of [AbsResourceInstance.String]. An error is
// a [ParseError].
func ParseAbsResourceInstanceStr(text string) (AbsResourceInstance, error) {
	s := scan("the address of a resource instance", text)
	r := AbsResourceInstance{Module: s.modules()}
	r.Resource = s.resource().Instance(s.key())
	if err := s.end(); err != nil {
		return AbsResourceInstance{}, err
	}
	return r, nil
}

// ParseAbsResourceStr is the inverse of [AbsResource.String]. An error is a [ParseError].
func ParseAbsResourceStr(text string) (AbsResource, error) {
	s := scan("the address of a resource", text)
	r := AbsResource{Module: s.modules(), Resource: s.resource()}
	if err := s.end(); err != nil {
		return AbsResource{}, err
	}
	return r, nil
}

// ParseConfigResourceStr is the inverse of [ConfigResource.String]. An error is a
// [ParseError].
func ParseConfigResourceStr(text string) (ConfigResource, error) {
	s := scan("the address of a resource without keys", text)
	module := s.staticModules()
	r := ConfigResource{Module: module, Resource: s.resource()}
	if err := s.end(); err != nil {
		return ConfigResource{}, err
	}
	return r, nil
}

// module parses the word "module" and the name of a module.
func (s *scanner) module() string {
	if s.err == nil && !s.takeWord("module") {
		s.fail(`"module." is expected`)
	}
	return s.name("a module")
}

// modules parses the modules before an address, with the dot after them.
func (s *scanner) modules() ModuleInstance {
	var m ModuleInstance
	for s.takeWord("module") {
		m = s.step(m)
		s.want('.', "after a module")
	}
	return m
}

// staticModules parses modules without keys.
func (s *scanner) staticModules() Module {
	var m Module
	for s.takeWord("module") {
		m = append(m, s.name("a module"))
		s.want('.', "after a module, which has no key here")
	}
	return m
}

func (s *scanner) step(m ModuleInstance) ModuleInstance {
	return append(m, ModuleInstanceStep{Name: s.name("a module"), InstanceKey: s.key()})
}

func (s *scanner) resource() Resource {
	r := Resource{Mode: ManagedResourceMode}
	switch {
	case s.takeWord("data"):
		r.Mode = DataResourceMode
	case s.takeWord("ephemeral"):
		r.Mode = EphemeralResourceMode
	}
	start := s.pos
	r.Type = s.name("a resource type")
	if r.Mode == ManagedResourceMode && (r.Type == "data" || r.Type == "ephemeral" || r.Type == "module") {
		s.pos = start
		s.fail("the type of a resource is expected, which cannot be " + quote(r.Type))
	}
	s.want('.', "between the type and the name of a resource")
	r.Name = s.name("a resource")
	return r
}

// ParseError is returned for text that is not an address of the expected kind.
type ParseError struct {
	// Kind is the expected kind with its article: "the address of a resource".
	Kind string
	Text string
	// Offset is the byte offset in Text at which Problem was found.
	Offset  int
	Problem string
}

// Error returns the problem and its place, counting characters from 1.
func (e *ParseError) Error() string {
	at := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	return fmt.Sprintf("%s is not %s: at character %d, %s", quote(e.Text), e.Kind, at, e.Problem)
}

// scanner scans an address from left to right. After the first problem, the remaining text
// is treated as empty.
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

// end returns the first error of the scan. It is an error if text remains.
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

// take skips c if it is next, and reports whether it was.
func (s *scanner) take(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// want skips c. It is an error if c is not next.
func (s *scanner) want(c byte, where string) {
	if !s.take(c) {
		s.fail(strconv.Quote(string(rune(c))) + " is expected " + where)
	}
}

// takeWord skips a word and the dot after it if both are next, and reports whether they
// were.
func (s *scanner) takeWord(word string) bool {
	rest, ok := strings.CutPrefix(s.rest(), word)
	if !ok || rest == "" || rest[0] != '.' {
		return false
	}
	s.pos += len(word) + 1
	return true
}

// name scans an identifier.
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

// key scans an instance key, or returns NoKey if none is next.
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

// quoted scans the rest of a string up to its closing quote. It is the inverse of
// quote; a template is an error.
func (s *scanner) quoted() string {
	// Most keys have no escapes.
	if i := strings.IndexAny(s.rest(), "\"\\$%\n\r"); i >= 0 && s.text[s.pos+i] == '"' {
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
		case size == 0 || r == '\n' || r == '\r':
			s.fail("the string has no closing quote")
		case r == utf8.RuneError && size == 1:
			s.fail("invalid UTF-8")
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

// introducer scans $ or %. Before a brace, a single sign would introduce a template and is
// an error; a doubled one is an escape.
func (s *scanner) introducer(out *strings.Builder, sign string) {
	switch rest := s.rest(); {
	case strings.HasPrefix(rest, sign+sign+"{"):
		s.pos += 3
		out.WriteString(sign + "{")
	case strings.HasPrefix(rest, sign+"{"):
		s.fail("a key cannot have a template, use " + sign + sign + "{ for the characters")
	default:
		s.pos++
		out.WriteString(sign)
	}
}

// escape scans the rest of an escape sequence after its backslash.
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
	s.fail(`after a backslash, one of n, r, t, ", \, uXXXX and UXXXXXXXX is expected`)
	return 0
}

// normalize returns text in the normalised form of HCL strings.
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

// quote returns s as an HCL string; template introducers are escaped.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteRune(r)
			b.WriteRune(r)
		case !unicode.IsPrint(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
