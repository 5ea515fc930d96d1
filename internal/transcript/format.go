package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/host"
)

// script is a parsed transcript.
type script struct {
	head  []string // comments
	first []entry  // the files before the first call
	calls []call
}

// call is a command with its output and its changes to files.
type call struct {
	readOnly bool
	plain    bool // not run by package remotecmd
	args     []string
	dir      string
	stdin    string

	stdout, stderr string
	result         host.Result
	after          []entry
}

// entry is the file at a path.
type entry struct {
	path    string
	kind    host.FileType // zero: no file
	mode    host.Mode
	content string // or the target of a link
}

// key returns a text that is the same for calls with equal arguments, directory and standard input.
func (c call) key() string {
	var b strings.Builder
	c.printCall(&b, "")
	return b.String()
}

func (c call) printCall(b *strings.Builder, sign string) {
	if c.plain {
		sign += sign
	}
	b.WriteString(sign)
	for _, arg := range c.args {
		b.WriteString(" " + strconv.Quote(arg))
	}
	b.WriteByte('\n')
	if c.dir != "" {
		fmt.Fprintf(b, "in %q\n", c.dir)
	}
	printText(b, '<', c.stdin)
}

// String returns the text of the transcript.
func (s script) String() string {
	var b strings.Builder
	for _, line := range s.head {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	for _, e := range s.first {
		e.print(&b)
	}
	for _, c := range s.calls {
		b.WriteByte('\n')
		sign := "$"
		if c.readOnly {
			sign = "?"
		}
		c.printCall(&b, sign)
		printText(&b, '>', c.stdout)
		printText(&b, '!', c.stderr)
		if c.result != (host.Result{}) {
			b.WriteString(strings.TrimRight(fmt.Sprintf("= %d %s", c.result.ExitCode, c.result.Signal), " ") + "\n")
		}
		for _, e := range c.after {
			e.print(&b)
		}
	}
	return b.String()
}

func (e entry) print(b *strings.Builder) {
	switch e.kind {
	case host.TypeRegular:
		fmt.Fprintf(b, "file %q %s\n", e.path, e.mode)
		printText(b, ':', e.content)
	case host.TypeDirectory:
		fmt.Fprintf(b, "dir %q %s\n", e.path, e.mode)
	case host.TypeSymlink:
		fmt.Fprintf(b, "link %q %q\n", e.path, e.content)
	default:
		fmt.Fprintf(b, "gone %q\n", e.path)
	}
}

func printText(b *strings.Builder, sign byte, text string) {
	for line := range strings.Lines(text) {
		bare, whole := strings.CutSuffix(line, "\n")
		b.WriteByte(sign)
		switch {
		case !whole || !showable(bare):
			b.WriteString(strconv.Quote(line))
		case bare != "":
			b.WriteString(" " + bare)
		}
		b.WriteByte('\n')
	}
}

// showable reports whether a line can be written without quotes.
func showable(line string) bool {
	return utf8.ValidString(line) && strings.TrimRight(line, " \t\r") == line &&
		!strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) })
}

// parse parses a transcript. Its errors have the number of the line.
func parse(text string) (script, error) {
	var s script
	p := parser{script: &s}
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(line); err != nil {
			return s, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return s, nil
}

// parser holds the current call and the current file.
type parser struct {
	script *script
	call   *call  // nil before the first
	entry  *entry // the file whose text may follow
}

var errLine = errors.New("invalid line in a transcript")

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "":
		return nil
	case line[0] == '#':
		if p.call == nil && len(p.script.first) == 0 {
			p.script.head = append(p.script.head, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
		}
		return nil
	case word == "file" || word == "dir" || word == "link" || word == "gone":
		return p.object(word, rest)
	case word == "$" || word == "?" || word == "$$" || word == "??":
		return p.begin(word, rest)
	case line[0] == ':' && p.entry != nil:
		return addText(&p.entry.content, line)
	case p.call == nil:
		return errLine
	}
	c := p.call
	switch {
	case word == "in":
		words, err := unquote(rest)
		if err != nil || len(words) != 1 {
			return errLine
		}
		c.dir = words[0]
		return nil
	case word == "=":
		code, signal, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(code)
		c.result = host.Result{ExitCode: n, Signal: signal}
		return err
	case line[0] == '<':
		return addText(&c.stdin, line)
	case line[0] == '>':
		return addText(&c.stdout, line)
	case line[0] == '!':
		return addText(&c.stderr, line)
	}
	return errLine
}

func (p *parser) begin(sign, rest string) error {
	args, err := unquote(rest)
	if err != nil || len(args) == 0 {
		return errLine
	}
	p.script.calls = append(p.script.calls, call{readOnly: sign[0] == '?', plain: len(sign) == 2, args: args})
	p.call, p.entry = &p.script.calls[len(p.script.calls)-1], nil
	return nil
}

func (p *parser) object(word, rest string) error {
	path, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return errLine
	}
	value := strings.TrimPrefix(rest[len(path):], " ")
	e := entry{kind: map[string]host.FileType{"file": host.TypeRegular, "dir": host.TypeDirectory, "link": host.TypeSymlink}[word]}
	if e.path, err = strconv.Unquote(path); err != nil {
		return err
	}
	switch word {
	case "link":
		e.content, err = strconv.Unquote(value)
	case "file", "dir":
		err = e.mode.UnmarshalText([]byte(value))
	}
	if err != nil {
		return err
	}
	list := &p.script.first
	if p.call != nil {
		list = &p.call.after
	}
	*list = append(*list, e)
	p.entry = nil
	if word == "file" {
		p.entry = &(*list)[len(*list)-1]
	}
	return nil
}

// addText adds the text of a line; its first byte is the prefix.
func addText(to *string, line string) error {
	switch rest := line[1:]; {
	case rest == "":
		*to += "\n"
	case rest[0] == ' ':
		*to += rest[1:] + "\n"
	default:
		exact, err := strconv.Unquote(rest)
		if err != nil {
			return errLine
		}
		*to += exact
	}
	return nil
}

func unquote(text string) ([]string, error) {
	var words []string
	for text != "" {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		text = strings.TrimPrefix(text[len(quoted):], " ")
	}
	return words, nil
}
