package mount

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkField returns an error for a text that cannot be a field of a line.
func checkField(text string) error {
	switch {
	case text == "":
		return errors.New("must not be empty")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return errors.New("must not contain control characters")
	}
	return nil
}

// checkType returns an error for a type that cannot be mounted.
func checkType(kind string) error {
	if err := checkField(kind); err != nil {
		return err
	}
	if kind == "swap" || kind == "ignore" {
		return fmt.Errorf("%s cannot be mounted", kind)
	}
	if strings.ContainsFunc(kind, unicode.IsSpace) {
		return errors.New("a type must be a single word")
	}
	return nil
}

// checkOption returns an error for a text that is not exactly one option.
func checkOption(option string) error {
	if err := checkField(option); err != nil {
		return err
	}
	if len(splitOptions(option)) != 1 || strings.Count(option, `"`)%2 != 0 {
		return fmt.Errorf("%q has several options: use one element for each", option)
	}
	if option == "remount" {
		return errors.New("remount is not an option for fstab")
	}
	return nil
}
