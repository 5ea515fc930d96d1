package shell

import (
	"errors"
	"strings"
)

// Text is text for a POSIX shell: whole commands, each with the newline that ends it.
// Its zero value is no command.
//
// It is made of constants and of quoted values only. An error, of a value that no shell
// can hold, is kept until the text is used.
type Text struct {
	text string
	err  error
}

// constant is a type that constants of the source convert to, and nothing else outside
// of this package does.
type constant string

// errNUL reports that a value can be in no argument, variable or path of a host.
var errNUL = errors.New("a value for the host's shell contains a NUL byte")

// Fixed returns shell text that is known when the program is built. Values come into it
// as variables, functions' arguments or input.
func Fixed(text constant) Text { return Text{text: string(text) + "\n"} }

// Call returns one command with arguments, which the shell takes as they are. The
// command is words that need no quoting, as in "export" or "exec sudo -n".
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

// Join returns texts one after another.
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

// Line returns the text as a command line, for [remote.Starter] and for "sh -c".
func (t Text) Line() (string, error) { return t.text, t.err }

// quote writes a value as one word. Within single quotes a shell looks only for their
// end; all other bytes, also newlines, stand for themselves.
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
