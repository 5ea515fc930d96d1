//go:build unix

package elevate_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
)

const right = "correct horse"

// sudo returns a host with a fake sudo, and the file in which the fake records its calls, users and
// the passwords that it reads. The script has the options in $n and $p, and the command in
// "$@".
func sudo(t *testing.T, script string) (s *remotetest.Starter, notes string) {
	t.Helper()
	dir := t.TempDir()
	notes = filepath.Join(dir, "notes")
	text := `#!/bin/sh
NOTES='` + notes + `'
printf 'called\n' >>"$NOTES"
n= p=
while [ "$1" != -- ]; do
  case $1 in
    -n) n=yes ;;
    -p) p=$2; shift ;;
    -u) printf 'user %s\n' "$2" >>"$NOTES"; shift ;;
  esac
  shift
done
shift
ask() {
  if [ "$n" ]; then echo 'sudo: a password is required' >&2; exit 1; fi
  printf %s "${1-$p}" >&2
  IFS= read -r password || { echo 'sudo: no password was provided' >&2; exit 1; }
  printf 'password %s\n' "$password" >>"$NOTES"
}
` + script + "\n"
	remotetest.WriteProgram(t, filepath.Join(dir, "sudo"), text)
	return &remotetest.Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}}, notes
}

const (
	lets    = `exec "$@"`
	asks    = `ask; while [ "$password" != 'correct horse' ]; do echo 'Sorry, try again.' >&2; ask; done; exec "$@"`
	lecture = `echo 'We trust you have received the usual lecture.' >&2; printf 'and on the other stream'; ` + asks
	denies  = `ask; echo 'alice is not in the sudoers file.' >&2; exit 1`
)

func noted(t *testing.T, notes, word string) int {
	t.Helper()
	content, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count("\n"+string(content), "\n"+word)
}

func TestStreamsAreClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		password     *string
		sent         int
	}{
		{"no password", lets, nil, 0},
		{"unused password", lets, new(right), 0},
		{"password", asks, new(right), 1},
		{"lecture and password", lecture, new(right), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, notes := sudo(t, tt.script)
			s.Noise = "echo banner; echo banner >&2"
			p, err := elevate.New(s, "postgres", tt.password).Start(t.Context(), "echo early; echo early >&2; cat; echo err >&2; exit 3")
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			input := bytes.Repeat([]byte("\x00\n\xffa\r"), 100_000)
			go func() {
				p.Stdin().Write(input)
				p.Stdin().Close()
			}()
			out, err := io.ReadAll(p.Stdout())
			if err != nil || !bytes.Equal(out, append([]byte("early\n"), input...)) {
				t.Errorf("got %d bytes of output, error %v, want early and the input; the output begins with %.20q", len(out), err, out)
			}
			if errOut, err := io.ReadAll(p.Stderr()); err != nil || string(errOut) != "early\nerr\n" {
				t.Errorf("stderr %q, error %v, want early and err", errOut, err)
			}
			if exit, err := p.Wait(); err != nil || exit.Code != 3 {
				t.Errorf("the process ended with %+v, error %v, want exit code 3", exit, err)
			}
			if noted(t, notes, "user postgres") != 1 || noted(t, notes, "password "+right+"\n") != tt.sent {
				t.Errorf("sudo was called %d times as postgres and received the password %d times, want 1 and %d",
					noted(t, notes, "user postgres"), noted(t, notes, "password "+right+"\n"), tt.sent)
			}
		})
	}
}

func TestWrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()
	s, notes := sudo(t, asks)
	e := elevate.New(s, "root2", new("wrong planted"))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 2 {
				_, err := e.Start(t.Context(), "true")
				refused, ok := errors.AsType[*elevate.RefusedError](err)
				if !ok || !refused.Wrong || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "[password") {
					t.Errorf("error %v", err)
				}
			}
		})
	}
	all.Wait()
	if n := noted(t, notes, "password "); n != 1 {
		t.Errorf("sudo received a password %d times, want once", n)
	}
	if printed := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(printed, "planted") {
		t.Errorf("the printed value contains the password: %s", printed)
	}
}

