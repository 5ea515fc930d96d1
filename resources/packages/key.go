package packages

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// armor is the prefix of keys in text form.
const armor = "-----BEGIN "

// checkKey returns an error unless text is a public key, armored or in base64.
func checkKey(text string) error {
	text = strings.TrimSpace(text)
	if rest, armored := strings.CutPrefix(text, armor); armored {
		kind, _, _ := strings.Cut(rest, "-----")
		switch {
		case strings.Contains(kind, "PRIVATE"):
			return errors.New("this is a private key. Use the public key, and consider the private key compromised, since it is in the plan")
		case !strings.Contains(kind, "PUBLIC KEY"):
			return errors.New("this is not a public key")
		case !strings.Contains(rest, "\n-----END "+kind+"-----"):
			return errors.New("the key is incomplete: its end is missing")
		}
		return nil
	}
	// The first bit of an OpenPGP packet is set.
	if key, err := base64.StdEncoding.DecodeString(withoutSpace(text)); err != nil || len(key) == 0 || key[0]&0x80 == 0 {
		return errors.New("a key must be armored text, which starts with -----BEGIN, or a binary OpenPGP key in base64, such as from filebase64")
	}
	return nil
}

// isArmored reports whether a key is in text form.
func isArmored(key string) bool { return strings.HasPrefix(strings.TrimSpace(key), armor) }

// keyFile returns the content of a file with this key.
func keyFile(key string) []byte {
	if isArmored(key) {
		return []byte(strings.TrimSpace(strings.ReplaceAll(key, "\r\n", "\n")) + "\n")
	}
	content, err := base64.StdEncoding.DecodeString(withoutSpace(key))
	if err != nil {
		return nil // checkKey has rejected it
	}
	return content
}

// keyText returns the key in a file with this content in the form that configurations use: armored text or base64.
func keyText(content []byte) string {
	if isArmored(string(content)) {
		return string(content)
	}
	return base64.StdEncoding.EncodeToString(content)
}

// sameKey reports whether a and b are the same key in the same form.
func sameKey(a, b string) bool {
	return isArmored(a) == isArmored(b) && bytes.Equal(keyFile(a), keyFile(b))
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	fileName       = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]*$`)
	optionName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
)

// checkRepositoryName returns an error unless name is valid in the file names and section headings of all formats.
func checkRepositoryName(name string) error {
	if len(name) > maxName || !repositoryName.MatchString(name) {
		return fmt.Errorf("a repository name must consist of up to %d letters, digits and . _ -, and start with a letter or digit", maxName)
	}
	return nil
}

func checkKeyName(name string) error {
	if len(name) > maxName || !fileName.MatchString(name) {
		return fmt.Errorf("must be a file name of up to %d letters, digits and . _ @ + -, which starts with a letter or digit", maxName)
	}
	return nil
}

// checkWord returns an error unless text can be an item of a list separated by spaces or commas.
func checkWord(text string) error {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) || strings.ContainsAny(text[:1], "#[-") || strings.Contains(text, ",") {
		return errors.New("must be one word without spaces or commas, and must not start with #, [ or -")
	}
	return nil
}

func checkLine(text string) error {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("must be a single line that is not empty, without control characters and without spaces at its ends")
	}
	return nil
}

func checkOptions(options map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if !optionName.MatchString(name) {
			return fmt.Errorf("the name of the option %q must consist of letters, digits and . _ -, and start with a letter", name)
		}
		value := options[name]
		for line := range strings.SplitSeq(value, "\n") {
			if err := checkLine(line); err != nil && line != "" || value == "" {
				return fmt.Errorf("the value of the option %s must not be empty or have control characters, and its lines must not have spaces at their ends", name)
			}
		}
	}
	return nil
}
