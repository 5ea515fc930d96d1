package sshkey

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// option is an option of a key, as name or name=value, without the quotes of the file.
type option string

func (o option) cut() (name, value string, valued bool) { return strings.Cut(string(o), "=") }

// flags and settings are the documented options of sshd without and with a value, in lower case.
// sshd rejects keys with unknown options. The value in settings is whether the option may be repeated.
var (
	flags = []string{
		"agent-forwarding", "cert-authority", "no-agent-forwarding", "no-port-forwarding", "no-pty", "no-touch-required", "no-user-rc", "no-x11-forwarding",
		"port-forwarding", "pty", "restrict", "user-rc", "verify-required", "x11-forwarding",
	}
	settings = map[string]bool{
		"command": false, "environment": true, "expiry-time": false, "from": false, "permitlisten": true, "permitopen": true, "principals": false, "tunnel": false,
	}
	expiry      = regexp.MustCompile(`^[0-9]{8}([0-9]{4}([0-9]{2})?)?Z?$`)
	environment = regexp.MustCompile(`^[A-Za-z0-9_]+=`)
)

// checkOptions returns an error for unknown options, for options that are repeated but must not be, and for values
// that are missing, not allowed, quoted, or impossible in a line. It checks the syntax of the value only for
// expiry-time and environment.
func checkOptions(options []option) error {
	seen := map[string]bool{}
	for i, o := range options {
		if err := o.check(seen); err != nil {
			name, _, _ := o.cut() // the value may be secret
			return fmt.Errorf("options[%d] (%s): %w", i, name, err)
		}
	}
	return nil
}

func (o option) check(seen map[string]bool) error {
	name, value, valued := o.cut()
	name = strings.ToLower(name)
	repeats, setting := settings[name]
	inner := strings.TrimSuffix(strings.TrimPrefix(value, `"`), `"`)
	switch {
	case slices.Contains(flags, name) && valued:
		return fmt.Errorf("%s takes no value", name)
	case slices.Contains(flags, name):
	case !setting:
		return fmt.Errorf("this is not an option of sshd, which rejects a key with an unknown option. The options without a value are %s; the options with a value, such as from=192.0.2.0/24, are %s",
			strings.Join(flags, ", "), strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
	case !valued || value == "":
		return fmt.Errorf("%s requires a value: %s=…", name, name)
	case len(inner)+2 == len(value) && !strings.Contains(inner, `"`):
		return errors.New("the value must not be quoted: the provider adds quotes")
	case strings.ContainsAny(value, "\n\r\x00"):
		return errors.New("the value must be a single line")
	case strings.HasSuffix(value, `\`):
		return errors.New("the value must not end with a backslash, which authorized_keys cannot represent")
	case seen[name] && !repeats:
		return fmt.Errorf("%s is set twice: set it only once", name)
	case name == "expiry-time" && !expiry.MatchString(value):
		return errors.New("the time must be YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with a Z at the end if it is in UTC")
	case name == "environment" && !environment.MatchString(value):
		return errors.New("the value must be NAME=value")
	}
	seen[name] = true
	return nil
}

// joinOptions returns the options in the form of the file. A backslash escapes only a quote.
func joinOptions(options []option) string {
	texts := make([]string, len(options))
	for i, o := range options {
		name, value, valued := o.cut()
		if texts[i] = name; valued {
			texts[i] = name + `="` + strings.ReplaceAll(value, `"`, `\"`) + `"`
		}
	}
	return strings.Join(texts, ",")
}

// optionsEnd returns the index of the first blank outside of quotes, or the length of text.
func optionsEnd(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(blanks, text[i]) >= 0:
			return i
		}
	}
	return len(text)
}

// splitOptions parses the options of a line, and reports whether their syntax is valid.
func splitOptions(text string) (options []option, ok bool) {
	for text != "" {
		i := strings.IndexAny(text, "=,")
		if i < 0 {
			return append(options, option(text)), true
		}
		if text[i] == ',' {
			options, text = append(options, option(text[:i])), text[i+1:]
			if text == "" {
				return nil, false
			}
			continue
		}
		name, rest := text[:i], text[i+1:]
		value, after, closed := cutQuoted(rest)
		if !closed {
			return nil, false
		}
		options = append(options, option(name+"="+value))
		if after == "" {
			return options, true
		}
		if after[0] != ',' || len(after) == 1 {
			return nil, false
		}
		text = after[1:]
	}
	return options, len(options) > 0
}

// cutQuoted returns the quoted value at the start of text, without its quotes, and the rest.
func cutQuoted(text string) (value, rest string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
			b.WriteByte('"')
		case text[i] == '"':
			return b.String(), text[i+1:], true
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}
