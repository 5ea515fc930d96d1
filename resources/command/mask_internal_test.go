package command

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	t.Parallel()
	const gone = "(sensitive value)"
	long := strings.Repeat("line\n", 1000)
	for name, tt := range map[string]struct {
		text    string
		secrets []string
		want    string
		part    bool
	}{
		"plain":                               {text: " a\tb\n\nc\n", want: "a\tb\n\nc"},
		"secret":                              {"say hunter2, hunter2", []string{"hunter2"}, "say " + gone + ", " + gone, false},
		"secret within another":               {"swordfish-19 swordfish", []string{"swordfish", "swordfish-19"}, gone + " " + gone, false},
		"secret with an escape":               {"pass\x1bword", []string{"pass\x1bword"}, gone, false},
		"secret split by an escape sequence":  {"pass\x1b[1mword", []string{"password"}, gone, false},
		"secret split by a bell":              {"pass\aword", []string{"password"}, gone, false},
		"line of a secret":                    {"a key: BBBB", []string{"AAAA\nBBBB\n"}, "a key: " + gone, false},
		"empty and short secrets":             {"text", []string{"", " ", "tex"}, "text", false},
		"terminal sequences":                  {"a\x1b[2Jb\rc\u009bd\x1b]0;x\x1b\\e\x00", nil, "abcde", false},
		"trailing escape":                     {"a\x1b", nil, "a", false},
		"cut at a line":                       {long + "end", nil, strings.Repeat("line\n", 399) + "end", true},
		"cut within a line":                   {strings.Repeat("x", 5000), nil, strings.Repeat("x", maxShown), true},
		"cut within a character":              {strings.Repeat("é", 5000) + "x", nil, strings.Repeat("é", maxShown/2-1) + "x", true},
		"only white space":                    {text: " \n \x1b[0m ", want: ""},
		"cut within a secret":                 {strings.Repeat("hunter2", 1000), []string{"hunter2"}, "", true},
		"CRLF":                                {"a\r\nb\r\n", nil, "a\nb", false},
		"secret with surrounding white space": {"-----BEGIN key\nAAAABBBB\n", []string{"  AAAABBBB  "}, "-----BEGIN key\n" + gone, false},
		"secret with another secret within":   {"one1 two2", []string{"one1 two2", "two2"}, gone, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, whole := truncate(tt.text, true, tt.secrets)
			if name == "cut within a secret" {
				if strings.Contains(got, "hunt") || whole {
					t.Errorf("truncate returned %q (whole: %t), want a part without the secret", got, whole)
				}
				return
			}
			if got != tt.want || whole == tt.part {
				t.Errorf("truncate returned %q (whole: %t), want %q (whole: %t)", got, whole, tt.want, !tt.part)
			}
		})
	}
}

// TestMaskEncodings checks that secrets are masked in common encodings.
func TestMaskEncodings(t *testing.T) {
	t.Parallel()
	const secret = `pa"ss<'wörd'> &\`
	for name, text := range map[string]string{
		"JSON":                    `{"a":"pa\"ss\u003c'wörd'\u003e \u0026\\"}`,
		"JSON, HTML unescaped":    `{"a":"pa\"ss<'wörd'> &\\"}`,
		"quoted for a shell":      `export A='pa"ss<'\''wörd'\''> &\'`,
		"quoted by dash":          `A='pa"ss<'"'"'wörd'"'"'> &\'`,
		"a query":                 `?a=pa%22ss%3C%27w%C3%B6rd%27%3E+%26%5C&b=c`,
		"a path":                  `/pa%22ss%3C%27w%C3%B6rd%27%3E%20&%5C/`,
		"hexadecimal":             hex.EncodeToString([]byte(secret)),
		"base64":                  base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 at offset 0":      base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
		"base64 at offset 2":      base64.StdEncoding.EncodeToString([]byte("user:" + secret + "!")),
		"base64url at offset 1":   base64.URLEncoding.EncodeToString([]byte("admin1:" + secret + "!!")),
		"base64 of several lines": base64.StdEncoding.EncodeToString([]byte("first line\n" + secret + "\n")),
	} {
		for _, secrets := range [][]string{{secret}, {"first line\n" + secret + "\n"}} {
			got, _ := truncate(text, true, secrets)
			left, right, found := strings.Cut(got, "(sensitive value)")
			if !found || len(left)+len(right) > 20 { // the text around the secret, partly in shared base64 characters
				t.Errorf("%s: truncate returned %q, want the secret masked", name, got)
			}
		}
	}
	if got, _ := truncate(`YWI= 6162 ab \u0026\u0026`, true, []string{"ab", "&&"}); got != `YWI= 6162 ab \u0026\u0026` {
		t.Errorf("truncate returned %q, want the short secrets not masked", got)
	}
}

// TestMaskCost checks that the patterns of secrets are computed once for all lines of output, and not
// at all without output: standard input may have many lines.
func TestMaskCost(t *testing.T) {
	secrets := []string{strings.Repeat("a line of the input\n", 1000)}
	stdout, _ := (&job{masked: secrets, report: func(string) {}}).lineReporters()
	if n := testing.AllocsPerRun(10, func() { _, _ = stdout.Write([]byte("a line of the output\n")) }); n > 1000 {
		t.Errorf("%.0f allocations for each line of output, want at most 1000", n)
	}
	if n := testing.AllocsPerRun(10, func() { containsAny("", secrets) }); n > 0 {
		t.Errorf("%.0f allocations without output, want none", n)
	}
}

// FuzzCapture checks that a capture has the beginning and the end of the output, for
// writes of any size, in bounded memory.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("text\n"), uint32(1), uint32(3))
	f.Add([]byte("0123456789abcdef"), uint32(1<<17), uint32(100_000))
	f.Add([]byte("é"), uint32(1<<19), uint32(maxTail+1))
	f.Add([]byte("x"), uint32(1<<20+1), uint32(4096))
	f.Fuzz(func(t *testing.T, unit []byte, times, piece uint32) {
		if len(unit) == 0 || len(unit)*int(times) > 4<<20 {
			return
		}
		all := bytes.Repeat(unit, int(times))
		c := newCapture()
		for rest := all; len(rest) > 0; {
			n := min(len(rest), int(piece%(3*maxTail))+1)
			if wrote, err := c.Write(rest[:n]); err != nil || wrote != n {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if !bytes.HasPrefix(all, c.head) || len(c.head) != min(len(all), maxOutput) {
			t.Errorf("the head of %d bytes is not the first %d bytes of the output", len(c.head), min(len(all), maxOutput))
		}
		end, whole := c.tail.Text()
		if want := strings.ToValidUTF8(string(all[max(0, len(all)-maxTail):]), "\uFFFD"); end != want {
			t.Errorf("the tail of %d bytes is not the last %d bytes of the output", len(end), len(want))
		}
		if whole != (len(all) <= maxTail) {
			t.Errorf("the tail of %d bytes of output is complete: %t, want %t", len(all), whole, !whole)
		}
		text, why := c.text()
		if (text == nil) != (why != "") || text != nil && strings.HasSuffix(*text, "\n") {
			t.Errorf("text %t, reason %q, want one of them, and no newline at the end", text != nil, why)
		}
		if text != nil && *text+strings.Repeat("\n", len(all)-len(*text)) != string(all) {
			t.Error("the text differs from the output")
		}
	})
}
