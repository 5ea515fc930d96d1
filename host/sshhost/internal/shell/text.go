package shell

import (
	"errors"
	"strings"
)

// Text is a script for a POSIX shell: complete commands, each with its newline. Its zero
// value has no command.
//
// A Text consists of constants and quoted values only. If a value is not valid in a shell, the
// error is kept until the text is used.
type Text struct {
	text string
	err  error
}

// constant is a type to which other packages can convert only constants.
type constant string

// errNUL means that a value has a NUL byte, which arguments, variables and paths cannot
// have.
var errNUL = errors.New("a value for the host's shell contains a NUL byte")

// Fixed returns a constant script. Values reach it as variables, positional parameters, or
// input.
func Fixed(text constant) Text { return Text{text: string(text) + "\n"} }

// Call returns one command with arguments, which are quoted. The command consists of words
// that need no quoting, such as "export" or "exec sudo -n".
func Call(command constant, args ...string) Text {
	size := len(command) + 1
	for _, arg := range args {
		size += len(arg) + 3
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(string(command))
	for _, arg := range args {
		if strings.IndexByte(arg, 0) >= 0 {
			return Text{err: errNUL}
		}
		b.WriteByte(' ')
		quote(&b, arg)
	}
	b.WriteByte('\n')
	return Text{text: b.String()}
}

// Join returns the concatenation of texts. If a text has an error, so has the result.
func Join(texts ...Text) Text {
	var b strings.Builder
	for _, t := range texts {
		if t.err != nil {
			return t
		}
		b.WriteString(t.text)
	}
	return Text{text: b.String()}
}

// Line returns the text as a command line, for [remote.Starter] and for "sh -c", or the error of an
// invalid value.
func (t Text) Line() (string, error) { return t.text, t.err }

// quote writes a value as one word. Inside single quotes all bytes except a single quote
// are literal, including newlines.
func quote(b *strings.Builder, value string) {
	b.WriteByte('\'')
	for {
		before, after, found := strings.Cut(value, "'")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteString(`'\''`)
		value = after
	}
	b.WriteByte('\'')
}
