package sshkey

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// keys returns two public keys, each with its type and without a comment.
func keys(tb testing.TB) (one, two string) {
	tb.Helper()
	word := func() string {
		return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(sshdtest.NewKey(tb).PublicKey())))
	}
	return word(), word()
}

// TestFingerprint compares fingerprints with those of golang.org/x/crypto/ssh.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{sshdtest.ED25519, sshdtest.RSA} {
		public := sshdtest.NewKeyOf(t, kind).PublicKey()
		l, err := parsePublic(string(ssh.MarshalAuthorizedKey(public)))
		if want := ssh.FingerprintSHA256(public); err != nil || l.fingerprint() != want || l.kind != public.Type() {
			t.Errorf("%s: type %s, fingerprint %s (%v), want %s and %s", kind, l.kind, l.fingerprint(), err, public.Type(), want)
		}
	}
}

func TestParseLine(t *testing.T) {
	t.Parallel()
	one, two := keys(t)
	for text, want := range map[string]string{ // the options, one per line, a bar, and the comment
		one:                          "|",
		one + " a  b ":               "|a  b",
		" \t" + one + " #x":          "|#x",
		"restrict " + one + " c\r":   "restrict|c",
		`restrict,from="a b" ` + one: "restrict\nfrom=a b|",
		`command="say \"a\\\" b, c",pty	` + one + " c": "command=say \"a\\\\\" b, c\npty|c",
		`command="a\b" ` + one:                         `command=a\b|`,
		"#" + one:                                      "none",
		"":                                             "none",
		"restrict":                                     "none",
		`from=a ` + one:                                "none",
		`from="a ` + one:                               "none",
		`from="a"b ` + one:                             "none",
		`restrict, ` + one:                             "none",
		`from="a", ` + one:                             "none",
		"restrict pty " + one:                          "none",
		one[:len(one)-20]:                              "none",
		"ssh-rsa" + one[11:]:                           "none",
		"  " + one + " " + two:                         "|" + two,
		"restrict " + two + "\t":                       "restrict|",
	} {
		got := "none"
		if l, ok := parseLine(text); ok {
			words := make([]string, len(l.options))
			for i, o := range l.options {
				words[i] = string(o)
			}
			got = strings.Join(words, "\n") + "|" + l.comment
			if _, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(text)); err != nil || strings.TrimRight(comment, " ") != l.comment || len(options) != len(l.options) {
				t.Errorf("%q: ssh.ParseAuthorizedKey returns options %q, comment %q, %v, want %d options and comment %q", text, options, comment, err, len(l.options), l.comment)
			}
		}
		if got != want {
			t.Errorf("%q is parsed as %q, want %q", text, got, want)
		}
	}
}

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	good := []option{
		"restrict", "X11-forwarding", "from=*.example.com,!bad", `command=echo "a" \b`, "environment=A=b", "environment=C=", "permitopen=h:1", "permitopen=h:2", "expiry-time=20300102Z",
	}
	if err := checkOptions(good); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"": "is not an option of sshd", "no-such": "is not an option of sshd", "restrict=yes": "restrict takes no value", "from": "from requires a value", "command=": "command requires a value",
		`command="a"`: "must not be quoted", "command=a\nb": "must be a single line", `command=a\`: "must not end with a backslash", "expiry-time=2030": "YYYYMMDD", "environment=A": "NAME=value", "a b": "not an option",
	} {
		if err := checkOptions([]option{"pty", option(text)}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "options[1] (") {
			t.Errorf("%q: error %v, want %q for options[1]", text, err, want)
		}
	}
	if err := checkOptions([]option{"from=a", "From=b"}); err == nil || !strings.Contains(err.Error(), "set twice") {
		t.Errorf("twice: error %v, want that the option is set twice", err)
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	one, two := keys(t)
	l := line{key: mustParse(t, one).key, options: []option{"pty"}, comment: "c"}
	is := "pty " + one + " c"
	for name, tt := range map[string]struct{ text, put, removed string }{
		"none":       {"", is + "\n", ""},
		"at the end": {"# x\n" + two + "\n", "# x\n" + two + "\n" + is + "\n", "# x\n" + two + "\n"},
		"no newline": {two, two + "\n" + is, two},
		"replaced":   {"a\n" + one + " d\r\nb", "a\n" + is + "\nb", "a\nb"},
		"several":    {one + "\n\xff\n restrict " + one + "\n" + two + "\n" + one, is + "\n\xff\n" + two, "\xff\n" + two},
		"two last":   {two + "\n" + one + "\n" + one, two + "\n" + is, two},
		"three":      {one + "\n" + one + "\n" + one, is, ""},
		"a comment":  {"#" + one + "\n", "#" + one + "\n" + is + "\n", "#" + one + "\n"},
		"unchanged":  {is + "\n", is + "\n", ""},
	} {
		if diff := cmp.Diff(tt.put, string(setLine([]byte(tt.text), l))); diff != "" {
			t.Errorf("%s, set (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.removed, string(removeLines([]byte(tt.text), l.fingerprint()))); diff != "" {
			t.Errorf("%s, removed (-want +got):\n%s", name, diff)
		}
	}
}

func mustParse(tb testing.TB, text string) line {
	tb.Helper()
	l, err := parsePublic(text)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// FuzzLaws checks that options are parsed as they were written, and that adding a key and
// removing it again restores the text.
func FuzzLaws(f *testing.F) {
	one, two := keys(f)
	base := mustParse(f, one)
	for _, text := range []string{"", "\n", "x", two, two + "\r\n", "# c\n\n" + two + " c\nz", "\x00\xff"} {
		for _, value := range []string{"a", `say "x"`, `a\b`, `\"`, `"`, `""`, "a,b c", `\\"\`} {
			f.Add([]byte(text), value, "a comment")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, value, comment string) {
		l := line{key: base.key, options: []option{"restrict", option("command=" + value), "pty"}, comment: strings.Trim(comment, " \t\r")}
		if checkOptions(l.options) != nil || strings.ContainsAny(comment, "\n\r\x00") || findLines(text, l.fingerprint()) != nil {
			return
		}
		got, ok := parseLine(l.String())
		if !ok || got.key != l.key || !slices.Equal(got.options, l.options) || got.comment != l.comment {
			t.Fatalf("%q is parsed as %+v, %t, want %+v", l.String(), got, ok, l)
		}
		_, _, options, _, err := ssh.ParseAuthorizedKey([]byte(l.String()))
		if err != nil || len(options) != 3 {
			t.Fatalf("%q: ssh.ParseAuthorizedKey returns %q, %v, want 3 options", l.String(), options, err)
		}
		with := setLine(text, l)
		matches := findLines(with, l.fingerprint())
		if len(matches) != 1 || matches[0].is != l.String() {
			t.Fatalf("lines of the key in %q: %+v, want one with the text %q", with, matches, l.String())
		}
		if again := setLine(with, l); !bytes.Equal(again, with) {
			t.Fatalf("after setting the line again: %q, want %q", again, with)
		}
		if out := removeLines(with, l.fingerprint()); !bytes.Equal(out, text) {
			t.Fatalf("after set and remove: %q, want %q (set: %q)", out, text, with)
		}
	})
}
