//go:build unix

package shell_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// onEach runs a test on each kind of host.
func onEach(t *testing.T, test func(t *testing.T, s *remotetest.Starter)) {
	t.Helper()
	remotetest.OnEach(t, slices.Concat(remotetest.Variants(), remotetest.RareVariants()), test)
}

func start(t *testing.T, s *remotetest.Starter, text shell.Text) *shell.Process {
	t.Helper()
	p, err := shell.Start(t.Context(), s, text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestStreamsAreClean(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		s.Noise = "echo a banner; echo no newline at the end >&2; printf 'and the last'; printf 'and here' >&2"
		p := start(t, s, shell.Fixed("px_ready one two; echo out; echo err >&2; exec cat"))
		if p.ReadyArgs() != "one two" {
			t.Errorf("ReadyArgs returned %q, want one two", p.ReadyArgs())
		}
		input := bytes.Repeat([]byte("a\n\x00\xff\r\n"), 50_000)
		go func() {
			p.Stdin().Write(input)
			p.Stdin().Close()
		}()
		out, err := io.ReadAll(p.Stdout())
		if err != nil || !bytes.Equal(out, append([]byte("out\n"), input...)) {
			t.Errorf("stdout has %d bytes (error %v), want %d: %.20q", len(out), err, len(input)+4, out)
		}
		errOut, err := io.ReadAll(p.Stderr())
		if err != nil || string(errOut) != "err\n" {
			t.Errorf("stderr %q, error %v, want err", errOut, err)
		}
		if exit, err := p.Wait(); err != nil || exit.Code != 0 {
			t.Errorf("exit %+v, error %v, want code 0", exit, err)
		}
	})
}

// TestLoginShells checks that boot works in common login shells.
func TestLoginShells(t *testing.T) {
	t.Parallel()
	for _, login := range []string{"dash", "bash", "zsh", "mksh", "ksh", "yash", "fish", "tcsh"} {
		t.Run(login, func(t *testing.T) {
			t.Parallel()
			s := &remotetest.Starter{Shell: []string{remotetest.Need(t, login)}, Env: []string{"HOME=" + t.TempDir()}}
			p := start(t, s, shell.Join(shell.Fixed("px_ready"), shell.Call("printf %s", "a'b!c\\d\n")))
			out, err := io.ReadAll(p.Stdout())
			if err != nil || string(out) != "a'b!c\\d\n" {
				t.Errorf("%q, error %v", out, err)
			}
		})
	}
}

func TestNoValuesOnCommandLines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		p := start(t, s, shell.Join(shell.Call("px_ready"), shell.Call("px_secret", "planted in "+t.Name()), shell.Fixed("read x")))
		arguments := remotetest.Arguments(t)
		if !strings.Contains(arguments, "px_t") {
			t.Error("the shell is not in the process list")
		}
		if strings.Contains(arguments, "planted") {
			t.Errorf("the value is in the arguments of a process:\n%s", arguments)
		}
		p.Stdin().Close()
	})
}

func TestEndedBeforeReady(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		noise string
		text  shell.Text
		code  int
		says  string
	}{
		{name: "script exits", text: shell.Fixed("echo why; echo and how >&2; exit 3"), code: 3, says: "why\nand how"},
		{name: "syntax error", text: shell.Fixed("if"), code: 2},
		{
			name: "no login", noise: "echo This account is not available.; exit 1",
			text: shell.Fixed("px_ready"), code: 1, says: "This account is not available.",
		},
		{
			name: "background process holds the output", noise: "sleep 30 & exit 4",
			text: shell.Fixed("px_ready"), code: 4,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			_, err := shell.Start(t.Context(), &remotetest.Starter{Noise: tt.noise}, tt.text)
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("Start took %s, want at most 20s", took)
			}
			ended, ok := errors.AsType[*shell.EndedError](err)
			if !ok || ended.Exit.Code != tt.code || !strings.Contains(ended.Output, tt.says) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("not started", func(t *testing.T) {
		t.Parallel()
		lost := errors.New("connection failed")
		_, err := shell.Start(t.Context(), &remotetest.Starter{Lost: func() error { return lost }}, shell.Fixed("px_ready"))
		if _, ok := errors.AsType[*shell.NotSentError](err); !ok || !errors.Is(err, lost) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("endless noise", func(t *testing.T) {
		t.Parallel()
		s := &remotetest.Starter{Noise: "yes"}
		if _, err := shell.Start(t.Context(), s, shell.Fixed("px_ready")); err == nil || !strings.Contains(err.Error(), "start-up files") {
			t.Errorf("error %v", err)
		}
	})
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*remotetest.Starter{
		"silent":           {Noise: "sleep 60"},
		"no slot":          {Limit: 1},
		"no signals":       {Noise: "sleep 60", NoSignals: true},
		"ignores signals":  {Noise: "exec <&-; trap '' TERM HUP; sleep 60"},
		"without a banner": {Noise: "while :; do sleep 1; done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s.Limit == 1 {
				start(t, s, shell.Fixed("px_ready; read x"))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			begun := time.Now()
			_, err := shell.Start(ctx, s, shell.Fixed("px_ready"))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("Start took %s, want at most 30s", took)
			}
		})
	}
}

