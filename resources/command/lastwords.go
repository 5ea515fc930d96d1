package command

import (
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

const shownMax = 2000 // maximum number of characters of a failed command's output

// lastWords returns the end of a command's output for the error message: standard error, or
// if that is empty standard output.
func (r *result) lastWords() string {
	if r.job.shows == showsNothing {
		return ". Its output is not shown, since sensitive_output is set"
	}
	for _, from := range []struct {
		name string
		*capture
	}{{"stderr", &r.stderr}, {"stdout", &r.stdout}} {
		if from.name == "stdout" && r.job.shows == showsStderr {
			return ", without output on stderr"
		}
		text, whole := from.end()
		if text, whole = shown(text, whole, r.job.secrets); text == "" {
			continue
		}
		if whole {
			return ". Its output on " + from.name + ":\n" + text
		}
		return ". The end of its output on " + from.name + ":\n" + text
	}
	return ", without output"
}

var escapes = regexp.MustCompile(`\x1b(\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\][^\x07\x1b]*(\x07|\x1b\\)|.)`)

// shown returns the end of a text in a form for messages.
func shown(text string, whole bool, secrets []string) (string, bool) {
	text = clean(text, secrets)
	if len(text) <= shownMax {
		return text, whole
	}
	text = strings.ToValidUTF8(text[len(text)-shownMax:], "")
	if _, rest, cut := strings.Cut(text, "\n"); cut {
		text = rest // from the beginning of a line
	}
	return text, false
}

// clean returns a text without secrets, and without characters that control a terminal.
// Secrets are removed before and after that: a secret may contain such characters, or be
// split by them.
func clean(text string, secrets []string) string {
	secrets = needles(secrets)
	text = without(secrets, text)
	text = escapes.ReplaceAllString(text, "")
	return strings.TrimSpace(without(secrets, remotecmd.Printable(text)))
}

func without(secrets []string, text string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "(sensitive value)")
	}
	return text
}
