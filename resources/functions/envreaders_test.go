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

// Environment files are compared with the programs that read them: shells, and systemd's
// parser, through a program for environment.d, which runs without a service manager. It
// expands variables and ignores empty values, so these and dollar signs are only tested
// with shells.

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
				t.Fatalf("%v: %s", err, line)
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

// wantRead checks that all readers read these variables.
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

// TestReadersOfEnv compares EnvDecode with the readers.
func TestReadersOfEnv(t *testing.T) {
	t.Parallel()
	for name, tt := range readable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRead(t, tt.text, tt.want, shells(t))
		})
	}
}

// TestReadersOfEncodedEnv checks that the readers read the variables that EnvEncode has
// encoded, for each character.
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
				t.Errorf("only %d words can be encoded", len(want))
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
		f.Skip("there is no shell")
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
				return // it may be special to a shell
			}
		}
		wantRead(t, text, want, map[string][]string{"sh": {sh}})
	})
}
