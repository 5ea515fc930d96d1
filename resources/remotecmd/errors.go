package remotecmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/posixform/terraform-provider-posix/host"
)

// Missing is the error of a program that is not there.
type Missing struct {
	Host, Program string
}

// Error says so.
func (e *Missing) Error() string {
	return fmt.Sprintf("host %s has no program %s", e.Host, e.Program)
}

// IsMissing reports whether err is of a program that is not there.
func IsMissing(err error) bool {
	_, is := errors.AsType[*Missing](err)
	return is
}

// Failed is the error of a program that has ended as it should not.
type Failed struct {
	Host   string
	Args   []string
	Signal string
	Result
}

// Error has what the program says of it.
func (e *Failed) Error() string {
	how := fmt.Sprintf("exit code %d", e.ExitCode)
	if e.Signal != "" {
		how = "signal " + e.Signal
	}
	said := tail(e.Stderr)
	if said == "" {
		said = tail(e.Stdout)
	}
	if said == "" {
		return fmt.Sprintf("%s on host %s ended with %s and no output", e.program(), e.Host, how)
	}
	return fmt.Sprintf("%s on host %s ended with %s: %s", e.program(), e.Host, how, said)
}

// program is what was run, as a person would type it. Of a script it is the shell:
// the text helps nobody.
func (e *Failed) program() string {
	if len(e.Args) > 3 && e.Args[0] == "/bin/sh" && e.Args[1] == "-c" {
		return "a script"
	}
	words := make([]string, len(e.Args))
	for i, arg := range e.Args {
		words[i] = host.QuotePath(arg)
	}
	return strings.Join(words, " ")
}

// FailedWith reports whether err is of a program that ended with one of these.
func FailedWith(err error, codes ...int) bool {
	failed, is := errors.AsType[*Failed](err)
	return is && slices.Contains(codes, failed.ExitCode)
}

// Printable is a text without what would move a terminal's cursor, but for tabs and
// the ends of lines.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// tailMax is how many bytes of a program's words a message has.
const tailMax = 1200

// tail is the end of a text, without what would move a terminal's cursor.
func tail(text string) string {
	text = Printable(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if len(text) <= tailMax {
		return text
	}
	text = strings.ToValidUTF8(text[len(text)-tailMax:], "")
	if _, rest, cut := strings.Cut(text, "\n"); cut {
		text = rest // from the beginning of a line
	}
	return "… " + text
}
