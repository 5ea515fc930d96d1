package functions_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/functions"
)

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{""}, "''"},
		{[]string{"/usr/bin/env", "a-b_c@d%e+f:g,h.i"}, "/usr/bin/env a-b_c@d%e+f:g,h.i"},
		{[]string{"a b", "it's"}, `'a b' 'it'\''s'`},
		{[]string{"''"}, `''\'''\'''`},
		{[]string{"A=b", "~", "2", "2a", "é", "if", "iff", "!", "{"}, "'A=b' '~' '2' 2a 'é' 'if' iff '!' '{'"},
		{[]string{"a\nb", `\`, "$HOME", "`x`"}, "'a\nb' '\\' '$HOME' '`x`'"},
	} {
		if got, err := functions.ShellQuote(tt.words...); got != tt.want || err != nil {
			t.Errorf("%q is %s, %v; want %s", tt.words, got, err, tt.want)
		}
	}
	_, err := functions.ShellQuote("a", "hush\x00")
	wantError(t, "NUL", err, 1, "a word must not contain a NUL byte")
	wantNoSecret(t, err)
}

// shells returns the commands of the POSIX shells of this host by name. It skips the test if the host has no shell.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range []string{"sh", "bash", "dash", "ksh", "mksh", "zsh", "yash", "busybox"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		found[name] = []string{path}
		if name == "busybox" {
			found[name] = []string{path, "sh"}
		}
	}
	if len(found) == 0 {
		t.Skip("no shell is installed")
	}
	return found
}

// run runs a script in a shell and returns its output.
func run(t *testing.T, shell []string, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell[0], append(slices.Clip(shell[1:]), "-c", script)...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", shell, err, stderr.String())
	}
	return string(out)
}

// oddWords returns each character from U+0001 to U+00FF as a word, ASCII characters also between
// letters and doubled, and words that are special to shells.
func oddWords() []string {
	words := []string{
		"", "-n", "--", "2", "007", "=", "A=b", "~", "~root", "a:~", "$HOME", "${x}", "$(id)", "`id`", "a'b", "''", `\`, `a\`, "\\\n", "\n", "a\n\nb\n",
		"*", "?", "[a-z]", "{a,b}", "!!", "#", "a#b", "a b", " ", "\t", "é", "日本", "a;b", "a&b", "a|b", "<", ">", "(", ")", "\"", "=cat", "%1", "^x",
		"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "!", "{", "}", "[[", "]]",
		"function", "select", "time", "coproc", "repeat", "foreach", "end", "namespace", "noglob", "nocorrect",
	}
	for c := 1; c < 256; c++ {
		if c < 0x80 {
			words = append(words, string(rune(c)), "a"+string(rune(c))+"b", strings.Repeat(string(rune(c)), 2))
		} else {
			words = append(words, string(rune(c)))
		}
	}
	return words
}

// TestShellsReadWords checks that each shell returns each word unchanged.
func TestShellsReadWords(t *testing.T) {
	t.Parallel()
	words := oddWords()
	line, err := functions.ShellQuote(words...)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(words, "\x00") + "\x00"
	for name, shell := range shells(t) {
		if got := run(t, shell, t.TempDir(), `printf '%s\000' `+line); got != want {
			t.Errorf("%s reads %q, want %q", name, got, want)
		}
	}
}

// TestWordsAnywhere checks words in the position of a command and before a redirection.
func TestWordsAnywhere(t *testing.T) {
	t.Parallel()
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var script strings.Builder
			for _, word := range oddWords() {
				line, err := functions.ShellQuote(word)
				if err != nil {
					t.Fatal(err)
				}
				script.WriteString("true || " + line + "\n") // parsed, but not run
			}
			dir := t.TempDir()
			two, _ := functions.ShellQuote("2")
			script.WriteString("echo " + two + ">out\n")
			run(t, shell, dir, script.String())
			if got, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(got) != "2\n" {
				t.Errorf("output of echo 2 before a redirection: %q, %v, want 2", got, err)
			}
			assigned, _ := functions.ShellQuote("A=b")
			if got := run(t, shell, dir, "A=; "+assigned+" 2>/dev/null; printf %s \"$A\""); got != "" {
				t.Errorf("the shell assigns %q to A, want nothing", got)
			}
		})
	}
}

// FuzzShellQuote checks that the shell of this host returns quoted words unchanged, and that
// a word with a NUL byte is an error.
func FuzzShellQuote(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("sh is not installed")
	}
	f.Add("a b", "it's")
	f.Add("", "\\\n$x")
	f.Add("2", "A=\xff'")
	f.Fuzz(func(t *testing.T, first, second string) {
		line, err := functions.ShellQuote(first, second)
		if nul := strings.Contains(first+second, "\x00"); nul || err != nil {
			if nul != (err != nil) {
				t.Fatalf("%q %q: error %v, want an error if and only if a word has a NUL byte", first, second, err)
			}
			return
		}
		if got := run(t, []string{sh}, t.TempDir(), `printf '%s\000' `+line); got != first+"\x00"+second+"\x00" {
			t.Errorf("%q %q are read as %q, want them unchanged", first, second, got)
		}
	})
}
