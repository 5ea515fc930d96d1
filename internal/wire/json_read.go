package wire

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads JSON as encoding/json does. It works on a string, so that most
// strings in the result are substrings and not copies.
type jsonReader struct {
	s     string
	pos   int
	depth int
}

// maxJSONDepth limits the depth of values that are skipped; the depth of decoded
// values is limited by their type.
const maxJSONDepth = 1000

func failJSON() error { return failf("the value is not valid JSON") }

func (r *jsonReader) space() {
	for r.pos < len(r.s) {
		switch r.s[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// next returns the first byte of the next token, or 0 at the end.
func (r *jsonReader) next() byte {
	r.space()
	if r.pos >= len(r.s) {
		return 0
	}
	return r.s[r.pos]
}

// accept reads the next token if it is b, and reports whether it did.
func (r *jsonReader) accept(b byte) bool {
	if r.next() != b {
		return false
	}
	r.pos++
	return true
}

// literal reads word, which is true, false or null.
func (r *jsonReader) literal(word string) error {
	if !strings.HasPrefix(r.s[r.pos:], word) {
		return failJSON()
	}
	r.pos += len(word)
	return nil
}

// array reads an array; elem is called for each element and must read it.
func (r *jsonReader) array(elem func(i int) error) error {
	if !r.accept('[') {
		return failf("a JSON array is required")
	}
	if r.accept(']') {
		return nil
	}
	for i := 0; ; i++ {
		if err := elem(i); err != nil {
			return err
		}
		if r.accept(']') {
			return nil
		}
		if !r.accept(',') {
			return failJSON()
		}
	}
}

// object reads an object; member is called for each value and must read it.
func (r *jsonReader) object(member func(name string) error) error {
	if !r.accept('{') {
		return failf("a JSON object is required")
	}
	if r.accept('}') {
		return nil
	}
	for {
		if r.next() != '"' {
			return failJSON()
		}
		name, err := r.str()
		if err != nil {
			return err
		}
		if !r.accept(':') {
			return failJSON()
		}
		if err := member(name); err != nil {
			return err
		}
		if r.accept('}') {
			return nil
		}
		if !r.accept(',') {
			return failJSON()
		}
	}
}

// skip reads and ignores any value.
func (r *jsonReader) skip() error {
	if r.depth++; r.depth > maxJSONDepth {
		return &failure{err: errTooDeep}
	}
	defer func() { r.depth-- }()
	switch r.next() {
	case '{':
		return r.object(func(string) error { return r.skip() })
	case '[':
		return r.array(func(int) error { return r.skip() })
	case '"':
		_, err := r.str()
		return err
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		_, err := r.number()
		return err
	}
}

// number reads a number and returns its text.
func (r *jsonReader) number() (string, error) {
	s, i := r.s[r.pos:], 0
	digits := func() bool {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return "", failJSON()
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return "", failJSON()
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return "", failJSON()
		}
	}
	r.pos += i
	return s[:i], nil
}

// str reads the next string. Like encoding/json, it replaces invalid UTF-8 and escapes
// of unpaired surrogates with U+FFFD.
func (r *jsonReader) str() (string, error) {
	start := r.pos + 1
	plain := true
	for i := start; i < len(r.s); i++ {
		switch b := r.s[i]; {
		case b > '\\' && b < utf8.RuneSelf:
		case b == '"':
			text := r.s[start:i]
			r.pos = i + 1
			if plain {
				return text, nil
			}
			return unescape(text)
		case b == '\\':
			plain = false
			i++
		case b < ' ':
			return "", failJSON()
		case b >= utf8.RuneSelf && plain:
			_, size := utf8.DecodeRuneInString(r.s[i:])
			plain = size > 1
			i += size - 1
		}
	}
	return "", failJSON()
}

func unescape(s string) (string, error) {
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		i := 0
		for i < len(s) && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		out.WriteString(s[:i])
		if s = s[i:]; len(s) == 0 {
			break
		}
		if s[0] != '\\' {
			// Invalid UTF-8 becomes U+FFFD.
			c, size := utf8.DecodeRuneInString(s)
			out.WriteRune(c)
			s = s[size:]
			continue
		}
		if len(s) < 2 {
			return "", failJSON()
		}
		escape := s[1]
		s = s[2:]
		switch escape {
		case '"', '\\', '/':
			out.WriteByte(escape)
		case 'b':
			out.WriteByte('\b')
		case 'f':
			out.WriteByte('\f')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case 'u':
			c, ok := hex4(s)
			if !ok {
				return "", failJSON()
			}
			s = s[4:]
			if utf16.IsSurrogate(c) {
				pair := rune(utf8.RuneError)
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					if low, ok := hex4(s[2:]); ok {
						pair = utf16.DecodeRune(c, low)
					}
				}
				if pair != utf8.RuneError {
					s = s[6:]
				}
				c = pair
			}
			out.WriteRune(c)
		default:
			return "", failJSON()
		}
	}
	return out.String(), nil
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	u, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(u), err == nil
}
