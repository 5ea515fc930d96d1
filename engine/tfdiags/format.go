package tfdiags

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/diag"
)

// lineWidth is what the command line wraps at where it has no terminal, the last
// column left free.
const lineWidth = 77

// Sources gives the content of a file of configuration by its name as ranges have
// it, nil where there is none. A nil Sources knows no file.
type Sources func(name string) []byte

// Format is the text of all messages of the severity as the command line prints
// it without a terminal, in the order in which it prints them.
func (d Diagnostics) Format(severity diag.Severity, sources Sources) string {
	var b strings.Builder
	for _, m := range d.sorted() {
		if m.Severity == severity {
			m.format(&b, sources)
		}
	}
	return b.String()
}

// Error is the text of all errors without lines of configuration: who has the
// files calls Format.
func (d Diagnostics) Error() string { return d.Format(diag.Error, nil) }

// Warnings is the text of all warnings, as Error is that of errors.
func (d Diagnostics) Warnings() string { return d.Format(diag.Warning, nil) }

// Format is one message as the command line prints it without a terminal.
func (m Diagnostic) Format(sources Sources) string {
	var b strings.Builder
	m.format(&b, sources)
	return b.String()
}

// sorted is d in the order of the command line: what has no place in configuration
// first, then by place. Messages of one place keep their order.
func (d Diagnostics) sorted() Diagnostics {
	out := slices.Clone(d)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		switch {
		case a.Subject == nil && b.Subject == nil:
			return 0
		case a.Subject == nil:
			return -1
		case b.Subject == nil:
			return 1
		}
		return cmp.Or(
			cmp.Compare(a.Subject.Filename, b.Subject.Filename),
			cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte),
			cmp.Compare(a.Subject.End.Byte, b.Subject.End.Byte),
		)
	})
	return out
}

func (m Diagnostic) format(b *strings.Builder, sources Sources) {
	title := "Error"
	if m.Severity == diag.Warning {
		title = "Warning"
	}
	b.WriteString("\n" + title + ": " + m.Summary + "\n\n")
	if m.Address != "" {
		b.WriteString("  with " + m.Address + ",\n")
	}
	m.snippet(b, sources)
	if m.Address != "" || m.Subject != nil {
		b.WriteByte('\n')
	}
	if m.Detail == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(m.Detail, "\n"), "\n") {
		// What is indented was laid out by whoever wrote it.
		if !strings.HasPrefix(line, " ") {
			line = wrap(line, lineWidth)
		}
		b.WriteString(line + "\n")
	}
}

// wrap breaks a line at white space so that no part is longer than width, but for
// a word that is as long by itself: that stays where it is.
func wrap(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	var b strings.Builder
	column := 0
	for line != "" {
		word := strings.TrimLeftFunc(line, breakable)
		space := line[:len(line)-len(word)]
		if end := strings.IndexFunc(word, breakable); end >= 0 {
			word = word[:end]
		}
		line = line[len(space)+len(word):]
		spaces, letters := utf8.RuneCountInString(space), utf8.RuneCountInString(word)
		if column+spaces+letters > width && letters < width {
			b.WriteByte('\n')
			column, space, spaces = 0, "", 0
		}
		b.WriteString(space + word)
		column += spaces + letters
	}
	return b.String()
}

// breakable reports white space at which a line may end.
func breakable(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }
