package functions_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/resources/functions"
)

func TestEnvEncode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		variables map[string]*string
		want      string
	}{
		"no variables":   {nil, ""},
		"sorted":         {map[string]*string{"B": new("2"), "A": new("1"), "_a1": new("x,y/z")}, "A=1\nB=2\n_a1=x,y/z\n"},
		"empty and null": {map[string]*string{"A": new(""), "B": nil}, "A=\n"},
		"quoted":         {map[string]*string{"A": new("a b"), "B": new(`it's "$5" \ ` + "`x`"), "C": new("é"), "D": new("=~")}, "A=\"a b\"\nB=\"it's \\\"\\$5\\\" \\\\ \\`x\\`\"\nC=\"é\"\nD=\"=~\"\n"},
		"line breaks":    {map[string]*string{"A": new("1\n\n2\\\n\t3\n")}, "A=\"1\n\n2\\\\\n\t3\n\"\n"},
	} {
		if got, err := functions.EnvEncode(tt.variables); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
	for name, tt := range map[string]struct{ key, value, says string }{
		"not a valid variable name": {"", "x", `"" is not a valid variable name`},
		"leading digit":             {"1A", "x", `"1A" is not a valid variable name`},
		"dash":                      {"A-B", "x", `"A-B" is not a valid variable name`},
		"non-ASCII letter":          {"É", "x", "is not a valid variable name: use ASCII letters"},
		"line break in name":        {"A\nB", "x", `"A\nB" is not a valid variable name`},
		"NUL in value":              {"A", "hush\x00", "the variable A has a control character (0x00)"},
		"carriage return in value":  {"A", "hush\r\n", "the variable A has a control character (0x0d)"},
		"DEL in value":              {"A", "hush\x7f", "the variable A has a control character (0x7f)"},
	} {
		_, err := functions.EnvEncode(map[string]*string{tt.key: &tt.value})
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
	_, err := functions.EnvEncode(map[string]*string{"A B": nil})
	wantError(t, "null with an invalid name", err, 0, "is not a valid variable name")
}

// readable has texts that shells and systemd read in the same way, with the values.
var readable = map[string]struct {
	text string
	want map[string]string
}{
	"no variables":                {"", map[string]string{}},
	"comments":                    {"# A=1\n  # B\n\n \t\n#", map[string]string{}},
	"plain":                       {"A=1\nB=x=y#z", map[string]string{"A": "1", "B": "x=y#z"}},
	"empty":                       {"A=\nB=''\nC=\"\"\n", map[string]string{"A": "", "B": "", "C": ""}},
	"blanks":                      {" \tA=1 \t\n B='x'  \n", map[string]string{"A": "1", "B": "x"}},
	"duplicate name":              {"A=1\nA=2\n", map[string]string{"A": "2"}},
	"single quotes":               {`A='$x \ "y" '` + "\n", map[string]string{"A": `$x \ "y" `}},
	"double quotes":               {`A="it's \"a\" \$b \` + "`c\\` \\\\ \\d \"\n", map[string]string{"A": "it's \"a\" $b `c` \\ \\d "}},
	"line breaks in quotes":       {"A='1\n2'\nB=\"3\n4\"\n", map[string]string{"A": "1\n2", "B": "3\n4"}},
	"mixed quotes":                {`A='a'"'"'b'c` + "\n", map[string]string{"A": "a'bc"}},
	"backslashes":                 {`A=a\ b\"\'\\\$\~\x` + "\n", map[string]string{"A": `a b"'\$~x`}},
	"line continuation":           {"A=a\\\nb\nB=\"c\\\nd\"\nC=\\\n\n", map[string]string{"A": "ab", "B": "cd", "C": ""}},
	"escaped blank at the end":    {"A=a\\  \n", map[string]string{"A": "a "}},
	"non-ASCII":                   {"A=é\nB=\"日本\"\nC=\\é\n", map[string]string{"A": "é", "B": "日本", "C": "é"}},
	"unquoted special characters": {"A=a#b!\nB={x,y}*?[z]^%\n", map[string]string{"A": "a#b!", "B": "{x,y}*?[z]^%"}},
}

func TestEnvDecode(t *testing.T) {
	t.Parallel()
	for name, tt := range readable {
		got, err := functions.EnvDecode(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for name, tt := range map[string]struct{ text, says string }{
		"no assignment":                  {"A=1\nhush\n", "line 2: a line must have a name, an equals sign and a value"},
		"blank before equals sign":       {"hush =1\n", "line 1: the text before the equals sign is not a valid variable name"},
		"non-ASCII letter":               {"É=hush\n", "line 1: the text before the equals sign is not a valid variable name: use ASCII letters"},
		"append operator":                {"A+=hush\n", "line 1: the text before the equals sign is not a valid variable name"},
		"export":                         {"export A=hush\n", "line 1: systemd does not support export"},
		"blank after equals sign":        {"A= hush\n", "line 1: a shell interprets the text after a blank"},
		"two words":                      {"A=hush hush\n", "line 1: a shell interprets the text after a blank"},
		"comment after value":            {"A=1 # hush\n", "line 1: a shell interprets the text after a blank"},
		"two quoted words":               {"A='hush' 'hush'\n", "line 1: a shell interprets the text after a blank"},
		"quote in unquoted value":        {"A=hush'x'\n", "line 1: systemd does not interpret a quote within an unquoted value"},
		"quote after line continuation":  {"A=\\\n'hush'\n", "line 2: systemd does not interpret a quote within an unquoted value"},
		"escaped single quote":           {`A='it'\''s'`, "line 1: systemd does not interpret a quote within an unquoted value"},
		"variable expansion":             {"A=$hush\n", "line 1: $ and backquotes are expanded"},
		"variable expansion in quotes":   {"A=1\nB=\"2\n$hush\"\n", "line 3: $ and backquotes are expanded"},
		"command substitution in quotes": {"A=\"`hush`\"\n", "line 1: $ and backquotes are expanded"},
		"command substitution":           {"A=`hush`\n", "line 1: $ and backquotes are expanded"},
		"command separator":              {"A=1;hush\n", "line 1: the characters | & ; < > ( ) ~"},
		"array":                          {"A=(hush)\n", "line 1: the characters | & ; < > ( ) ~"},
		"tilde expansion":                {"A=~hush\n", "line 1: the characters | & ; < > ( ) ~"},
		"unclosed single quote":          {"A=1\nB='hush\nC=3\n", "line 2: a quote is not closed"},
		"unclosed double quote":          {"A=\"hush\\\"\n", "line 1: a quote is not closed"},
		"unclosed quote after backslash": {"A=\"hush\\", "line 1: a quote is not closed"},
		"backslash at the end":           {"A=hush\\", "line 1: a backslash must be followed by a character"},
		"semicolon comment":              {"; hush\n", "line 1: a comment that starts with ;"},
		"comment with line continuation": {"# hush\\\nA=1\n", "line 1: a comment that ends with a backslash"},
		"CRLF":                           {"A=hush\r\n", "line 1: control characters other than tabs are not supported"},
		"comment with CRLF":              {"# hush\r\n", "line 1: control characters other than tabs are not supported"},
		"NUL in quotes":                  {"A='hush\x00'", "line 1: control characters other than tabs are not supported"},
		"escaped NUL":                    {"A=\\\x00hush", "line 1: control characters other than tabs are not supported"},
		"escaped NUL in quotes":          {"A=\"\\\x00hush\"", "line 1: control characters other than tabs are not supported"},
	} {
		_, err := functions.EnvDecode(tt.text)
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
}

// FuzzEnvDecode checks that decoded values can be encoded, and are then decoded to the
// same values.
func FuzzEnvDecode(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(readable)) {
		f.Add(readable[name].text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		variables, err := functions.EnvDecode(text)
		if err != nil {
			return
		}
		pointers := map[string]*string{}
		for name, value := range variables {
			pointers[name] = &value
		}
		encoded, err := functions.EnvEncode(pointers)
		if err != nil {
			t.Fatalf("%q cannot be encoded: %v", variables, err)
		}
		again, err := functions.EnvDecode(encoded)
		if diff := cmp.Diff(variables, again); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", encoded, err, diff)
		}
	})
}

// EnvDecode and EnvEncode are compared with the programs that read environment files: shells,
// and systemd's parser, through a program for environment.d, which runs without a service
// manager. That program expands variables and ignores empty values, so dollar signs and
// empty values are only tested with shells.

const environmentD = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"

// bySystemd returns the variables that systemd reads.
func bySystemd(t *testing.T, text string, names []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	conf := filepath.Join(dir, "environment.d")
	if err := os.Mkdir(conf, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf, "zz.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), environmentD)
	cmd.Env = []string{"XDG_CONFIG_HOME=" + dir, "LC_ALL=C.UTF-8"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("systemd: %v: %s\n%q", err, stderr.String(), text)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !slices.Contains(names, name) {
			continue // inherited by the process
		}
		if inner, quoted := strings.CutPrefix(value, `"`); quoted {
			inner = strings.NewReplacer("\\$", "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
			if value, err = strconv.Unquote(`"` + inner + `"`); err != nil {
				t.Fatalf("%v in the output of systemd: %s", err, line)
			}
		}
		found[name] = value
	}
	return found
}

// byShell returns the variables that a shell has after it has sourced a text.
func byShell(t *testing.T, shell []string, text string, names []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	script := ". ./file || exit\n"
	for _, name := range names {
		script += `printf '%s\000' "${` + name + "?}\"\n"
	}
	found := map[string]string{}
	for i, value := range strings.SplitAfter(run(t, shell, dir, script), "\x00") {
		if i < len(names) {
			found[names[i]] = strings.TrimSuffix(value, "\x00")
		}
	}
	return found
}

// wantRead checks that the shells read the variables want from text, and that systemd's program does, if
// it is installed and supports text.
func wantRead(t *testing.T, text string, want map[string]string, shells map[string][]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	for name, shell := range shells {
		if diff := cmp.Diff(want, byShell(t, shell, text, names)); diff != "" {
			t.Errorf("%s reads %q (-want +got):\n%s", name, text, diff)
		}
	}
	if _, err := os.Stat(environmentD); err != nil || strings.Contains(text, "$") || !utf8.ValidString(text) {
		return
	}
	if slices.Contains(slices.Collect(maps.Values(want)), "") {
		return
	}
	if diff := cmp.Diff(want, bySystemd(t, text, names)); diff != "" {
		t.Errorf("systemd reads %q (-want +got):\n%s", text, diff)
	}
}

// TestReadersOfEnv checks that shells and systemd read the values of readable, which EnvDecode returns.
func TestReadersOfEnv(t *testing.T) {
	t.Parallel()
	for name, tt := range readable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRead(t, tt.text, tt.want, shells(t))
		})
	}
}

// TestReadersOfEncodedEnv checks that shells and systemd read the variables that EnvEncode
// encoded, for each nonempty word of oddWords that it accepts.
func TestReadersOfEncodedEnv(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"all but dollar signs", "dollar signs"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			pointers, want := map[string]*string{}, map[string]string{}
			for i, word := range oddWords() {
				if strings.Contains(word, "$") != (kind == "dollar signs") {
					continue
				}
				variable := "V" + strconv.Itoa(i)
				if _, err := functions.EnvEncode(map[string]*string{variable: &word}); err != nil {
					continue // a control character
				}
				if word == "" {
					continue // not supported by systemd's program
				}
				pointers[variable], want[variable] = &word, word
			}
			if kind != "dollar signs" && len(want) < 300 {
				t.Errorf("%d words can be encoded, want at least 300", len(want))
			}
			text, err := functions.EnvEncode(pointers)
			if err != nil {
				t.Fatal(err)
			}
			wantRead(t, text, want, shells(t))
		})
	}
}

// FuzzReadersOfEnv checks that the shell of this host and systemd, if installed, agree
// with EnvDecode.
func FuzzReadersOfEnv(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("sh is not installed")
	}
	for _, name := range slices.Sorted(maps.Keys(readable)) {
		f.Add(strings.NewReplacer("A=", "FUZZ_A=", "B=", "FUZZ_B=").Replace(readable[name].text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := functions.EnvDecode(text)
		if err != nil {
			return
		}
		for name := range want {
			if !strings.HasPrefix(name, "FUZZ_") {
				return // the name may be special to a shell
			}
		}
		wantRead(t, text, want, map[string][]string{"sh": {sh}})
	})
}
