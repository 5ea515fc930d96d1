package remotecmd

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// Missing is the error of a program that the host does not have. A script does not report which program that
// is: the message is then that of a [*Failed].
type Missing struct {
	Host, Program string
	failed        Failed
}

func (e *Missing) Error() string {
	if e.Program == aScript {
		return e.failed.Error()
	}
	return fmt.Sprintf("host %s has no program %s", e.Host, e.Program)
}

// IsMissing reports whether err is or wraps a [*Missing].
func IsMissing(err error) bool {
	_, is := errors.AsType[*Missing](err)
	return is
}

// Failed is the error of a program that ended with an unexpected exit code or a signal.
type Failed struct {
	Host   string
	Args   []string
	Signal string
	Result
}

// Error returns a message with the end of the program's output.
func (e *Failed) Error() string {
	how := fmt.Sprintf("exit code %d", e.ExitCode)
	if e.Signal != "" {
		how = "signal " + e.Signal
	}
	output := cmp.Or(tail(e.Stderr), tail(e.Stdout))
	if output == "" {
		return fmt.Sprintf("%s on host %s ended with %s and no output", e.program(), e.Host, how)
	}
	return fmt.Sprintf("%s on host %s ended with %s: %s", e.program(), e.Host, how, output)
}

// Is reports whether target is [syscall.ENOSPC] and the program has reported it.
func (e *Failed) Is(target error) bool {
	return target == syscall.ENOSPC && strings.Contains(e.Stderr, "No space left on device")
}

// aScript stands for the command line of a script in messages.
const aScript = "a script"

// isScript reports whether args are those of a script: see [Shell].
func isScript(args []string) bool { return len(args) > 3 && args[0] == "/bin/sh" && args[1] == "-c" }

// program returns the command line for a message, without the text of a script.
func (e *Failed) program() string {
	if isScript(e.Args) {
		return aScript
	}
	words := make([]string, len(e.Args))
	for i, arg := range e.Args {
		words[i] = host.QuotePath(arg)
	}
	return strings.Join(words, " ")
}

// OfProgram returns err, the error of a script, as the error of the program with these arguments that the
// script ran. It changes the [*Failed] or [*Missing] in err.
func OfProgram(err error, args []string) error {
	if failed, is := errors.AsType[*Failed](err); is {
		failed.Args = args
	} else if missing, is := errors.AsType[*Missing](err); is {
		missing.Program = Call{Args: args}.name()
	}
	return err
}

// FailedWith reports whether err is a [*Failed] with one of these exit codes.
func FailedWith(err error, codes ...int) bool {
	failed, is := errors.AsType[*Failed](err)
	return is && slices.Contains(codes, failed.ExitCode)
}

// WithRootHint returns err with the hint that only root can manage objects, a noun in the plural.
// It returns err unchanged if err contains no message of a program about missing privileges, or if
// the program is known to have run as root.
func WithRootHint(h host.Host, objects string, err error) error {
	if err == nil || host.RunsAsRoot(h) {
		return err
	}
	for _, text := range []string{"are you root?", "unless you are root", "superuser", "Permission denied", "Access denied", "uthentication required"} {
		if strings.Contains(err.Error(), text) {
			remedy := "run Terraform as root"
			if h.Name() != host.LocalName {
				remedy = fmt.Sprintf("set sudo = {} for host %s in the provider's configuration, or connect as root", h.Name())
			}
			return fmt.Errorf("%w. %s can only be managed by root: %s", err, objects, remedy)
		}
	}
	return err
}

// escapes matches escape sequences, which move the cursor of a terminal, colour its text or
// set the title of its window.
var escapes = regexp.MustCompile(`\x1b(\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\][^\x07\x1b]*(\x07|\x1b\\)|.)`)

// Printable removes the escape sequences of text and returns [diag.Printable] of the rest.
func Printable(text string) string {
	return diag.Printable(escapes.ReplaceAllString(text, ""))
}

// End returns the last bytes of text, at most as many as given, and whether these are the
// whole text. If they are not, they start with a whole line if possible, and are valid UTF-8.
func End(text string, most int) (end string, whole bool) {
	if len(text) <= most {
		return text, true
	}
	text = strings.ToValidUTF8(text[len(text)-most:], "")
	if _, rest, cut := strings.Cut(text, "\n"); cut {
		text = rest
	}
	return text, false
}

// maxTail is the maximum size of output in a message, in bytes.
const maxTail = 1200

// userInfo matches the part of a URL with a user and a password. It may contain an at sign that is not encoded.
var userInfo = regexp.MustCompile(`://[^/\s]*@`)

// tail returns the printable end of text, without the users and passwords of URLs: package managers print the URLs
// of repositories that they cannot reach. A single period at the end is removed, because advice may follow.
func tail(text string) string {
	text = userInfo.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "://…@")
	text, whole := End(Printable(strings.TrimSpace(text)), maxTail)
	if !whole {
		text = "… " + text
	}
	if !strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return text
}
