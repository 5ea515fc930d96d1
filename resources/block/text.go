package block

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

// A marker is a line of four or five words with one space between: a comment's
// beginning, begins or ends, kind, the name, and a comment's end where it needs one. It
// is told by its form alone, so that a block is found whatever comments it has.
const (
	begins = "BEGIN"
	ends   = "END"
	kind   = "posix_file_block"
)

// block is what is put into a text.
type block struct {
	name  string
	style style
	lines string // each with a newline at its end
}

// style is how comments are written.
type style struct{ start, end string }

// marker is the line that begins or ends a block, without the line's end.
func (b block) marker(which string) string {
	words := b.style.start + " " + which + " " + kind + " " + b.name
	if b.style.end != "" {
		words += " " + b.style.end
	}
	return words
}

// render is the block with its markers; each line ends with eol.
func (b block) render(eol string) []byte {
	text := b.marker(begins) + "\n" + b.lines + b.marker(ends) + "\n"
	return []byte(strings.ReplaceAll(text, "\n", eol))
}

// found is a block in a text.
type found struct {
	block
	closing  style // of the marker at the end
	from, to int   // from the begin of the first marker to that of the line after the last
	eol      string
	final    bool // the last marker has a line end
}

// line is a line of a text.
type line struct {
	number     int // from 1
	from, next int // offsets of its begin and of the next one's
	text       []byte
	eol        string // "\n", "\r\n", or nothing at the end of the text
}

// bom is how UTF-8 texts may begin. It belongs to no line.
const bom = "\xef\xbb\xbf"

// begin is where the first line begins.
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

// marker reads a line, if it is one.
func (l line) marker() (which, name string, s style, is bool) {
	text := l.text
	if l.eol == "" { // the end of a text may lack half of its line end
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

// damage says that the markers of a block do not fit together.
type damage struct {
	name, what string
}

func (d *damage) Error() string {
	return fmt.Sprintf("the markers of the block %s are damaged: %s. Repair the file by hand: a block starts with a line that has %s %s %[1]s, and ends with a line that has %[5]s %[4]s %[1]s",
		d.name, d.what, begins, kind, ends)
}

// find looks for a block; it is nil where there is none.
func find(text []byte, name string) (*found, error) {
	damaged := func(format string, args ...any) error { return &damage{name, fmt.Sprintf(format, args...)} }
	var is *found
	var first, body int // the number of the first marker's line, and the offset of the line after it
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
			is = &found{block: block{name: name, style: s}, from: l.from, eol: l.eol}
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

// decode is what is between the markers as state can keep it, with line ends of the
// one kind. What was never configured is shown so that it differs from all that can
// be: with a carriage return, and quoted where it is not the text that Terraform
// keeps.
func decode(body []byte, eol string) string {
	text := strings.ReplaceAll(string(body), eol, "\n")
	if strings.ReplaceAll(text, "\n", eol) != string(body) {
		text = string(body) // line ends of two kinds
	}
	if !address.IsText(text) {
		return strconv.QuoteToASCII(text) + "\r\n"
	}
	return text
}

// as reports whether this is the block b with both its markers.
func (f *found) as(b block) bool { return f.block == b && f.closing == b.style }

// place is where a new block is put.
type place struct {
	start         bool
	after, before *regexp.Regexp // at most one of them
}

var (
	errNoMatch = errors.New("no line outside of other blocks matches the regular expression")
	errUTF16   = errors.New("the file is UTF-16 text, which is not supported")
)

// offset is where the line begins before which the block is put, or the end of the
// text. It is never inside of another block.
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
			at = l.next // the last one counts
		case p.before != nil && p.before.Match(l.text):
			return l.from, nil
		}
	}
	if at < 0 {
		return 0, errNoMatch
	}
	return at, nil
}

// free are the lines that are in no block. What a marker begins that no other ends
// is none.
func free(text []byte) iter.Seq[line] {
	closing := map[string]int{} // where the last marker is that ends a block
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

// insert puts a block in that is not there. Its line ends are those of the first
// line. A text without a newline at its end has none at its end then, either: the
// one between is the block's, and goes with it.
func insert(text []byte, at place, b block) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	offset, err := at.offset(text)
	if err != nil {
		return nil, err
	}
	eol := lineEnd(text)
	is := b.render(eol)
	if offset > begin(text) && text[offset-1] != '\n' {
		is = append([]byte(eol), is[:len(is)-len(eol)]...)
	}
	return bytes.Join([][]byte{text[:offset], is, text[offset:]}, nil), nil
}

// lineEnd is how the first line ends. One that only has the half of a line end gets
// the other, too, so that a newline after it makes no other line end of it.
func lineEnd(text []byte) string {
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

// replace puts another block of the same name in the place of one.
func (f *found) replace(text []byte, b block) []byte {
	is := b.render(f.eol)
	if !f.final {
		is = is[:len(is)-len(f.eol)]
	}
	return bytes.Join([][]byte{text[:f.from], is, text[f.to:]}, nil)
}

// remove takes a block out.
func (f *found) remove(text []byte) []byte {
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