// lateStarter cancels a context when the first process has printed something, before the reader gets it.
// It records whether that process was abandoned before the second one, which kills it, was started.
type lateStarter struct {
	remote.Starter
	cancel    func()
	started   atomic.Int32
	abandoned atomic.Bool
}

func (s *lateStarter) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := s.Starter.Start(ctx, line)
	if err == nil && s.started.Add(1) == 1 {
		p = &lateProcess{p, s}
	}
	return p, err
}

type lateProcess struct {
	remote.Process
	starter *lateStarter
}

func (p *lateProcess) Close() error {
	if p.starter.started.Load() == 1 {
		p.starter.abandoned.Store(true)
	}
	return p.Process.Close()
}

func (p *lateProcess) Stdout() io.Reader { return readFunc(p.read) }

func (p *lateProcess) read(b []byte) (int, error) {
	n, err := p.Process.Stdout().Read(b)
	p.starter.cancel()
	return n, err
}

type readFunc func(b []byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

// TestStartKillsWhatHasBegun checks that a script is killed with its child processes if the context of Start
// ends when the script is ready.
func TestStartKillsWhatHasBegun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &lateStarter{Starter: &remotetest.Starter{NoSignals: true}, cancel: cancel}
	ticks := filepath.Join(t.TempDir(), "ticks")
	text := shell.Join(shell.Call("set --", ticks), shell.Fixed(`(trap '' PIPE; while echo >>"$1"; do sleep 0.05; done) & px_ready; trap '' PIPE; wait`))
	if _, err := shell.Start(ctx, s, text); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	size := func() int64 {
		info, _ := os.Stat(ticks) // the script may not have begun to write
		if info == nil {
			return 0
		}
		return info.Size()
	}
	if s.abandoned.Load() {
		t.Error("the process was abandoned before it was killed")
	}
	before := size()
	time.Sleep(time.Second)
	if now := size(); now != before {
		t.Errorf("a child process still writes: %d bytes, %d a second later", before, now)
	}
}

// TestKill checks that child processes are killed too, whether or not the server supports
// signals and sessions.
func TestKill(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	dir := t.TempDir()
	for _, server := range []struct {
		name                           string
		noSignals, noSession, noSetsid bool
		limit                          int
	}{
		{name: "with signals"},
		{name: "with signals, limit of one process", limit: 1},
		{name: "without signals", noSignals: true},
		{name: "signals only to the process", noSession: true},
		{name: "without signals or sessions", noSession: true, noSignals: true},
		{name: "without signals, sessions or setsid", noSession: true, noSignals: true, noSetsid: true},
	} {
		for _, v := range remotetest.Variants()[:3] {
			if _, err := exec.LookPath(v.Program); err != nil {
				t.Logf("%s is not installed, so Kill is not tested with this shell", v.Program)
				continue
			}
			s := v.New(t)
			s.NoSignals, s.NoSession, s.Limit = server.noSignals, server.noSession, server.limit
			if server.noSetsid {
				withoutSetsid(t, s)
			}
			late := filepath.Join(dir, server.name+", "+v.Name)
			text := shell.Fixed(`sh -c '(sleep 45; touch "$1") &' sh "$1"; px_ready; sleep 60; echo`) // the parent of the child has exited
			if server.noSetsid {
				text = shell.Fixed(`sh -c '(sleep 45; touch "$1") & sleep 60' sh "$1" & px_ready; sleep 60; echo`)
			}
			p := start(t, s, shell.Join(shell.Call("set --", late), text))
			begun := time.Now()
			p.Kill()
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%s: Kill took %s, want at most 20s", late, took)
			}
			select {
			case <-p.Ended():
			default:
				t.Errorf("%s: the process still runs after Kill", late)
			}
		}
	}
	remotetest.WaitGone(t, dir)
	left, err := filepath.Glob(dir + "/*")
	if err != nil || len(left) > 0 {
		t.Errorf("not all child processes were killed: %q (error %v)", left, err)
	}
}

// withoutSetsid leaves a host only the tools that TestKill needs, without setsid. It skips the test
// if there is no ps.
func withoutSetsid(t *testing.T, s *remotetest.Starter) {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range []string{"sh", "sleep", "touch", "ps", "printf"} {
		for _, v := range s.Env {
			path, ok := strings.CutPrefix(v, "PATH=")
			if !ok {
				continue
			}
			for _, from := range filepath.SplitList(path) {
				if target, err := exec.LookPath(filepath.Join(from, tool)); err == nil {
					if err := os.Symlink(target, filepath.Join(dir, tool)); err == nil {
						break
					}
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ps")); err != nil {
		t.Skip("ps is missing: install the package procps to run this test")
	}
	s.Env = append(s.Env, fmt.Sprintf("PATH=%s", dir))
	s.Shell = []string{filepath.Join(dir, "sh")}
}
