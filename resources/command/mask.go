package command

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

const maxShown = 2000 // maximum number of bytes of output in the error of a failed command

// outputTail returns the end of the output for the error of a failed command: of
// standard error or, if that is empty, of standard output. If messages must not
// show the output of the job, or there is no output, outputTail returns a text that says so.
func (r *result) outputTail() string {
	if r.job.visible == visibleNone {
		return ". Its output is not shown, since sensitive_output is set"
	}
	for _, from := range []struct {
		name string
		*capture
	}{{"stderr", r.stderr}, {"stdout", r.stdout}} {
		if from.name == "stdout" && r.job.visible == visibleStderr {
			return ", without output on stderr"
		}
		text, whole := from.tail.Text()
		if text, whole = truncate(text, whole, r.job.masked); text == "" {
			continue
		}
		if whole {
			return ". Its output on " + from.name + ":\n" + text
		}
		return ". The end of its output on " + from.name + ":\n" + text
	}
	return ", without output"
}

// truncate returns the end of a text, with secrets masked, and reports whether the end is the whole output.
// The parameter whole is whether the text is the whole output.
func truncate(text string, whole bool, secrets []string) (string, bool) {
	text, all := remotecmd.End(sanitize(text, maskPatterns(secrets)), maxShown)
	return text, whole && all
}

// sanitize returns a text with the patterns of secrets masked, and without terminal escape sequences
// and surrounding white space. Secrets are masked before and after the escape sequences are removed: a
// secret may contain an escape sequence, or be split by one.
func sanitize(text string, patterns []string) string {
	return strings.TrimSpace(mask(patterns, remotecmd.Printable(mask(patterns, text))))
}

func mask(patterns []string, text string) string {
	for _, pattern := range patterns {
		text = strings.ReplaceAll(text, pattern, "(sensitive value)")
	}
	return text
}

// containsAny reports whether a text contains one of the texts that [maskPatterns] returns for the secrets.
func containsAny(text string, secrets []string) bool {
	return len(text) >= minSecret && slices.ContainsFunc(maskPatterns(secrets), func(secret string) bool { return strings.Contains(text, secret) })
}

const (
	minSecret  = 4 // shorter values are not masked: they would match everywhere
	minEncoded = 8 // shorter encoded values are not masked, for the same reason
)

// maskPatterns returns the texts to mask: secrets and each of their lines, without
// surrounding white space, and in common encodings. Longer texts are first, since they may
// contain shorter ones.
func maskPatterns(secrets []string) []string {
	var all []string
	for _, secret := range secrets {
		for line := range strings.Lines(secret) {
			all = append(all, strings.TrimSpace(line))
		}
		all = append(all, strings.TrimSpace(secret))
	}
	for _, secret := range slices.Concat(all, secrets) {
		for _, other := range encodings(secret) {
			if len(secret) >= minSecret && len(other) >= minEncoded && strings.TrimSpace(other) != "" {
				all = append(all, other)
			}
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecret })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// encodings returns the text in common encodings: JSON, quoted for a shell,
// percent-encoded, hexadecimal, and base64, including as part of a longer text, such
// as the header of HTTP basic authentication.
func encodings(text string) []string {
	escaped, err := json.Marshal(text)
	if err != nil {
		return nil // every string can be encoded
	}
	digits := hex.EncodeToString([]byte(text))
	all := []string{
		strings.Trim(string(escaped), `"`), strings.Trim(strconv.Quote(text), `"`), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text),
		strings.ReplaceAll(text, `'`, `'\''`), strings.ReplaceAll(text, `'`, `'"'"'`),
		url.QueryEscape(text), url.PathEscape(text), digits, strings.ToUpper(digits),
	}
	for before := range 3 { // number of bytes before the text, which changes its encoding
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := encoding.EncodeToString([]byte("xx"[:before] + text))
			if (before+len(text))%3 != 0 {
				code = code[:len(code)-1] // depends on the bytes after the text
			}
			all = append(all, code[min(len(code), (before*8+5)/6):])
		}
	}
	return all
}
