package block

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// Words of markers. A marker is a line of four or five words, separated by single spaces: the
// start of a comment, BEGIN or END, posix_file_block, the name of the block, and the end of the
// comment if there is one. It is recognised with any kind of comment.
const (
	begins = "BEGIN"
	ends   = "END"
	kind   = "posix_file_block"
)

// block is the content of a block with its name and style.
type block struct {
	name  string
	style style
	lines string // each line ends with a newline
}

// style is the start and the end of a comment.
type style struct{ start, end string }

// marker returns the marker that begins or ends the block, without a line ending.
func (b block) marker(which string) string {
	text := b.style.start + " " + which + " " + kind + " " + b.name
	if b.style.end != "" {
		text += " " + b.style.end
	}
	return text
}

// render returns the block with its markers and the line ending eol.
func (b block) render(eol string) []byte {
	text := b.marker(begins) + "\n" + b.lines + b.marker(ends) + "\n"
	return []byte(strings.ReplaceAll(text, "\n", eol))
}

// mark returns a text that every marker of the block has.
func (b block) mark() string { return kind + " " + b.name }

// atEnd returns the edit that inserts the block at the end of a file that has no block of this name.
func (b block) atEnd() host.Edit { return host.Edit{New: b.render("\n"), Mark: b.mark()} }

// foundBlock is a block in a text.
type foundBlock struct {
	block
	closing  style // style of the end marker
	from, to int   // offsets of the begin marker and of the line after the end marker
	eol      string
	final    bool // whether the end marker has a line ending
}

// line is a line of a text.
type line struct {
	number     int // from 1
	from, next int // offsets of this line and of the next one
	text       []byte
	eol        string // "\n", "\r\n", or empty at the end of the text
}

// bom is the byte order mark of UTF-8. It is not a part of any line.
const bom = "\xef\xbb\xbf"

// begin returns the offset of the first line.
func begin(text []byte) int {
	if bytes.HasPrefix(text, []byte(bom)) {
		return len(bom)
	}
	return 0
}

func lines(text []byte) iter.Seq[line] {
	return func(yield func(line) bool) {
		for l := (line{number: 1, from: begin(text)}); l.from < len(text); l = (line{number: l.number + 1, from: l.next}) {
			if i := bytes.IndexByte(text[l.from:], '\n'); i >= 0 {
				l.next, l.eol = l.from+i+1, "\n"
				if l.text = text[l.from : l.from+i]; bytes.HasSuffix(l.text, []byte("\r")) {
					l.text, l.eol = l.text[:i-1], "\r\n"
				}
			} else {
				l.next, l.text = len(text), text[l.from:]
			}
			if !yield(l) {
				return
			}
		}
	}
}

