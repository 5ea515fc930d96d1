package functions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// SystemdUnit writes a unit file of systemd, or another file in its format, such
// as one for systemd-networkd.
//
// A section is an object of its settings, or a list of such objects where a
// section comes several times, as `[Address]` for a network. A setting is a text,
// a number or a boolean, or a list of these, which becomes a line for each: that is
// how a setting is added to, and an empty text before the others takes back what
// was set before. A setting that is null is left out.
//
// The section Unit comes first and Install last, the others are sorted by name, and so
// are the settings of a section; lists keep their order. A value is written as systemd
// reads it: write `%%` for a percent sign, and in commands `$$` for a dollar sign.
// What would not arrive is an error: line breaks, blanks at the ends of a value, and a
// backslash at its end, which would join the next line to it.
//
//   - sections: The settings by name, by the names of the sections.
func SystemdUnit(sections cty.Value) (string, error) {
	text, err := unit(sections)
	return text, runtime.ArgumentError(0, err)
}

func unit(sections cty.Value) (string, error) {
	if !isObject(sections) {
		return "", errors.New("a unit is an object of sections, as { Service = { … } }")
	}
	var parts []string
	byName := sections.AsValueMap()
	for _, name := range slices.SortedFunc(maps.Keys(byName), bySection) {
		value := byName[name]
		switch {
		case !isUnitName(name):
			return "", fmt.Errorf("the section %q: %w", name, errUnitName)
		case value.IsNull():
			continue
		}
		for _, once := range oneOrMore(value) {
			if !isObject(once) {
				return "", fmt.Errorf("the section %s must be an object of settings, or a list of such objects", name)
			}
			text, err := settings(once)
			if err != nil {
				return "", fmt.Errorf("the section %s: %w", name, err)
			}
			parts = append(parts, "["+name+"]\n"+text)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// bySection orders sections as people write them.
func bySection(a, b string) int {
	place := func(name string) int {
		switch name {
		case "Unit":
			return -1
		case "Install":
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// settings are the lines of one section.
func settings(section cty.Value) (string, error) {
	var b strings.Builder
	byName := section.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		value := byName[name]
		switch {
		case !isUnitName(name):
			return "", fmt.Errorf("the setting %q: %w", name, errUnitName)
		case value.IsNull():
			continue
		}
		for i, one := range oneOrMore(value) {
			text, err := setting(one)
			if err != nil {
				return "", fmt.Errorf("the setting %s, value %d: %w", name, i+1, err)
			}
			b.WriteString(name + "=" + text + "\n")
		}
	}
	return b.String(), nil
}

// setting is the text of one value.
func setting(value cty.Value) (string, error) {
	if value.IsNull() {
		return "", errors.New("a value in a list cannot be null; take it out of the list")
	}
	converted, err := convert.Convert(value, cty.String)
	if err != nil {
		return "", errors.New("a value must be a text, a number or a boolean, or a list of these")
	}
	text := converted.AsString()
	if strings.ContainsAny(text, "\n\r") {
		return "", errors.New("a value has no line breaks; make it a list, of which each element becomes a line")
	}
	if strings.HasSuffix(text, `\`) {
		return "", errors.New("a value does not end with a backslash, because systemd would join the next line to it")
	}
	if strings.ContainsFunc(text, isControl) {
		return "", errors.New("a value has no control characters but tabs")
	}
	return text, checkEnds("a value", text)
}

var errUnitName = errors.New("a name has letters, digits, hyphens, underscores and dots, and begins with a letter")

func isUnitName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (i == 0 || !isDigit(c) && strings.IndexByte("-_.", c) < 0) {
			return false
		}
	}
	return name != ""
}
