package cron

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

// entry is what a file says.
type entry struct {
	schedule, user, command string
	environment             map[string]string
}

// header is above every entry.
const header = "# This file is managed: changes that are made by hand are undone.\n"

// longest is how long a command, as it is written, and a value of the environment may
// be, in bytes: from a thousand on, crons cut or refuse them.
const longest = 900

// render is the file of an entry.
func (e entry) render() []byte {
	var b strings.Builder
	b.WriteString(header)
	for _, name := range slices.Sorted(maps.Keys(e.environment)) {
		b.WriteString(name + "=" + quote(e.environment[name]) + "\n")
	}
	b.WriteString(e.schedule + " " + e.user + " " + escape(e.command) + "\n")
	return []byte(b.String())
}

// escape is a command as cron is told it: a percent sign would end it.
func escape(command string) string { return strings.ReplaceAll(command, "%", `\%`) }

// unescape is the command that a shell gets, if it is all that there is: behind a bare
// percent sign is input.
func unescape(text string) (command string, ok bool) {
	command = strings.ReplaceAll(text, `\%`, "%")
	return command, escape(command) == text
}

// quote is a value of the environment so that blanks at its begin stay. There are no
// escapes: a value is between quotes that it does not have, or between none.
func quote(value string) string {
	for _, mark := range []string{`"`, "'"} {
		if !strings.Contains(value, mark) {
			return mark + value + mark
		}
	}
	return value
}

func unquote(text string) string {
	for _, mark := range []string{`"`, "'"} {
		if len(text) > 1 && strings.HasPrefix(text, mark) && strings.HasSuffix(text, mark) {
			return text[1 : len(text)-1]
		}
	}
	return text
}

var (
	assignment = regexp.MustCompile(`^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*?)[ \t]*$`)
	job        = regexp.MustCompile(`^[ \t]*(@[a-z]+|(?:[^ \t]+[ \t]+){4}[^ \t]+)[ \t]+([^ \t]+)[ \t]+(.+)$`)
)

// parse reads a file, if it says one thing to do and nothing else than that and its
// environment. Comments do not count.
func parse(text []byte) (e entry, ok bool) {
	if !address.IsText(string(text)) {
		return e, false
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if trimmed := strings.TrimLeft(line, " \t"); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if e.schedule != "" {
			return e, false // another one, or an environment that is not for this one
		}
		if is := assignment.FindStringSubmatch(line); is != nil {
			if e.environment == nil {
				e.environment = map[string]string{}
			}
			e.environment[is[1]] = unquote(is[2])
			continue
		}
		is := job.FindStringSubmatch(line)
		if is == nil {
			return e, false
		}
		if e.command, ok = unescape(is[3]); !ok {
			return e, false
		}
		e.schedule, e.user = Schedule(is[1]).words(), is[2]
	}
	return e, e.schedule != ""
}

func checkUser(name string) error {
	if !address.IsUserName(name) {
		return errors.New("must be a user name, such as root")
	}
	return nil
}

// checkCommand refuses what does not come to the shell as it is.
func checkCommand(command string) error {
	switch {
	case strings.TrimLeft(command, " \t") == "":
		return errors.New("the command must not be empty")
	case strings.ContainsAny(command, "\n\r\x00"):
		return errors.New("a command must be a single line. Put longer commands into a script, for example with posix_file")
	case command[0] == ' ' || command[0] == '\t':
		return errors.New("a command must not start with a blank")
	case strings.Contains(command, `\\`) || strings.Contains(command, `\%`):
		return errors.New(`cron implementations interpret two backslashes, and a backslash before a percent sign, differently. Rewrite the command, or put it into a script. ` +
			`A percent sign needs no backslash here: the provider escapes it`)
	case len(escape(command)) > longest:
		return fmt.Errorf("the command is longer than %d bytes, the limit that every cron supports. Put it into a script, for example with posix_file", longest)
	}
	return nil
}

func checkEnvironment(environment map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		value := environment[name]
		var wrong string
		switch {
		case assignment.FindStringSubmatch(name+"=") == nil || strings.ContainsAny(name, " \t=\n"):
			wrong = "a variable name must consist of letters, digits and underscores"
		case name == "LOGNAME" || name == "USER":
			wrong = "cron always sets it to the user"
		case strings.ContainsAny(value, "\n\r\x00"):
			wrong = "its value must be a single line"
		case strings.TrimRight(value, " \t") != value:
			wrong = "its value must not end with a blank, which cron would remove"
		case len(value) > longest:
			wrong = fmt.Sprintf("its value is longer than %d bytes, the limit that every cron supports", longest)
		case quote(value) == value && strings.ContainsAny(value[:1], "\"' \t"):
			wrong = "its value starts with a blank or a quote and has quotes of both kinds, which cron cannot represent"
		default:
			continue
		}
		return fmt.Errorf("%q: %s", name, wrong)
	}
	return nil
}
