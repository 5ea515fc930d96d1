package functions

import (
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// ShellQuote quotes its arguments for a POSIX shell, so that each is one word of a
// command line, and joins them with spaces.
//
// Use `...` for a list of words: `shell_quote(var.words...)`. A word of only ASCII letters,
// digits and `_@%+:,./-` is not quoted, unless it is a reserved word of a shell, such as
// `if`, or a number. Other words are enclosed in single quotes. Line breaks are
// preserved.
//
// Use the result in a script, or in a command that a shell reads. Do not quote it again.
// It is not suitable for csh or fish.
//
//   - words: Words to quote. Without words, the result is an empty string; an empty
//     word becomes two quotes.
func ShellQuote(words ...string) (string, error) {
	var b strings.Builder
	for i, word := range words {
		if strings.IndexByte(word, 0) >= 0 {
			return "", runtime.ArgumentError(i, errors.New("a word must not contain a NUL byte"))
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if isPlainWord(word) {
			b.WriteString(word)
		} else {
			b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "'")
		}
	}
	return b.String(), nil
}

// reserved has words that consist of letters and are special to the POSIX shell or to other shells.
var reserved = map[string]bool{
	"case": true, "coproc": true, "do": true, "done": true, "elif": true, "else": true, "end": true, "esac": true, "fi": true,
	"for": true, "foreach": true, "function": true, "if": true, "in": true, "namespace": true, "nocorrect": true,
	"noglob": true, "repeat": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}

// isPlainWord reports whether every supported shell reads a word literally in any position. An
// equals sign could make it an assignment, and a number before a redirection is a file
// descriptor.
func isPlainWord(word string) bool {
	number := true
	for _, c := range []byte(word) {
		if !isPlain(c) {
			return false
		}
		number = number && isDigit(c)
	}
	return !number && !reserved[word]
}
