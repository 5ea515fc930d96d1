package functions

import (
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// ShellQuote writes words for a POSIX shell: each argument is one word of a
// command line, whatever is in it, with a blank between it and the next.
//
// A list of words is given with three dots: `shell_quote(var.words...)`. A word
// of nothing but letters, digits and `_@%+:,./-` stays as it is, unless a shell
// may take it for something else, such as `if`; what else there is comes between
// single quotes. Line breaks stay line breaks.
//
// What is quoted is a word as it stands in a script, or in a command that a
// shell reads. It must not be put between quotes again, and is not meant for csh
// or fish.
//
//   - words: The words. No words give an empty text, an empty word gives two quotes.
func ShellQuote(words ...string) (string, error) {
	var b strings.Builder
	for i, word := range words {
		if strings.IndexByte(word, 0) >= 0 {
			return "", runtime.ArgumentError(i, errors.New("a word has a NUL in it, which no command can be given; take it out"))
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if plainWord(word) {
			b.WriteString(word)
		} else {
			b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "'")
		}
	}
	return b.String(), nil
}

// reserved are the words that begin something else than a command, in POSIX and
// in the shells that have more.
var reserved = map[string]bool{
	"case": true, "coproc": true, "do": true, "done": true, "elif": true, "else": true, "end": true, "esac": true, "fi": true,
	"for": true, "foreach": true, "function": true, "if": true, "in": true, "namespace": true, "nocorrect": true,
	"noglob": true, "repeat": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}

// plainWord reports whether every shell reads a word as it stands, wherever it
// stands. An equals sign would make an assignment of a command, and a number that
// comes before a redirection is the number of a file.
func plainWord(word string) bool {
	number := true
	for _, c := range []byte(word) {
		if !isPlain(c) {
			return false
		}
		number = number && isDigit(c)
	}
	return !number && !reserved[word]
}
