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
	secretMin   = 4 // what is shorter is no secret, and would be found everywhere
	spellingMin = 8 // the same of other ways to write it
)

// needles are the secrets as they may be printed: whole, and each line of one that
// has several, each as it is and as programs commonly write it. The longest come
// first, as others may be a part of them.
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

// spellings are other ways to write a text, of which each tells it: in JSON, as an
// argument of a shell, in an address, and as the digits of its bytes. In base64 it
// may be a part of something longer, as in the header that HTTP has for a name and
// a password.
func spellings(text string) []string {
	escaped, err := json.Marshal(text)
	if err != nil {
		return nil // which no string is too odd for
	}
	digits := hex.EncodeToString([]byte(text))
	all := []string{
		strings.Trim(string(escaped), `"`), strings.Trim(strconv.Quote(text), `"`), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text),
		strings.ReplaceAll(text, `'`, `'\''`), strings.ReplaceAll(text, `'`, `'"'"'`),
		url.QueryEscape(text), url.PathEscape(text), digits, strings.ToUpper(digits),
	}
	for before := range 3 { // bytes, as it depends on them how base64 goes on
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := encoding.EncodeToString([]byte("xx"[:before] + text))
			if (before+len(text))%3 != 0 {
				code = code[:len(code)-1] // which depends on what follows
			}
			all = append(all, code[min(len(code), (before*8+5)/6):])
		}
	}
	return all
}
