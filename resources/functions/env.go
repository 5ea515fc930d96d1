package functions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// EnvEncode writes an environment file, which has a line `NAME=value` for each
// variable, as files in /etc/default do.
//
// A shell that reads it with `.` and systemd's `EnvironmentFile=` take the same
// values from it. So a value that is not of harmless characters alone is written
// between double quotes, with backslashes before `"`, `$`, backquotes and
// backslashes, and with its line breaks as they are. Variables are sorted by
// name; one that is null is left out. A control character other than a line break
// or a tab is an error, because systemd would ignore the variable.
//
// It is not for `docker --env-file`, which takes quotes for a part of the value.
// What is written is read the same by `env_decode`.
//
//   - variables: The values by name. Names have letters, digits and underscores, and no digit at the beginning.
func EnvEncode(variables map[string]*string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !isEnvName(name) {
			return "", runtime.ArgumentError(0, fmt.Errorf("%q is no name of a variable, which has letters, digits and underscores, and no digit at the beginning", name))
		}
		value := variables[name]
		if value == nil {
			continue
		}
		if i := strings.IndexFunc(*value, isControl); i >= 0 {
			return "", runtime.ArgumentError(0, fmt.Errorf("the variable %s has a control character (%#02x) in its value, which systemd would ignore; encode it, as with base64encode", name, (*value)[i]))
		}
		b.WriteString(name + "=" + envValue(*value) + "\n")
	}
	return b.String(), nil
}

// EnvDecode reads an environment file: a map of the values by name.
//
// It reads what a shell that reads the file with `.` and systemd's
// `EnvironmentFile=` take the same values from: names, an equals sign, and values
// with or without quotes. Of a name that comes twice, the last value counts.
// Where these two differ, it is an error that says what to write instead: for
// `$` and backquotes, which only a shell replaces, for blanks outside quotes and
// what comes after a value, for a quote within an unquoted value, for `export`,
// and for comments that begin with `;`.
//
//   - text: The text of the file.
func EnvDecode(text string) (map[string]string, error) {
	r := envReader{text: text}
	variables := map[string]string{}
	for {
		more, err := r.next()
		if err == nil && !more {
			return variables, nil
		}
		var name, value string
		if err == nil {
			name, value, err = r.assignment()
		}
		if err != nil {
			line := 1 + strings.Count(text[:r.at], "\n")
			return nil, runtime.ArgumentError(0, fmt.Errorf("line %d: %w", line, err))
		}
		variables[name] = value
	}
}

// isEnvName reports whether a shell can assign to a name.
func isEnvName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && c != '_' && (!isDigit(c) || i == 0) {
			return false
		}
	}
	return name != ""
}

// escapedInEnv are the characters that both readers take a backslash from
// between double quotes.
const escapedInEnv = "\"$`\\"

func envValue(value string) string {
	if !slices.ContainsFunc([]byte(value), func(c byte) bool { return !isPlain(c) }) {
		return value
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(value) {
		if strings.IndexByte(escapedInEnv, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

var (
	errEnvLine    = errors.New("a line has a name, an equals sign and a value, with no blanks around the equals sign")
	errEnvExpands = errors.New("$ and backquotes are replaced by a shell and not by systemd; write them with a backslash or in single quotes")
	errEnvOpen    = errors.New("a quote is opened and not closed")
)
