package mount

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/mounttable"
)

// entry is a line of fstab.
type entry struct {
	source, path, fsType string
	options              []string
	dump, pass           int64 // -1 if not a 32-bit integer
}

const fieldCount = 6

// findEntry returns the first line of a path, and the number of lines of the path.
func findEntry(text []byte, at string) (e entry, count int) {
	for line := range bytes.Lines(text) {
		if it, ok := parseLine(string(line)); ok && it.path == at {
			if count++; count == 1 {
				e = it
			}
		}
	}
	return e, count
}

// parseLine parses a line. It returns false for a comment, or a line with fewer than three fields.
func parseLine(line string) (entry, bool) {
	spans := fieldSpans(line)
	if len(spans) < 3 || line[spans[0][0]] == '#' {
		return entry{}, false
	}
	at := func(i int, standard string) string {
		if i >= len(spans) {
			return standard
		}
		return mounttable.Unescape(line[spans[i][0]:spans[i][1]])
	}
	number := func(i int) int64 {
		n, err := strconv.ParseInt(at(i, "0"), 10, 32)
		if err != nil {
			return -1
		}
		return n
	}
	e := entry{source: at(0, ""), path: at(1, ""), fsType: at(2, ""), options: splitOptions(at(3, "defaults")), dump: number(4), pass: number(5)}
	if strings.HasPrefix(e.path, "/") {
		e.path = path.Clean(e.path)
	}
	return e, true
}

// fieldSpans returns the ranges of the fields of a line.
func fieldSpans(line string) (spans [][2]int) {
	for i := 0; i < len(line); {
		if blank(line[i]) {
			i++
			continue
		}
		begin := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		spans = append(spans, [2]int{begin, i})
	}
	return spans
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// setEntry returns the text with this entry, in the line of its path or in a new line.
func setEntry(text []byte, e entry) []byte {
	var is bytes.Buffer
	done := false
	for line := range bytes.Lines(text) {
		if it, ok := parseLine(string(line)); ok && it.path == e.path && !done {
			done = true
			is.WriteString(e.replaceFields(string(line), it))
			continue
		}
		is.Write(line)
	}
	if !done {
		if len(text) > 0 && text[len(text)-1] != '\n' {
			is.WriteByte('\n')
		}
		is.WriteString(strings.Join(e.fields(), " ") + "\n")
	}
	return is.Bytes()
}

// replaceFields replaces the fields of the line that differ from the entry, and returns the line.
func (e entry) replaceFields(line string, was entry) string {
	same := [fieldCount]bool{
		e.source == was.source, true, e.fsType == was.fsType, slices.Equal(e.options, was.options), e.dump == was.dump, e.pass == was.pass,
	}
	spans, fields := fieldSpans(line), e.fields()
	needed := len(spans)
	for i, is := range same {
		if !is {
			needed = max(needed, i+1)
		}
	}
	var b strings.Builder
	end := 0
	for i := range needed {
		switch {
		case i >= len(spans):
			b.WriteString(" " + fields[i])
			continue
		case i < fieldCount && !same[i]:
			b.WriteString(line[end:spans[i][0]] + fields[i])
		default:
			b.WriteString(line[end:spans[i][1]])
		}
		end = spans[i][1]
	}
	return b.String() + line[end:]
}

// fields returns the escaped fields of the entry.
func (e entry) fields() []string {
	return []string{
		escape(e.source), escape(e.path), escape(e.fsType), escape(strings.Join(e.options, ",")), strconv.FormatInt(e.dump, 10), strconv.FormatInt(e.pass, 10),
	}
}

// removeEntry returns the text without the lines of a path.
func removeEntry(text []byte, at string) []byte {
	is := []byte{}
	for line := range bytes.Lines(text) {
		if it, ok := parseLine(string(line)); !ok || it.path != at {
			is = append(is, line...)
		}
	}
	return is
}

// escape returns the text with octal escapes for spaces, tabs, line ends, backslashes and #,
// the reverse of [mounttable.Unescape].
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if blank(c) || c == '\\' || c == '#' || c == '\r' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// splitOptions returns the options of a comma-separated list. Commas in quotes, as in SELinux
// contexts, do not separate options.
func splitOptions(text string) []string {
	var all []string
	begin, quoted := 0, false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			all = append(all, text[begin:i])
			begin = i + 1
		}
	}
	return append(all, text[begin:])
}
