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
)

const (
	secretMin   = 4 // shorter values are no secrets, and would match everywhere
	spellingMin = 8 // the same limit for encoded forms
)

// needles returns the texts that reveal secrets: each secret and each line of one with
// several lines, unchanged and in common encodings. The longest come first, because others
// may be part of them.
func needles(secrets []string) []string {
	var all []string
	for _, secret := range secrets {
		for line := range strings.Lines(secret) {
			all = append(all, strings.TrimSpace(line))
		}
		all = append(all, strings.TrimSpace(secret))
	}
	for _, secret := range slices.Concat(all, secrets) {
		for _, other := range spellings(secret) {
			if len(secret) >= secretMin && len(other) >= spellingMin && strings.TrimSpace(other) != "" {
				all = append(all, other)
			}
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < secretMin })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// spellings returns encodings of a text that reveal it: JSON, a shell argument, a URL, and
// hexadecimal. In base64 it may also be part of a longer text, such as the HTTP header with
// a user name and a password.
func spellings(text string) []string {
	escaped, err := json.Marshal(text)
	if err != nil {
		return nil // any string can be encoded
	}
	digits := hex.EncodeToString([]byte(text))
	all := []string{
		strings.Trim(string(escaped), `"`), strings.Trim(strconv.Quote(text), `"`), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text),
		strings.ReplaceAll(text, `'`, `'\''`), strings.ReplaceAll(text, `'`, `'"'"'`),
		url.QueryEscape(text), url.PathEscape(text), digits, strings.ToUpper(digits),
	}
	for before := range 3 { // number of bytes before it, which shift the base64 text
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := encoding.EncodeToString([]byte("xx"[:before] + text))
			if (before+len(text))%3 != 0 {
				code = code[:len(code)-1] // that character depends on what follows
			}
			all = append(all, code[min(len(code), (before*8+5)/6):])
		}
	}
	return all
}
