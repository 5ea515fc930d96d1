package functions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// INIEncode encodes sections of keys and values as an INI file.
//
// The section with the empty name is written first and without a section header, for the
// keys before all sections. Sections and keys are sorted by name. Values are written
// without quotes or escapes, since programs interpret them in different ways: add the
// quotes that the program expects. Therefore values must not contain line breaks,
// carriage returns or NUL bytes, nor begin or end with blanks. A key with a null value is
// left out.
//
// `ini_decode` returns the same sections from the result, without the keys that
// were left out, and without the section with the empty name if it has no keys.
//
//   - sections: Sections by name, each a map of values by key.
func INIEncode(sections map[string]map[string]*string) (string, error) {
	var b strings.Builder
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		if section != "" {
			if err := checkSection(section); err != nil {
				return "", runtime.ArgumentError(0, fmt.Errorf("the section %q: %w", section, err))
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("[" + section + "]\n")
		}
		keys := sections[section]
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			value := keys[key]
			if err := cmp.Or(checkKey(key), checkINIValue(value)); err != nil {
				return "", runtime.ArgumentError(0, fmt.Errorf("the key %q in the section %q: %w", key, section, err))
			}
			if value == nil {
				continue
			}
			b.WriteString(strings.TrimRight(key+" = "+*value, " ") + "\n")
		}
	}
	return b.String(), nil
}

// INIDecode decodes an INI file into a map of sections by name, each a map of values by key.
//
// Keys before the first section are in the section with the empty name, which only
// exists if there are such keys. A line that starts with `;` or `#` is a comment.
// After a value, these characters do not start a comment, since they can be part of
// the value. A value is everything after the equals sign, including quotes and
// backslashes, without the blanks at its ends. A line without an equals sign is a key
// with a null value, which `ini_encode` leaves out. Sections with the same name are
// merged.
//
// A duplicate key in a section is an error, since programs differ in which of the
// values they use. An indented line without an equals sign is also an error, since some
// programs append it to the previous line.
//
//   - text: Content of the file. Line endings can be LF or CRLF.
func INIDecode(text string) (map[string]map[string]*string, error) {
	sections := map[string]map[string]*string{}
	section := ""
	seen := map[[2]string]int{} // line number of each key
	lines := strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n")
	for i, line := range lines {
		fail := func(err error) (map[string]map[string]*string, error) {
			return nil, runtime.ArgumentError(0, fmt.Errorf("line %d: %w", i+1, err))
		}
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || bare[0] == ';' || bare[0] == '#':
			continue
		case bare[0] == '[':
			if bare[len(bare)-1] != ']' {
				return fail(errors.New("the name of a section must end with ], without text after it"))
			}
			section = strings.TrimSpace(bare[1 : len(bare)-1])
			if section == "" {
				return fail(errors.New("a section must have a name"))
			}
			if err := checkSection(section); err != nil {
				return fail(err)
			}
			if sections[section] == nil {
				sections[section] = map[string]*string{}
			}
			continue
		}
		key, rest, found := strings.Cut(bare, "=")
		if !found && line != strings.TrimLeftFunc(line, unicode.IsSpace) {
			return fail(errors.New("some programs append an indented line without an equals sign to the previous line; write the value on one line"))
		}
		key = strings.TrimSpace(key)
		var value *string
		if found {
			value = new(strings.TrimSpace(rest))
		}
		if err := cmp.Or(checkKey(key), checkINIValue(value)); err != nil {
			return fail(err)
		}
		if first := seen[[2]string{section, key}]; first > 0 {
			return fail(fmt.Errorf("its key is already on line %d, in the same section, and programs interpret duplicate keys in different ways", first))
		}
		seen[[2]string{section, key}] = i + 1
		if sections[section] == nil {
			sections[section] = map[string]*string{}
		}
		sections[section][key] = value
	}
	return sections, nil
}

// byteOrderMark is at the start of files that some editors on Windows write.
const byteOrderMark = "\ufeff"

func checkSection(name string) error {
	return cmp.Or(checkLine("the name", name), checkEnds("the name", name))
}

func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("a key must have a name")
	case strings.Contains(key, "="):
		return errors.New("a key must not contain an equals sign")
	case strings.ContainsAny(key[:1], "[;#"):
		return errors.New("a key must not start with [, ; or #, which would make it a section or a comment")
	case strings.Contains(key, byteOrderMark):
		return errors.New("a key must not contain a byte order mark")
	}
	return cmp.Or(checkLine("a key", key), checkEnds("a key", key))
}

func checkINIValue(value *string) error {
	if value == nil {
		return nil
	}
	return cmp.Or(checkLine("a value", *value), checkEnds("a value", *value))
}
