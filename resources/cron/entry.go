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

// entry is the content of a file.
type entry struct {
	schedule, user, command string
	environment             map[string]string
}

// header is the first line of every file.
const header = "# This file is managed: changes that are made by hand are undone.\n"

// maxLength limits an escaped command and a value of the environment, in bytes: some
// crons truncate or reject more than about a thousand.
const maxLength = 900

// render returns the file with the entry.
func (e entry) render() []byte {
	var b strings.Builder
	b.WriteString(header)
	for _, name := range slices.Sorted(maps.Keys(e.environment)) {
		b.WriteString(name + "=" + quote(e.environment[name]) + "\n")
	}
	b.WriteString(e.schedule + " " + e.user + " " + escape(e.command) + "\n")
	return []byte(b.String())
}

// unexpectedLines returns the lines of a file that the rendered entry does not have, without
// secrets and in the form for the state.
func (e entry) unexpectedLines(existing []byte) []string {
	expected := map[string]int{}
	for line := range strings.Lines(string(e.render())) {
		expected[strings.TrimSuffix(line, "\n")]++
	}
	lines := []string{}
	for line := range strings.Lines(string(existing)) {
		line = strings.TrimSuffix(line, "\n")
		if expected[line] > 0 {
			expected[line]--
			continue
		}
		lines = append(lines, address.Shown(e.withoutSecrets(line)))
	}
	return lines
}

// withoutSecrets returns a line without values that the configuration may mark as sensitive: the values of the
// entry's variables, and the entry's command. In a comment, the values of all variables and the commands of all
// jobs are omitted, because a job is often commented out by hand.
func (e entry) withoutSecrets(line string) string {
	bare := strings.TrimLeft(line, "# \t")
	before := line[:len(line)-len(bare)]
	comment := strings.Contains(before, "#")
	if is := assignment.FindStringSubmatch(bare); is != nil {
		if _, configured := e.environment[is[1]]; configured || comment {
			return before + is[1] + "=…"
		}
		return line
	}
	if is := job.FindStringSubmatch(bare); len(is) > 3 && checkSchedule(Schedule(is[1])) == nil {
		if comment || strings.TrimSpace(is[3]) == strings.TrimSpace(escape(e.command)) {
			return before + is[1] + " " + is[2] + " …"
		}
	}
	return line
}

// escape returns the command as a crontab contains it: a bare percent sign would end
// it.
func escape(command string) string { return strings.ReplaceAll(command, "%", `\%`) }

// unescape returns the command of a crontab. It reports false if there is a bare
// percent sign, which starts the command's input.
func unescape(text string) (command string, ok bool) {
	command = strings.ReplaceAll(text, `\%`, "%")
	return command, escape(command) == text
}

// quote returns a value of the environment in quotes, which keep leading blanks. There
// are no escapes: the quotes are of a kind that the value does not contain; a value
// with both kinds is not quoted.
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

// parse returns the entry of a file. It reports false unless the file is text with only
// variables and, after them, exactly one command without input. Blank lines and comments
// are ignored.
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
			return e, false // a second entry, or environment that does not apply to the first
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
		e.schedule, e.user = Schedule(is[1]).normalized(), is[2]
	}
	return e, e.schedule != ""
}

func checkUser(name string) error {
	if !address.IsUserName(name) {
		return errors.New("must be a user name, such as root")
	}
	return nil
}

// checkCommand returns an error for a command that cron would not pass to the shell
// unchanged.
func checkCommand(command string) error {
	switch {
	case strings.TrimLeft(command, " \t") == "":
		return errors.New("the command must not be blank")
	case strings.ContainsAny(command, "\n\r\x00"):
		return errors.New("a command must be a single line. Put longer commands into a script, for example with posix_file")
	case command[0] == ' ' || command[0] == '\t':
		return errors.New("a command must not start with a blank")
	case strings.Contains(command, `\\`) || strings.Contains(command, `\%`):
		return errors.New(`cron implementations interpret two backslashes, and a backslash before a percent sign, differently. Rewrite the command, or put it into a script. ` +
			`A percent sign needs no backslash here: the provider escapes it`)
	case len(escape(command)) > maxLength:
		return fmt.Errorf("the command is longer than %d bytes, the limit that every cron supports. Put it into a script, for example with posix_file", maxLength)
	}
	return nil
}

func checkEnvironment(environment map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		value := environment[name]
		var wrong string
		switch {
		case assignment.FindStringSubmatch(name+"=") == nil || strings.ContainsAny(name, " \t=\n"):
			wrong = "a variable name must consist of ASCII letters, digits and underscores, and must not start with a digit"
		case name == "LOGNAME" || name == "USER":
			wrong = "cron always sets it to the user"
		case strings.ContainsAny(value, "\n\r\x00"):
			wrong = "its value must be a single line"
		case strings.TrimRight(value, " \t") != value:
			wrong = "its value must not end with a blank, which cron would remove"
		case len(value) > maxLength:
			wrong = fmt.Sprintf("its value is longer than %d bytes, the limit that every cron supports", maxLength)
		case quote(value) == value && strings.ContainsAny(value[:1], "\"' \t"):
			wrong = "its value starts with a blank or a quote and has quotes of both kinds, which cron cannot represent"
		default:
			continue
		}
		return fmt.Errorf("%q: %s", name, wrong)
	}
	return nil
}
