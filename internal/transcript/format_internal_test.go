package transcript

import (
	"strings"
	"testing"
)

// FuzzParse checks that printing a parsed transcript and parsing it again changes
// nothing.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"# a head\nfile \"/f\" 0644\n: text\n:\"no end\"\nlink \"/l\" \"to\"\ndir \"/d\" 0755\n\n$ \"a\" \"b c\"\nin \"/srv\"\n< in\n> out\n>\n! err\n= 143 TERM\ngone \"/f\"\n\n?? \"sh\"\n",
		"? \"a\"\n>\"\\x00\"\n", ": no file", "$", "= x", "file \"/f\"", "in", "> before any call", "word",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err != nil {
			return
		}
		printed := s.String()
		again, err := parse(printed)
		if err != nil || again.String() != printed || len(again.calls) != len(s.calls) {
			t.Fatalf("%q is printed as %q, which is parsed as %q (error %v)", text, printed, again, err)
		}
		for i, c := range s.calls {
			if got := again.calls[i]; got.key() != c.key() || got.stdout != c.stdout || got.stderr != c.stderr || got.readOnly != c.readOnly || got.result != c.result {
				t.Errorf("the call %+v is parsed as %+v", c, got)
			}
		}
	})
}

// FuzzText checks that any text is preserved as an argument, directory, input or output.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "\n", "a", "a\n\n", "a \n", "\x00\n", "\t\n", "é\r\n", "\xff", "\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		was := script{calls: []call{{args: []string{"a", text}, dir: text, stdin: text, stdout: text, stderr: text}}}
		is, err := parse(was.String())
		if err != nil || len(is.calls) != 1 {
			t.Fatalf("%q is parsed as %q, error %v, want one call", was, is, err)
		}
		c := is.calls[0]
		if c.key() != was.calls[0].key() || c.stdout != text || c.stderr != text || c.stdin != text || c.dir != text {
			t.Errorf("%q is parsed as %+v", text, c)
		}
	})
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"word", "$", "$ unquoted", ": no file", "> no call", "$ \"a\"\n= x", "$ \"a\"\nin x", "file \"/f\"", "file \"/f\" x", "link \"/l\" x", "$ \"a\"\n>x", "$ \"a\"\n: no file"} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: got error %v, want an error with the line number", text, err)
		}
	}
}