// TestForget checks that a password that sudo has rejected is tried again after Forget.
func TestForget(t *testing.T) {
	t.Parallel()
	s, notes := sudo(t, `ask; if [ "$(grep -c called "$NOTES")" = 1 ]; then echo 'Sorry, try again.' >&2; ask; fi; exec "$@"`)
	e := elevate.New(s, "root2", new(right))
	for range 2 {
		if _, err := e.Start(t.Context(), "true"); !errors.Is(err, host.ErrRefused) {
			t.Errorf("error %v", err)
		}
	}
	e.Forget()
	if got := output(t, e, "echo in"); got != "in\n" {
		t.Errorf("output %q, want in", got)
	}
	if n := noted(t, notes, "password "); n != 2 {
		t.Errorf("sudo received a password %d times, want 2", n)
	}
}

func TestPasswordOfConcurrentStarts(t *testing.T) {
	t.Parallel()
	s, _ := sudo(t, asks)
	e := elevate.New(s, "root2", new(right))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			p, err := e.Start(t.Context(), "echo in")
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Close()
			if out, err := io.ReadAll(p.Stdout()); err != nil || string(out) != "in\n" {
				t.Errorf("output %q, error %v, want in", out, err)
			}
		})
	}
	all.Wait()
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		password     *string
		want         string
		sent         bool
	}{
		{name: "password required", script: asks, want: "NOPASSWD"},
		{name: "not in sudoers", script: denies, password: new(right), want: "In sudoers, allow the user", sent: true},
		{name: "terminal required", script: `echo 'sudo: sorry, you must have a tty to run sudo' >&2; exit 1`, password: new(right), want: "requiretty"},
		{name: "two lines of output", script: `echo 'the reason' >&2; echo 'in two lines' >&2; exit 1`, want: "the reason / in two lines"},
		{name: "endless output", script: `yes >&2`, want: "too much output"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, notes := sudo(t, tt.script)
			e := elevate.New(s, "root2", tt.password)
			for range 2 {
				_, err := e.Start(t.Context(), "true")
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "root2") || strings.HasSuffix(err.Error(), ".") {
					t.Errorf("error %v", err)
				}
				if refused := tt.name != "endless output"; errors.Is(err, host.ErrRefused) != refused {
					t.Errorf("error %v matches ErrRefused: %t, want %t", err, !refused, refused)
				}
			}
			if calls := noted(t, notes, "called"); tt.sent && calls != 1 {
				t.Errorf("sudo was called %d times, want once", calls)
			}
		})
	}
	t.Run("no sudo", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		for _, tool := range []string{"sh", "id"} {
			if err := os.Symlink(remotetest.Need(t, tool), filepath.Join(dir, tool)); err != nil {
				t.Fatal(err)
			}
		}
		s := &remotetest.Starter{Shell: []string{filepath.Join(dir, "sh")}, Env: []string{"PATH=" + dir}}
		_, err := elevate.New(s, "root2", nil).Start(t.Context(), "true")
		if refused, ok := errors.AsType[*elevate.RefusedError](err); !ok || !refused.Missing {
			t.Errorf("error %v", err)
		}
	})
	t.Run("password with a newline", func(t *testing.T) {
		t.Parallel()
		s, _ := sudo(t, asks)
		if _, err := elevate.New(s, "root2", new("two\nlines")).Start(t.Context(), "true"); err == nil || s.Starts() > 0 || strings.Contains(err.Error(), "two\nlines") {
			t.Errorf("error %v", err)
		}
	})
}

