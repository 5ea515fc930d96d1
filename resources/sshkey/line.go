package sshkey

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// key is a public key.
type key struct{ kind, blob string } // blob is in base64

var (
	keyKind = regexp.MustCompile(`^[a-z0-9][a-z0-9@.-]*$`)

	errPrivate      = errors.New("this is a private key: use the public key, from the file that ends with .pub")
	errNoKey        = errors.New("a public key must have a type and base64, such as \"ssh-ed25519 AAAA… comment\", as in a file that ends with .pub")
	errKindMismatch = errors.New("the type does not match the base64: the key is incomplete or mixed with another key")
)

// parseKey parses the type and the base64 of a public key.
func parseKey(kind, blob string) (key, error) {
	raw, err := base64.StdEncoding.DecodeString(blob)
	if err != nil || len(raw) == 0 || !keyKind.MatchString(kind) {
		return key{}, errNoKey
	}
	parts, whole := split(raw)
	switch {
	case !whole || len(parts) < 2 || string(parts[0]) != kind:
		return key{}, errKindMismatch
	case strings.Contains(kind, "-cert-"):
		return key{}, errors.New("this is a certificate. Use the key of the certificate authority, with the option cert-authority")
	}
	return key{kind, blob}, nil
}

// split returns the fields of a key, each of which follows its length in raw, and reports whether raw
// consists only of these fields.
func split(raw []byte) (parts [][]byte, whole bool) {
	for len(raw) >= 4 {
		n := uint64(binary.BigEndian.Uint32(raw))
		if raw = raw[4:]; n > uint64(len(raw)) {
			return nil, false
		}
		parts, raw = append(parts, raw[:n]), raw[n:]
	}
	return parts, len(raw) == 0
}

// fingerprint returns the fingerprint as shown by ssh-keygen -l.
func (k key) fingerprint() string {
	raw, err := base64.StdEncoding.DecodeString(k.blob)
	if err != nil {
		return "" // impossible: the key was parsed before
	}
	sum := sha256.Sum256(raw)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// line is a key in a file, with its options and comment.
type line struct {
	key
	options []option
	comment string
}

// String returns the text of the line, without a newline.
func (l line) String() string {
	text := l.text()
	if len(l.options) > 0 {
		text = joinOptions(l.options) + " " + text
	}
	return text
}

// text returns the key with its comment, as in a file that ends with .pub.
func (l line) text() string { return strings.TrimRight(l.kind+" "+l.blob+" "+l.comment, " ") }

const blanks = " \t"

// parseLine parses a line as sshd does: options come before the key.
func parseLine(text string) (l line, ok bool) {
	text = strings.TrimLeft(text, blanks)
	if text == "" || text[0] == '#' {
		return l, false
	}
	if l.key, l.comment, ok = cutKey(text); ok {
		return l, true
	}
	end := optionsEnd(text)
	if l.options, ok = splitOptions(text[:end]); !ok {
		return l, false
	}
	l.key, l.comment, ok = cutKey(strings.TrimLeft(text[end:], blanks))
	return l, ok
}

// cutKey parses a key and its comment.
func cutKey(text string) (k key, comment string, ok bool) {
	kind, rest := cutWord(text)
	blob, comment := cutWord(rest)
	k, err := parseKey(kind, blob)
	return k, strings.TrimRight(comment, blanks+"\r"), err == nil
}

// cutWord splits text at the first blanks.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, blanks)
	if i < 0 {
		return strings.TrimRight(text, "\r"), ""
	}
	return text[:i], strings.TrimLeft(text[i:], blanks)
}

// parsePublic parses a configured key: one line with a key and an optional comment.
func parsePublic(text string) (line, error) {
	text = strings.Trim(text, " \t\r\n")
	switch {
	case strings.Contains(text, "PRIVATE KEY"):
		return line{}, errPrivate
	case strings.ContainsAny(text, "\r\n\x00"):
		return line{}, errors.New("a public key must be a single line; use one resource for each key")
	}
	kind, rest := cutWord(text)
	blob, comment := cutWord(rest)
	k, err := parseKey(kind, blob)
	return line{key: k, comment: comment}, err
}

// match is a line of a key, and its range in a file.
type match struct {
	from, next int
	line
	is string // the text in the file, without the newline
}

// findLines returns the lines of the key with this fingerprint.
func findLines(text []byte, fingerprint string) (matches []match) {
	for from := 0; from < len(text); {
		next := len(text)
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			next = from + i + 1
		}
		is := strings.TrimSuffix(string(text[from:next]), "\n")
		if l, ok := parseLine(is); ok && l.fingerprint() == fingerprint {
			matches = append(matches, match{from, next, l, is})
		}
		from = next
	}
	return matches
}

// setLine returns text with l as the only line of its key: l replaces the first line of
// the key, or is added at the end. If text is not empty and does not end with a newline, neither does
// the result.
func setLine(text []byte, l line) []byte {
	matches := findLines(text, l.fingerprint())
	if len(matches) == 0 {
		if len(text) > 0 && text[len(text)-1] != '\n' {
			return append(append(bytes.Clone(text), '\n'), l.String()...)
		}
		return append(append(bytes.Clone(text), l.String()...), '\n')
	}
	for _, s := range slices.Backward(matches[1:]) {
		text = cutLine(text, s)
	}
	first := matches[0]
	return bytes.Join([][]byte{text[:first.from], []byte(l.String()), text[first.from+len(first.is):]}, nil)
}

// removeLines returns text without the lines of the key with this fingerprint.
func removeLines(text []byte, fingerprint string) []byte {
	for _, s := range slices.Backward(findLines(text, fingerprint)) {
		text = cutLine(text, s)
	}
	return text
}

// cutLine returns text without the line s, and without the newline before s if s has none. Later
// lines, and with them the newline of s, may have been cut since s was found.
func cutLine(text []byte, s match) []byte {
	before, next := text[:s.from], min(s.next, len(text))
	if next == len(text) && text[next-1] != '\n' {
		before = bytes.TrimSuffix(before, []byte("\n"))
	}
	return append(bytes.Clone(before), text[next:]...)
}
