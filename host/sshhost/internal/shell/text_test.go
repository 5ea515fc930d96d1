//go:build unix

package shell_test

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// oddValues are values that a shell could misinterpret.
var oddValues = []string{
	"", " ", "  two  spaces  ", "tab\t", "new\nline", "\n", "\n\n", "end\n", " lines \n\t with \n spaces ", "cr\r", "cr\r\n", "'", "''", "'\\''", `"`, `\`, `\\`,
	`\n`, `\` + "\n", "a'b\"c", "$HOME", "${x}", "$(touch x)", "`touch x`", "*", "?", "[a-z]", "{a,b}", "~", "~root", "-n", "--", "-",
	"!", "!!", "#", "# x", ";", "&", "&&", "|", "<", ">", "(", ")", "a=b", "%s", "%%", `\c`, `\0101`, "é", "\u202e", "\ufeff",
	"\x01\x02\x7f", "\x80", "\x81\x82\x83\x84\x85\x86\x87\x88", "\xff\xfe", "é\xff", "\xc3", "\xe2\x82",
	strings.Repeat("x", 5000), strings.Repeat("'", 300), strings.Repeat("\n", 300),
}

// echo returns the arguments as a shell receives them, from its command line and from its
// input.
func echo(tb testing.TB, s *remotetest.Starter, args []string) (line, read []byte) {
	tb.Helper()
	text := shell.Call(`printf %s\\0 `, args...)
	command, err := text.Line()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), "sh", "-c", command)
	cmd.Env = append(cmd.Environ(), s.Env...)
	for _, v := range s.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			first, _, _ := strings.Cut(path, ":")
			cmd.Path = first + "/sh"
		}
	}
	if line, err = cmd.Output(); err != nil {
		tb.Fatalf("sh -c: %v", err)
	}
	p, err := shell.Start(tb.Context(), s, shell.Join(shell.Fixed("px_ready"), text))
	if err != nil {
		tb.Fatal(err)
	}
	defer p.Close()
	if read, err = io.ReadAll(p.Stdout()); err != nil {
		tb.Fatal(err)
	}
	return line, read
}

func wantEcho(tb testing.TB, s *remotetest.Starter, args []string) {
	tb.Helper()
	want := []byte(strings.Join(args, "\x00") + "\x00")
	line, read := echo(tb, s, args)
	if !bytes.Equal(line, want) {
		tb.Errorf("from its command line, the shell got %q, want %q", line, want)
	}
	if !bytes.Equal(read, want) {
		tb.Errorf("from its input, the shell got %q, want %q", read, want)
	}
}

func TestValuesAreUnchanged(t *testing.T) {
	t.Parallel()
	for _, v := range slices.Concat(remotetest.Variants(), remotetest.RareVariants()) {
		for _, locale := range []string{"C", "C.UTF-8"} {
			t.Run(v.Name+" "+locale, func(t *testing.T) {
				t.Parallel()
				s := v.New(t)
				s.Env = append(s.Env, "LC_ALL="+locale)
				wantEcho(t, s, oddValues)
				for i, value := range oddValues {
					wantEcho(t, s, []string{fmt.Sprint(i), value})
				}
			})
		}
	}
}

func FuzzValuesAreUnchanged(f *testing.F) {
	for _, value := range oddValues {
		f.Add([]byte(value))
	}
	f.Add([]byte("several\x00values\x00\x00'\x00"))
	var hosts []*remotetest.Starter
	for _, v := range remotetest.Variants() {
		if _, err := exec.LookPath(v.Program); err == nil {
			hosts = append(hosts, v.New(f))
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, s := range hosts {
			wantEcho(t, s, strings.Split(string(value), "\x00"))
		}
	})
}

func TestNULIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []shell.Text{
		shell.Call("echo", "a", "b\x00c"),
		shell.Join(shell.Fixed("true"), shell.Call("echo", "\x00"), shell.Fixed("true")),
	} {
		if line, err := text.Line(); err == nil {
			t.Errorf("Line returned %q, want an error", line)
		}
		if frame, err := text.Frame(); err == nil {
			t.Errorf("Frame returned %q, want an error", frame)
		}
		s := &remotetest.Starter{}
		if _, err := shell.Start(t.Context(), s, text); err == nil || s.Starts() != 0 {
			t.Errorf("Start: error %v, and %d processes were started, want an error and 0", err, s.Starts())
		}
	}
}