// TestAnotherPrompt checks that the password is not sent in reply to a prompt other than the requested one.
func TestAnotherPrompt(t *testing.T) {
	t.Parallel()
	s, notes := sudo(t, `ask 'Verification code: '; exec "$@"`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for t.Context().Err() == nil {
			if _, err := os.Stat(notes); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond) // a prompt follows
	}()
	if _, err := elevate.New(s, "root2", new(right)).Start(ctx, "true"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	time.Sleep(200 * time.Millisecond)
	if noted(t, notes, "password "+right) > 0 {
		t.Error("sudo received the password in reply to a prompt other than the requested one")
	}
}

func TestSameUserNeedsNoSudo(t *testing.T) {
	t.Parallel()
	me := strings.TrimSpace(output(t, &remotetest.Starter{}, "id -un"))
	s, notes := sudo(t, "exit 1")
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := output(t, elevate.New(s, me, nil), "echo in"); out != "in\n" || noted(t, notes, "called") > 0 {
		t.Errorf("output %q and %d calls of sudo, want in and 0", out, noted(t, notes, "called"))
	}
}

func output(t *testing.T, s remote.Starter, line string) string {
	t.Helper()
	p, err := s.Start(t.Context(), line)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestPasswordOnlyInInput checks that no process has the password in its arguments or environment.
func TestPasswordOnlyInInput(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this host does not show processes in /proc")
	}
	const planted = "planted-sudo-password"
	s, _ := sudo(t, `ask; exec "$@"`)
	p, err := elevate.New(s, "root2", new(planted)).Start(t.Context(), "echo begun; cat")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, what := range []string{"cmdline", "environ"} {
		names, err := filepath.Glob("/proc/[0-9]*/" + what)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if content, _ := os.ReadFile(name); bytes.Contains(content, []byte(planted)) {
				t.Errorf("%s contains the password", name)
			}
		}
	}
	p.Stdin().Close()
}

// TestCommands checks that commands run over Elevated as over any other starter.
func TestCommands(t *testing.T) {
	t.Parallel()
	s, _ := sudo(t, asks)
	r := &command.Runner{Host: "web1", Starter: elevate.New(s, "root2", new(right))}
	var out bytes.Buffer
	result, err := r.Run(t.Context(), host.Command{
		Args: []string{"sh", "-c", `printf '%s|' "$A" "$1"; cat; kill -TERM $$`, "sh", "a'b"}, Env: map[string]string{"A": "secret\n"},
		Stdin: strings.NewReader("input"), Stdout: &out,
	})
	if err != nil || result.Signal != "TERM" || out.String() != "secret\n|a'b|input" {
		t.Errorf("%+v, error %v, %q", result, err, out.String())
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, _ := sudo(t, "sleep 60")
	e := elevate.New(s, "root2", nil)
	for range 2 { // the first Start does not block the second
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		begun := time.Now()
		_, err := e.Start(ctx, "true")
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 30*time.Second {
			t.Errorf("Start returned error %v after %s, want the error of the context within 30s", err, took)
		}
		cancel()
	}
}

func TestConnectionLost(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection failed")
	_, err := elevate.New(&remotetest.Starter{Lost: func() error { return lost }}, "root2", new(right)).Start(t.Context(), "true")
	if _, unsent := errors.AsType[*shell.NotSentError](err); !unsent || !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
}

// wantServer checks that p is an SFTP server that replies, and closes it.
func wantServer(t *testing.T, p remote.Process) {
	t.Helper()
	defer p.Close()
	if _, err := p.Stdin().Write([]byte{0, 0, 0, 5, 1, 0, 0, 0, 3}); err != nil { // SSH_FXP_INIT of version 3
		t.Fatal(err)
	}
	var head [9]byte
	if _, err := io.ReadFull(p.Stdout(), head[:]); err != nil {
		t.Fatal(err)
	}
	if head[4] != 2 || binary.BigEndian.Uint32(head[5:]) != 3 { // SSH_FXP_VERSION
		t.Errorf("got the packet %x, want SSH_FXP_VERSION with version 3", head)
	}
}

func TestStartSFTP(t *testing.T) {
	t.Parallel()
	s, _ := sudo(t, lecture)
	p, err := elevate.StartSFTP(t.Context(), elevate.New(s, "root2", new(right)))
	if errors.Is(err, elevate.ErrNoServer) {
		t.Skip("OpenSSH's sftp-server is missing: install the package openssh-sftp-server")
	}
	if err != nil {
		t.Fatal(err)
	}
	wantServer(t, p)
	if _, err := elevate.StartSFTP(t.Context(), elevate.New(s, "root2", new("wrong"))); err == nil {
		t.Error("StartSFTP returned no error for a wrong password")
	}
	p, err = elevate.StartSFTP(t.Context(), &remotetest.Starter{Noise: "echo banner"})
	if err != nil {
		t.Fatal(err)
	}
	wantServer(t, p)
}
