package functions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// EnvEncode encodes variables as an environment file with one `NAME=value` per
// variable, like the files in `/etc/default`.
//
// A shell that sources the file and systemd's `EnvironmentFile=` read the same values
// from it. Values with special characters are therefore written between double
// quotes, with backslashes before `"`, `$`, backquotes and backslashes, and with
// unchanged line breaks. Variables are sorted by name. A variable with a null value
// is left out. Control characters other than line breaks and tabs are an error, since
// systemd would ignore the variable.
//
// The result is not suitable for `docker --env-file`, which does not remove quotes.
// `env_decode` returns the same variables from the result.
//
//   - variables: Values by variable name. Names consist of letters, digits and
//     underscores, and do not begin with a digit.
func EnvEncode(variables map[string]*string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !isEnvName(name) {
			return "", runtime.ArgumentError(0, fmt.Errorf("%q is not a valid variable name: use letters, digits and underscores, and do not start with a digit", name))
		}
		value := variables[name]
		if value == nil {
			continue
		}
		if i := strings.IndexFunc(*value, isControl); i >= 0 {
			return "", runtime.ArgumentError(0, fmt.Errorf("the value of the variable %s has a control character (%#02x), so systemd would ignore the variable; encode the value, for example with base64encode", name, (*value)[i]))
		}
		b.WriteString(name + "=" + envValue(*value) + "\n")
	}
	return b.String(), nil
}

// EnvDecode decodes an environment file into a map of values by variable name.
//
// It accepts files from which a shell that sources them and systemd's
// `EnvironmentFile=` read the same values: names, an equals sign, and values with or
// without quotes. If a name is repeated, the last value is returned.
//
// Lines that the two read differently are an error that tells what to write instead:
// `$` and backquotes, which only a shell expands, blanks outside of quotes and
// anything after a value, a quote inside an unquoted value, `export`, and comments
// that begin with `;`.
//
//   - text: Content of the file.
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

// isEnvName reports whether a shell can assign to a variable of this name.
func isEnvName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && c != '_' && (!isDigit(c) || i == 0) {
			return false
		}
	}
	return name != ""
}

// escapedInEnv has the characters after which both readers remove a backslash in double
// quotes.
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
	errEnvLine    = errors.New("a line must have a name, an equals sign and a value, without blanks around the equals sign")
	errEnvExpands = errors.New("$ and backquotes are expanded by a shell but not by systemd; use a backslash or single quotes")
	errEnvOpen    = errors.New("a quote is not closed")
)
