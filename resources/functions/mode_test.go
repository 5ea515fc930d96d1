package functions_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/functions"
)

func TestMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ spec, base, want string }{
		{"750", "", "0750"},
		{"0750", "0644", "0750"},
		{"4755", "", "4755"},
		{"u=rwx,g=rx,o=", "", "0750"},
		{"a+x", "0644", "0755"},
		{"a+x", "", "0111"},
		{"go-w", "0666", "0644"},
		{"ug=rw,o=r", "", "0664"},
		{"u+r-x", "0300", "0600"},
		{"a=", "7777", "0000"},
		{"u=", "7777", "3077"},
		{"g=u", "0750", "0770"},
		{"o=g-w", "0060", "0064"},
		{"u+s", "0755", "4755"},
		{"g+s", "0755", "2755"},
		{"o+s", "0755", "0755"},
		{"a+t", "0777", "1777"},
		{"u+t", "0777", "0777"},
		{"a+X", "0644", "0644"},
		{"a+X", "0744", "0755"},
		{"u+x,a+X", "0644", "0755"},
		{"a-X", "0755", "0644"},
	} {
		var base []string
		if tt.base != "" {
			base = []string{tt.base}
		}
		if got, err := functions.Mode(tt.spec, base...); got != tt.want || err != nil {
			t.Errorf("%s of %q is %q, %v; want %q", tt.spec, tt.base, got, err, tt.want)
		}
	}
}

func TestModeErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		spec  string
		base  []string
		index int
		says  string
	}{
		{"", nil, 0, "octal digits"},
		{"8", nil, 0, "octal digits"},
		{"00755", nil, 0, "octal digits"},
		{"u+x,", nil, 0, `the clause "" of the mode is empty`},
		{"+x", nil, 0, "u, g, o or a"},
		{"rwxr-xr-x", nil, 0, "u, g, o or a"},
		{"u", nil, 0, "=, + or -"},
		{"u+q", nil, 0, `'q', but r, w, x, X, s or t`},
		{"u+rg", nil, 0, "copied on their own"},
		{"u*r", nil, 0, `"*", but =, + or -`},
		{"a+x, u+r", nil, 0, `the clause " u+r"`},
		{"a+x", []string{"u+r"}, 1, "octal digits"},
		{"a+x", []string{"0644", "0644"}, 2, "one base"},
	} {
		_, err := functions.Mode(tt.spec, tt.base...)
		wantError(t, fmt.Sprintf("%s of %q", tt.spec, tt.base), err, tt.index, tt.says)
	}
}

// TestModeAsChmod compares random modes with GNU chmod, if this host has it.
func TestModeAsChmod(t *testing.T) {
	t.Parallel()
	version, err := exec.CommandContext(t.Context(), "chmod", "--version").Output()
	if err != nil || !bytes.Contains(version, []byte("coreutils")) {
		t.Skip("chmod is not GNU chmod")
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func(letters string, least int) string {
		var b strings.Builder
		for b.Len() < least || random.IntN(2) == 0 {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	clause := func() string {
		text := some("ugoa", 1)
		for range 1 + random.IntN(2) {
			text += some("=+-", 1)[:1]
			if random.IntN(4) == 0 {
				text += some("ugo", 1)[:1]
			} else {
				text += some("rwxXst", 0)
			}
		}
		return text
	}
	dir := t.TempDir()
	type call struct{ path, spec, base string }
	var calls []call
	var script strings.Builder
	for i := range 500 {
		c := call{filepath.Join(dir, fmt.Sprint(i)), clause(), fmt.Sprintf("%04o", random.IntN(0o10000))}
		for random.IntN(2) == 0 {
			c.spec += "," + clause()
		}
		if err := os.WriteFile(c.path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&script, "chmod %s %s && chmod %s %s || exit\n", c.base, c.path, c.spec, c.path)
		calls = append(calls, c)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", script.String()).CombinedOutput(); err != nil {
		t.Fatalf("chmod: %v: %s", err, out)
	}
	for _, c := range calls {
		info, err := os.Stat(c.path)
		if err != nil {
			t.Fatal(err)
		}
		want := host.Mode(info.Mode().Perm())
		for bit, m := range map[os.FileMode]host.Mode{os.ModeSetuid: host.ModeSetuid, os.ModeSetgid: host.ModeSetgid, os.ModeSticky: host.ModeSticky} {
			if info.Mode()&bit != 0 {
				want |= m
			}
		}
		if got, err := functions.Mode(c.spec, c.base); got != want.String() || err != nil {
			t.Errorf("mode %s of base %s is %q, %v; want %s, the mode that chmod sets", c.spec, c.base, got, err, want)
		}
	}
}

// FuzzMode checks that results are in canonical form, and that a result passed as the argument is
// returned unchanged.
func FuzzMode(f *testing.F) {
	for _, seed := range []string{"0750", "u=rwx,g=rx,o=", "a+X,u-s+t", "u+", "g=u"} {
		f.Add(seed, "0644")
	}
	f.Fuzz(func(t *testing.T, spec, base string) {
		mode, err := functions.Mode(spec, base)
		if err != nil {
			return
		}
		if parsed, err := host.ParseMode(mode); err != nil || parsed.String() != mode {
			t.Fatalf("mode %q of base %q is %q, which is not canonical (%v)", spec, base, mode, err)
		}
		if again, err := functions.Mode(mode, base); again != mode || err != nil {
			t.Errorf("mode of %q is %q (%v), want it unchanged", mode, again, err)
		}
	})
}
