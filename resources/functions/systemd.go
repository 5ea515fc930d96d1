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

// SystemdUnit encodes settings as a systemd unit file, or as another file in this
// format, such as one of systemd-networkd.
//
// A section is an object with its settings, or a list of objects if the section is
// repeated, such as `[Address]` of a network. A setting is a string, number or boolean,
// or a list of these, which is written as one line for each element. systemd combines the
// lines of settings that are lists, such as `ExecStartPre`; an empty string as the first
// element resets the previous values. A setting with a null value is left out.
//
// The section `Unit` is written first and `Install` last. Other sections, and the
// settings of a section, are sorted by name; lists keep their order. Values are written
// unchanged: use `%%` for a percent sign, and `$$` for a dollar sign in commands. Values
// that systemd would read differently are an error: those with ASCII control characters
// other than tabs, such as line breaks, with blanks at their ends, or with a backslash at
// the end, which would join the next line.
//
//   - sections: Sections by name, each with its settings by name. Must not be null.
func SystemdUnit(sections cty.Value) (string, error) {
	text, err := unit(sections)
	return text, runtime.ArgumentError(0, err)
}

func unit(sections cty.Value) (string, error) {
	if !isObject(sections) {
		return "", errors.New("a unit must be an object of sections, such as { Service = { … } }")
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

// bySection orders sections: Unit first, Install last, others by name.
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

// settings returns the lines of one section.
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

// setting returns the text of one value.
func setting(value cty.Value) (string, error) {
	if value.IsNull() {
		return "", errors.New("a value in a list must not be null; remove it from the list")
	}
	converted, err := convert.Convert(value, cty.String)
	if err != nil {
		return "", errors.New("a value must be a string, a number or a boolean, or a list of these")
	}
	text := converted.AsString()
	if strings.ContainsAny(text, "\n\r") {
		return "", errors.New("a value must not contain line breaks; use a list to write one line for each element")
	}
	if strings.HasSuffix(text, `\`) {
		return "", errors.New("a value must not end with a backslash, since systemd would join the value with the next line")
	}
	if strings.ContainsFunc(text, isControl) {
		return "", errors.New("a value must not contain control characters other than tabs")
	}
	return text, checkEnds("a value", text)
}

var errUnitName = errors.New("a name must consist of ASCII letters, digits, dashes, underscores and dots, and start with a letter")

func isUnitName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (i == 0 || !isDigit(c) && strings.IndexByte("-_.", c) < 0) {
			return false
		}
	}
	return name != ""
}
