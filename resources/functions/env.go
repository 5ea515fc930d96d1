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
// The result is not suitable for `docker run --env-file`, which does not remove
// quotes. `env_decode` returns the same variables from the result, without those that
// were left out.
//
//   - variables: Values by variable name. Names consist of ASCII letters, digits
//     and underscores, and do not start with a digit.
func EnvEncode(variables map[string]*string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !isEnvName(name) {
			return "", runtime.ArgumentError(0, fmt.Errorf("%q is not a valid variable name: use ASCII letters, digits and underscores, and do not start with a digit", name))
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
// It accepts files that a shell and systemd's `EnvironmentFile=` read in the same way:
// lines with a name, an equals sign, and a value with or without quotes. If a name is
// repeated, the last value is returned.
//
// A line that a shell and systemd read differently is an error, which shows what to
// write instead. Such a line has, for example, `$` or backquotes that a shell would
// expand, an unquoted value with blanks, quotes or characters such as `;` in it,
// `export`, or a comment that starts with `;`.
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

// escapedInEnv has the characters before which a shell and systemd remove a backslash in
// double quotes.
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

// envReader parses an environment file. It accepts text that a shell and systemd read in
// the same way. After an error, at is in the line of the error.
type envReader struct {
	text string
	at   int
}

// next advances to the next assignment, and reports whether there is one.
func (r *envReader) next() (bool, error) {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n':
			r.at++
		case ';':
			return false, errors.New("a comment that starts with ; is supported by systemd but not by a shell; use #")
		case '#':
			end := r.at + strings.IndexByte(r.text[r.at:]+"\n", '\n')
			comment := r.text[r.at:end]
			if strings.HasSuffix(comment, `\`) {
				return false, errors.New("a comment that ends with a backslash continues on the next line in some versions of systemd; remove the backslash")
			}
			if strings.IndexFunc(comment, isControl) >= 0 {
				return false, errEnvControl
			}
			r.at = end
		default:
			return true, nil
		}
	}
	return false, nil
}

var errEnvControl = errors.New("control characters other than tabs are not supported; end lines with a line feed only")

// assignment parses a name and its value, up to the end of the line on which the value ends.
func (r *envReader) assignment() (name, value string, err error) {
	line, _, _ := strings.Cut(r.text[r.at:], "\n")
	name, _, found := strings.Cut(line, "=")
	switch {
	case strings.HasPrefix(line, "export ") || strings.HasPrefix(line, "export\t"):
		return "", "", errors.New("systemd does not support export; remove it")
	case !found:
		return "", "", errEnvLine
	case !isEnvName(name):
		return "", "", errors.New("the text before the equals sign is not a valid variable name: use ASCII letters, digits and underscores, and do not start with a digit")
	}
	r.at += len(name) + 1
	value, err = r.value()
	return name, value, err
}

// value reads a value. Quotes after unquoted text are an error: systemd does not
// interpret them.
func (r *envReader) value() (string, error) {
	var b strings.Builder
	bare := false
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == '\n':
			return b.String(), nil
		case c == ' ' || c == '\t':
			return b.String(), r.end()
		case c == '"' || c == '\'':
			if bare {
				return "", errors.New("systemd does not interpret a quote within an unquoted value; put the whole value between quotes")
			}
			if err := r.quoted(&b); err != nil {
				return "", err
			}
			continue
		case c == '\\':
			bare = true
			if r.at+1 == len(r.text) {
				return "", errors.New("a backslash must be followed by a character")
			}
			if r.at++; r.text[r.at] != '\n' { // otherwise, the line is continued
				if isControl(rune(r.text[r.at])) {
					return "", errEnvControl
				}
				b.WriteByte(r.text[r.at])
			}
		case c == '$' || c == '`':
			return "", errEnvExpands
		case strings.IndexByte("|&;<>()~", c) >= 0:
			return "", errors.New("the characters | & ; < > ( ) ~ have a special meaning in a shell; put the value between quotes")
		case isControl(rune(c)):
			return "", errEnvControl
		default:
			bare = true
			b.WriteByte(c)
		}
		r.at++
	}
	return b.String(), nil
}

// end reads blanks up to the end of the line. Anything else is an error.
func (r *envReader) end() error {
	rest, _, _ := strings.Cut(r.text[r.at:], "\n")
	if strings.Trim(rest, " \t") != "" {
		return errors.New("a shell interprets the text after a blank as a command or a comment; put the whole value between quotes, and comments on a line of their own")
	}
	r.at += len(rest)
	return nil
}

// quoted reads a quoted text, with single or double quotes.
func (r *envReader) quoted(b *strings.Builder) error {
	quote, start := r.text[r.at], r.at
	for r.at++; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		switch {
		case c == quote:
			r.at++
			return nil
		case isControl(rune(c)):
			return errEnvControl
		case quote == '\'':
			b.WriteByte(c)
		case c == '$' || c == '`':
			return errEnvExpands
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			switch c = r.text[r.at]; {
			case isControl(rune(c)):
				return errEnvControl
			case c == '\n': // a continued line
				continue
			case strings.IndexByte(escapedInEnv, c) < 0:
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	r.at = start
	return errEnvOpen
}