// marker returns the words of a marker; is reports whether the line is one.
func (l line) marker() (which, name string, s style, is bool) {
	text := l.text
	if l.eol == "" { // the text may end with an incomplete CRLF
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	words := strings.Split(string(text), " ")
	if len(words) != 4 && len(words) != 5 || words[2] != kind || words[1] != begins && words[1] != ends || !validName.MatchString(words[3]) {
		return "", "", style{}, false
	}
	s.start = words[0]
	if len(words) == 5 {
		s.end = words[4]
	}
	return words[1], words[3], s, s.start != "" && (len(words) == 4 || s.end != "")
}

// markerError is an error about unbalanced markers of a block.
type markerError struct {
	name, what string
}

func (d *markerError) Error() string {
	return fmt.Sprintf("the markers of the block %s are damaged: %s. Repair the file by hand: a block starts with a line that has %s %s %[1]s, and ends with a line that has %[5]s %[4]s %[1]s",
		d.name, d.what, begins, kind, ends)
}

// find returns the block with this name, or nil if there is none. Unbalanced markers of the
// block are a [*markerError].
func find(text []byte, name string) (*foundBlock, error) {
	damaged := func(format string, args ...any) error { return &markerError{name, fmt.Sprintf(format, args...)} }
	var is *foundBlock
	var first, body int // line number of the first marker, and offset of the line after it
	closed := false
	for l := range lines(text) {
		which, of, s, marks := l.marker()
		inside := is != nil && !closed
		switch {
		case !marks:
		case of != name && inside:
			return nil, damaged("the block starts at line %d, but line %d is a marker of the block %s", first, l.number, of)
		case of != name:
		case which == begins && is != nil:
			return nil, damaged("the block starts at line %d and again at line %d", first, l.number)
		case which == begins:
			first, body = l.number, l.next
			is = &foundBlock{block: block{name: name, style: s}, from: l.from, eol: l.eol}
		case !inside:
			return nil, damaged("line %d ends the block, but no line before it starts it", l.number)
		default:
			is.closing, is.to, is.final, closed = s, l.next, l.eol != "", true
			is.lines = decode(text[body:l.from], is.eol)
		}
	}
	if is != nil && !closed {
		return nil, damaged("line %d starts the block, but no line after it ends it", first)
	}
	return is, nil
}

// decode returns the text between the markers with newlines as line endings. A text that
// cannot be configured is shown so that it differs from every configurable one: with
// carriage returns if line endings are mixed, and quoted if Terraform would change it.
func decode(body []byte, eol string) string {
	text := strings.ReplaceAll(string(body), eol, "\n")
	if strings.ReplaceAll(text, "\n", eol) != string(body) {
		text = string(body) // mixed line endings
	}
	if !address.IsText(text) {
		return strconv.QuoteToASCII(text) + "\r\n"
	}
	return text
}

// as reports whether the block equals b, including the style of both markers.
func (f *foundBlock) as(b block) bool { return f.block == b && f.closing == b.style }

// place is a position for a new block; the zero value is the end.
type place struct {
	start         bool
	after, before *regexp.Regexp // at most one is set
}

var (
	errNoMatch = errors.New("no line outside of other blocks matches the regular expression of position: change the expression, or add a matching line to the file")
	errUTF16   = errors.New("the file is UTF-16 text, which is not supported")
)

// offset returns the offset at which a block is inserted: of a line, or of the end of
// the text. It is never inside another block. The error is errNoMatch if no line matches.
func (p place) offset(text []byte) (int, error) {
	switch {
	case p.start:
		return begin(text), nil
	case p.after == nil && p.before == nil:
		return len(text), nil
	}
	at := -1
	for l := range free(text) {
		switch {
		case p.after != nil && p.after.Match(l.text):
			at = l.next // the last match counts
		case p.before != nil && p.before.Match(l.text):
			return l.from, nil
		}
	}
	if at < 0 {
		return 0, errNoMatch
	}
	return at, nil
}

// free returns the lines outside of blocks. A begin marker without a later end marker of the
// same block starts no block.
func free(text []byte) iter.Seq[line] {
	closing := map[string]int{} // offset of the last end marker of each block
	for l := range lines(text) {
		if which, name, _, is := l.marker(); is && which == ends {
			closing[name] = l.from
		}
	}
	return func(yield func(line) bool) {
		inside := ""
		for l := range lines(text) {
			which, name, _, is := l.marker()
			switch {
			case is && inside == "" && which == begins && closing[name] > l.from:
				inside = name
			case is && inside == name && which == ends:
				inside = ""
			case inside == "" && !yield(l):
				return
			}
		}
	}
}

// insert returns the text with a new block, with the line ending of the first line. If a
// text that has lines does not end with a newline, neither does the result: a newline that is
// inserted before the block is removed with it. The error is errNoMatch or errUTF16.
func insert(text []byte, at place, b block) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	offset, err := at.offset(text)
	if err != nil {
		return nil, err
	}
	eol := lineEnding(text)
	rendered := b.render(eol)
	if offset > begin(text) && text[offset-1] != '\n' {
		rendered = append([]byte(eol), rendered[:len(rendered)-len(eol)]...)
	}
	return bytes.Join([][]byte{text[:offset], rendered, text[offset:]}, nil), nil
}

// lineEnding returns the line ending of the first line, or a newline if the text has none. A
// single line with a trailing carriage return counts as CRLF, so that the newline after it does
// not change its line ending.
func lineEnding(text []byte) string {
	for l := range lines(text) {
		switch {
		case l.eol != "":
			return l.eol
		case bytes.HasSuffix(l.text, []byte("\r")):
			return "\r\n"
		}
		break
	}
	return "\n"
}

// replace returns the text with b in place of this block.
func (f *foundBlock) replace(text []byte, b block) []byte {
	rendered := b.render(f.eol)
	if !f.final {
		rendered = rendered[:len(rendered)-len(f.eol)]
	}
	return bytes.Join([][]byte{text[:f.from], rendered, text[f.to:]}, nil)
}

// remove returns the text without the block.
func (f *foundBlock) remove(text []byte) []byte {
	before := text[:f.from]
	if !f.final && f.from > begin(text) {
		if cut, has := bytes.CutSuffix(before, []byte(f.eol)); has {
			before = cut
		} else {
			before = bytes.TrimSuffix(before, []byte("\n"))
		}
	}
	return bytes.Join([][]byte{before, text[f.to:]}, nil)
}
