package sysctl

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// swap is a replacer that exchanges dots and slashes.
var swap = strings.NewReplacer(".", "/", "/", ".")

// slashed returns the key with slashes between its parts, which may contain dots.
func slashed(key string) string {
	if i := strings.IndexAny(key, "./"); i >= 0 && key[i] == '.' {
		return swap.Replace(key)
	}
	return key
}

// dotted returns the key with dots between its parts: the normalised form in identities
// and files.
func dotted(key string) string { return swap.Replace(slashed(key)) }

// checkKey returns an error for a text that does not have the form of a key or is too long.
func checkKey(key string) error {
	if key == "" {
		return errors.New("the key is empty")
	}
	parts := strings.Split(slashed(key), "/")
	if len(parts) < 2 {
		return fmt.Errorf("%q is not a valid key: it must have parts separated by dots, such as kernel.panic", key)
	}
	if len(key) > 200 { // the key becomes part of a file name
		return errors.New("the key is longer than 200 bytes")
	}
	for _, part := range parts {
		switch {
		case part == "":
			return fmt.Errorf("%q is not a valid key: its parts must not be empty", key)
		case part == "." || part == "..":
			return fmt.Errorf("%q is not a valid key: its parts must not be %q", key, part)
		case strings.HasPrefix(part, "-"):
			return fmt.Errorf("%q is not a valid key: its parts must not start with a dash", key)
		}
		odd := func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.@+~-", r)
		}
		if strings.ContainsFunc(part, odd) {
			return fmt.Errorf("%q is not a valid key: it must consist of letters from a to z, digits and . / _ - @ + ~", key)
		}
	}
	return nil
}

// checkValue returns an error for a value that is not UTF-8, has control characters except tabs, or is too long.
func checkValue(value string) error {
	switch {
	case !utf8.ValidString(value):
		return errors.New("the value must be valid UTF-8")
	case strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return errors.New("the value must not contain newlines or other control characters except tabs")
	case len(value) > 4000:
		return errors.New("the value is longer than 4000 bytes")
	}
	return nil
}

// plain returns the value with single spaces between its fields.
func plain(value string) string { return strings.Join(strings.Fields(value), " ") }

// checkFile returns an error for the name of a file that would not be read, and for a name that is too long or
// has characters other than letters from a to z, digits and . , _ - @ + ~.
func checkFile(name string) error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.,@+~-", r)
	}
	switch {
	case !strings.HasSuffix(name, ".conf"):
		return errors.New("the name of the file must end with .conf: other files are ignored")
	case strings.HasPrefix(name, "."):
		return errors.New("the name of the file must not start with a dot: such files are ignored")
	case strings.ContainsFunc(name, odd):
		return errors.New("must be the name of a file in /etc/sysctl.d, such as 99-forwarding.conf, with letters from a to z, digits and . , _ - @ + ~")
	case len(name) > 250:
		return errors.New("the name of the file is longer than 250 characters")
	}
	return nil
}
