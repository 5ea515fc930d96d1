package cron

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
)

func TestRender(t *testing.T) {
	t.Parallel()
	e := entry{
		schedule: "30 4 * * mon", user: "www-data", command: `date +%F "a  b" %%`,
		environment: map[string]string{"B": `say "x"`, "A": "", "C": `it's "x"`, "D": "  two blanks"},
	}
	want := header + "A=\"\"\nB='say \"x\"'\nC=it's \"x\"\nD=\"  two blanks\"\n30 4 * * mon www-data date +\\%F \"a  b\" \\%\\%\n"
	if diff := cmp.Diff(want, string(e.render())); diff != "" {
		t.Errorf("rendered entry (-want +got):\n%s", diff)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	plain := entry{schedule: "* * * * *", user: "u", command: "c"}
	with := func(name, value string) entry {
		e := plain
		e.environment = map[string]string{name: value}
		return e
	}
	for text, want := range map[string]entry{
		"* * * * * u c\n":                            plain,
		"\n # x\n\t*  *\t* * *   u \t c":             plain,
		"@daily u a  b \n":                           {schedule: "@daily", user: "u", command: "a  b "},
		"* * * * * u a\\%b\\c\n":                     {schedule: "* * * * *", user: "u", command: `a%b\c`},
		"A=b\n* * * * * u c\n":                       with("A", "b"),
		" A =  b c \n* * * * * u c\n":                with("A", "b c"),
		"A='b \"'\n* * * * * u c\n":                  with("A", `b "`),
		"A=\"\"\n* * * * * u c\n":                    with("A", ""),
		"* * * * * u A=b c\n":                        {schedule: "* * * * *", user: "u", command: "A=b c"},
		"":                                           {},
		"# nothing\n":                                {},
		"A=b\n":                                      {},
		"* * * * * u\n":                              {},
		"* * * * u c\n":                              {},
		"* * * * * u c\n* * * * * u d\n":             {},
		"* * * * * u c\nA=b\n":                       {},
		"* * * * * u c%input\n":                      {},
		"* * * * * u \xff\n":                         {},
		"* * * * * u e\u0301\n":                      {},
		"A=b\nwhat is this\n* * * * * u c\n":         {},
		"SHELL=/bin/sh\r\n* * * * * u c # no line\n": {schedule: "* * * * *", user: "u", command: "c # no line", environment: map[string]string{"SHELL": "/bin/sh\r"}},
	} {
		got, ok := parse([]byte(text))
		if ok != (want.user != "") || ok && !cmp.Equal(want, got, cmp.AllowUnexported(entry{})) {
			t.Errorf("%q is parsed as %+v, %t; want %+v, %t", text, got, ok, want, want.user != "")
		}
	}
}

// cronCommand returns the command that cron runs for the command of a crontab. It removes a
// backslash before a percent sign and, if pairs is set, a backslash before another backslash, as
// some crons do. A bare percent sign ends the command.
func cronCommand(text string, pairs bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%':
			return b.String()
		case c != '\\' || i+1 == len(text):
			b.WriteByte(c)
		default:
			i++
			if text[i] != '%' && (text[i] != '\\' || !pairs) {
				b.WriteByte('\\')
			}
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// FuzzEntry checks that a rendered entry is parsed to the same entry, and that the shell gets the
// configured command, whether or not cron interprets pairs of backslashes.
func FuzzEntry(f *testing.F) {
	for _, seed := range [][4]string{
		{"* * * * *", "date +%F", "A", "b"},
		{"@daily", `a\b\`, "PATH", "/bin:'"},
		{"@reboot", "%", "X", `"`},
		{"0 0 * * 0", `\\%`, "_", " a"},
		{"0 0 * * 7", "é", "Z", `a'"`},
		{"1 2 3 4 5", "A=b", "A", "'b\""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, schedule, command, name, value string) {
		for _, text := range []*string{&schedule, &command, &name, &value} {
			*text = cty.NormalizeString(strings.ToValidUTF8(*text, ""))
		}
		e := entry{schedule: Schedule(schedule).normalized(), user: "root", command: command, environment: map[string]string{name: value}}
		if checkSchedule(Schedule(schedule)) != nil || checkCommand(command) != nil || checkEnvironment(e.environment) != nil {
			return
		}
		text := e.render()
		got, ok := parse(text)
		if diff := cmp.Diff(e, got, cmp.AllowUnexported(entry{}), cmpopts.EquateEmpty()); diff != "" || !ok {
			t.Fatalf("entry parsed from %q (-want +got):\n%s", text, diff)
		}
		for _, pairs := range []bool{false, true} {
			if got := cronCommand(escape(command), pairs); got != command {
				t.Fatalf("the shell gets %q with pairs %t, want %q", got, pairs, command)
			}
		}
	})
}

// FuzzParse checks that a parsed entry with a valid environment can be rendered and parsed
// again, to an equal entry if its command is valid too.
func FuzzParse(f *testing.F) {
	f.Add([]byte(header + "A=\"b\"\n* * * * * root c\n"))
	f.Add([]byte("A = b\n@daily  root c\\%\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, ok := parse(text)
		if !ok {
			return
		}
		again, ok := parse(e.render())
		if !ok && checkEnvironment(e.environment) == nil {
			t.Fatalf("%q is parsed to %+v; its rendered text %q cannot be parsed, want an entry", text, e, e.render())
		}
		if checkEnvironment(e.environment) == nil && checkCommand(e.command) == nil && !cmp.Equal(e, again, cmp.AllowUnexported(entry{}), cmpopts.EquateEmpty()) {
			t.Fatalf("%+v is rendered and parsed as %+v, want it unchanged", e, again)
		}
	})
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"* * * * *", "*/5 * * * *", "0-30/10,45 0,12 1 jan-mar,DEC *", "59 23 31 12 7", "0 0 * * mon-fri", "0 0 * * fri-7", "00 07 * * sun", "0 0 29 2 *", "0 0 30 2 mon", "0 0 31 2,3 *",
		"@daily", " @reboot ", "1\t2  3 4 5", "*/59 * * * *", "5,*/20 * * * *", "1-1 * * * *",
	} {
		if err := checkSchedule(Schedule(good)); err != nil {
			t.Errorf("%q: error %v, want none", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":                    "this one has 0",
		"* * * *":             "this one has 4",
		"* * * * * *":         "this one has 6",
		"@every 5m":           "this one has 2",
		"@Daily":              "@Daily is not a schedule. Use one of @reboot, @yearly",
		"60 * * * *":          `the minute: "60" is not a number from 0 to 59`,
		"* 24 * * *":          `the hour: "24"`,
		"* * 0 * *":           `the day of the month: "0" is not a number from 1 to 31`,
		"* * 32 * *":          `the day of the month: "32"`,
		"* * * 13 *":          `the month: "13"`,
		"* * * january *":     "one of jan, feb",
		"* * * * 8":           `the day of the week: "8"`,
		"* * * * mo":          "one of sun, mon",
		"* * * * fri-sun":     "use 7 for Sunday at the end of a range",
		"30-10 * * * *":       "the range ends before it starts",
		"*/0 * * * *":         "the step must be from 1 to 59",
		"*/60 * * * *":        "the step must be from 1 to 59",
		"* */24 * * *":        "the step must be from 1 to 23",
		"5/15 * * * *":        "a step must follow a range, such as 5-59/15",
		"*/ * * * *":          `"*/": the step must be from 1 to 59`,
		"*/100 * * * *":       `"*/100": the step must be from 1 to 59`,
		"1,,2 * * * *":        "an empty value is not a number",
		"1- * * * *":          "an empty value is not a number",
		"-1 * * * *":          "an empty value is not a number",
		"+1 * * * *":          `"+1"`,
		"007 * * * *":         `"007"`,
		"*-5 * * * *":         `"*"`,
		"1\u00a0* * * * *":    "the minute: ",
		"1\f* * * * *":        "the minute: ",
		"0 0 30 2 *":          "no month of the schedule has a day",
		"0 0 31 feb,apr *":    "no month of the schedule has a day",
		"0 0 ? * *":           `"?"`,
		"* * * * *\n* * * * ": "a single line",
	} {
		if err := checkSchedule(Schedule(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", bad, err, want)
		}
	}
}
