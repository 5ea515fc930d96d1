//go:build unix

package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
)

func runner(s *remotetest.Starter) *command.Runner { return &command.Runner{Host: "web1", Starter: s} }

// output runs a command that must succeed and returns its standard output.
func output(t *testing.T, s *remotetest.Starter, cmd host.Command) string {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	result, err := runner(s).Run(t.Context(), cmd)
	if err != nil || result.ExitCode != 0 {
		t.Errorf("%q: %+v, error %v, stderr %q, want exit code 0", cmd.Args, result, err, errOut.String())
	}
	return out.String()
}

func TestStreams(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		s.Noise = "echo a banner; echo another >&2"
		big := bytes.Repeat([]byte("a\x00\xff\r\n"), 1<<20)
		var out, errOut bytes.Buffer
		result, err := runner(s).Run(t.Context(), host.Command{
			Args:  []string{"sh", "-c", "tee /dev/stderr; exit 7"},
			Stdin: bytes.NewReader(big), Stdout: &out, Stderr: &errOut,
		})
		if err != nil || result != (host.Result{ExitCode: 7}) {
			t.Errorf("Run returned %+v, error %v, want exit code 7", result, err)
		}
		if !bytes.Equal(out.Bytes(), big) || !bytes.Equal(errOut.Bytes(), big) {
			t.Errorf("sent %d bytes, received %d on stdout and %d on stderr, want the same", len(big), out.Len(), errOut.Len())
		}
	})
}

// TestSlowWriter checks that output that is still buffered when the command exits is not
// lost.
func TestSlowWriter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := runner(&remotetest.Starter{}).Run(t.Context(), host.Command{
		Args: []string{"head", "-c", "65000", "/dev/zero"},
		Stdout: writerFunc(func(p []byte) (int, error) {
			time.Sleep(2500 * time.Millisecond)
			return out.Write(p)
		}),
	})
	if err != nil || out.Len() != 65000 {
		t.Errorf("received %d bytes, error %v, want 65000", out.Len(), err)
	}
}

func TestOneWriterForBothOutputs(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer // receives both outputs, and must not be written to concurrently
	_, err := runner(&remotetest.Starter{}).Run(t.Context(), host.Command{
		Args:   []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo out; echo err >&2; done"},
		Stdout: &both, Stderr: &both,
	})
	if err != nil || strings.Count(both.String(), "out\n") != 9 || strings.Count(both.String(), "err\n") != 9 {
		t.Errorf("received %q, error %v, want 9 lines of each output", both.String(), err)
	}
	writer := func([]byte) (int, error) { return 0, io.ErrClosedPipe }
	_, err = runner(&remotetest.Starter{}).Run(t.Context(), host.Command{ // the writers are not comparable
		Args: []string{"sh", "-c", "echo out; echo err >&2; sleep 60"}, Stdout: writerFunc(writer), Stderr: writerFunc(writer),
	})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want %v", err, io.ErrClosedPipe)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestEnvironment(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		s.Env = append(s.Env, "LC_ALL=C.UTF-8", "IFS=x", "KEPT=kept", "REPLACED=old", "n=5", "l=6", "t=7")
		env := map[string]string{"REPLACED": "new", "ADDED": "a\nb 'c' $d", "EMPTY": "", "HOME": "/nowhere"}
		got := output(t, s, host.Command{Args: []string{"env"}, Env: env, Dir: "/"})
		for name, value := range map[string]string{
			"LC_ALL": "C.UTF-8", "KEPT": "kept", "REPLACED": "new", "ADDED": "a\nb 'c' $d", "EMPTY": "", "HOME": "/nowhere",
			"n": "5", "l": "6", "t": "7",
		} {
			if !strings.Contains("\n"+got, "\n"+name+"="+value+"\n") {
				t.Errorf("%s is not %q in\n%s", name, value, got)
			}
		}
		if strings.Contains(got, "px_") {
			t.Errorf("the environment has variables of the runner:\n%s", got)
		}
	})
}

func TestNoSecretsOnCommandLines(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		secret := "planted in " + t.Name()
		seen, marker := false, "marker of "+t.Name()
		looked := make(chan struct{})
		var once sync.Once
		cmd := host.Command{
			Args: []string{"sh", "-c", "cat; :", marker}, Env: map[string]string{"SECRET": secret},
			Stdin: io.MultiReader(strings.NewReader(secret), readerFunc(func([]byte) (int, error) { <-looked; return 0, io.EOF })),
			Stdout: writerFunc(func(p []byte) (int, error) {
				defer once.Do(func() { close(looked) })
				arguments := remotetest.Arguments(t)
				seen = seen || strings.Contains(arguments, marker)
				if strings.Contains(arguments, secret) {
					t.Errorf("the secret is in the arguments of a process:\n%s", arguments)
				}
				return len(p), nil
			}),
		}
		if _, err := runner(s).Run(t.Context(), cmd); err != nil || !seen {
			t.Errorf("the command was in the process list: %t, error %v, want true, nil", seen, err)
		}
	})
}

func TestOddCommands(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		dir := t.TempDir()
		for _, name := range []string{"-c", "--", "-", "a=b", "true", "exec", "a b'\n$x", "if"} {
			remotetest.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\nprintf 'mine %s' \"$1\"\n")
			env := map[string]string{"PATH": dir + ":" + path(s)}
			if got := output(t, s, host.Command{Args: []string{name, "-x"}, Env: env}); got != "mine -x" {
				t.Errorf("%q printed %q, want mine -x", name, got)
			}
			if got := output(t, s, host.Command{Args: []string{"./" + name, "-x"}, Dir: dir}); got != "mine -x" {
				t.Errorf("./%s printed %q, want mine -x", name, got)
			}
		}
	})
}

func path(s *remotetest.Starter) string {
	for _, v := range s.Env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			return value
		}
	}
	return os.Getenv("PATH")
}

// TestSilent checks that a command on a host whose shells never become ready fails after
// [remote.ReplyTimeout], and that the error shows that trying again does not help.
func TestSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := &remotetest.Fake{Hangs: true}
		began := time.Now()
		_, err := (&command.Runner{Host: "web1", Starter: fake}).Run(t.Context(), host.Command{Args: []string{"true"}})
		if !errors.Is(err, host.ErrSilent) || !errors.Is(err, host.ErrLost) {
			t.Errorf("got error %v, want an error that matches ErrSilent and ErrLost", err)
		}
		if took := time.Since(began); took < remote.ReplyTimeout || took > remote.ReplyTimeout+10*time.Second || fake.Starts() != 1 {
			t.Errorf("%d programs took %s, want 1 and %s", fake.Starts(), took, remote.ReplyTimeout)
		}
	})
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		dir := t.TempDir()
		file := filepath.Join(dir, "file\nx: Permission denied")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name string
			cmd  host.Command
			is   error
		}{
			{"absent", host.Command{Dir: filepath.Join(dir, "absent")}, fs.ErrNotExist},
			{"absent, with a newline", host.Command{Dir: filepath.Join(dir, "absent\nx: Permission denied")}, fs.ErrNotExist},
			{"a file", host.Command{Dir: file}, host.ErrNotDirectory},
			{"below a file", host.Command{Dir: file + "/below"}, host.ErrNotDirectory},
			{"relative", host.Command{Dir: "x"}, host.ErrInvalidPath},
			{"variable name with a dot", host.Command{Env: map[string]string{"A.B": "planted"}}, nil},
			{"variable name with code", host.Command{Env: map[string]string{"A;touch x": "planted"}}, nil},
			{"variable name with a newline", host.Command{Env: map[string]string{"A\nB": "planted"}}, nil},
		} {
			ran := filepath.Join(dir, "ran")
			tt.cmd.Args = []string{"touch", ran}
			_, err := runner(s).Run(t.Context(), tt.cmd)
			if _, ok := errors.AsType[*host.NotStartedError](err); !ok || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%s: error %v, want a *host.NotStartedError and, unless nil, %v", tt.name, err, tt.is)
			}
			if typed, ok := errors.AsType[*host.Error](err); !ok || typed.Host != "web1" || typed.Path != tt.cmd.Dir {
				t.Errorf("%s: error %#v, want a host.Error for web1 and %q", tt.name, err, tt.cmd.Dir)
			}
			if tt.name == "a file" && errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: error %v matches fs.ErrNotExist", tt.name, err)
			}
			if strings.Contains(fmt.Sprint(err), "planted") {
				t.Errorf("%s: error %v contains the value of a variable", tt.name, err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("%s: the command ran", tt.name)
			}
		}
	})
	t.Run("no such command", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"-none", "--", "none"} {
			var errOut bytes.Buffer
			result, err := runner(&remotetest.Starter{}).Run(t.Context(), host.Command{Args: []string{name}, Stderr: &errOut})
			if err != nil || result.ExitCode != 127 || !strings.Contains(errOut.String(), name) {
				t.Errorf("Run returned %+v, error %v, stderr %q, want exit code 127 and stderr with %q", result, err, errOut.String(), name)
			}
		}
	})
	t.Run("read-only variable of the shell", func(t *testing.T) {
		t.Parallel()
		s := remotetest.Variants()[2].New(t) // bash has variables that cannot be set
		_, err := runner(s).Run(t.Context(), host.Command{Args: []string{"true"}, Env: map[string]string{"UID": "planted"}})
		if _, ok := errors.AsType[*host.NotStartedError](err); !ok || strings.Contains(err.Error(), "planted") {
			t.Errorf("error %v, want a *host.NotStartedError without the value of the variable", err)
		}
	})
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		lost := errors.New("connection failed")
		_, err := runner(&remotetest.Starter{Lost: func() error { return lost }}).Run(t.Context(), host.Command{Args: []string{"true"}})
		if _, ok := errors.AsType[*host.NotStartedError](err); !ok || !errors.Is(err, lost) {
			t.Errorf("error %v, want a *host.NotStartedError that matches %q", err, lost)
		}
	})
}

// TestInputThatDoesNotEnd checks that a command that exits early does not wait for the end
// of its input.
func TestInputThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	forever := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	blocked, w := io.Pipe()
	defer w.Close()
	for name, source := range map[string]io.Reader{"endless": forever, "silent": blocked} {
		begun := time.Now()
		result, err := runner(&remotetest.Starter{}).Run(t.Context(), host.Command{Args: []string{"true"}, Stdin: source})
		if took := time.Since(begun); err != nil || result.ExitCode != 0 || took > 20*time.Second {
			t.Errorf("%s: %+v, error %v after %s, want exit code 0 within 20s", name, result, err, took)
		}
	}
}

// TestInputThatFails checks that the command is killed if its input fails, because
// truncated input must not look complete.
func TestInputThatFails(t *testing.T) {
	t.Parallel()
	ours := errors.New("test error")
	whole := filepath.Join(t.TempDir(), "whole")
	_, err := runner(&remotetest.Starter{}).Run(t.Context(), host.Command{
		Args:  []string{"sh", "-c", `cat >/dev/null; sleep 45; : >"$1"`, "sh", whole},
		Stdin: io.MultiReader(strings.NewReader("half"), readerFunc(func([]byte) (int, error) { return 0, fmt.Errorf("%w: %w", ours, fs.ErrNotExist) })),
	})
	if !errors.Is(err, ours) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want an error that matches %q and not fs.ErrNotExist", err, ours)
	}
	remotetest.WaitGone(t, whole)
	if _, err := os.Stat(whole); err == nil {
		t.Error("the command completed with truncated input")
	}
}

// TestCanceled checks that a canceled command and its child processes end, whether or
// not the server supports signals.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for _, v := range remotetest.Variants() {
		for _, noSignals := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, no signals %t", v.Name, noSignals), func(t *testing.T) {
				t.Parallel()
				s := v.New(t)
				s.NoSignals = noSignals
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				begun := make(chan struct{})
				_, err := runner(s).Run(ctx, host.Command{
					Args: []string{"sh", "-c", `(sleep 45; : >"$1") & trap "" TERM HUP; echo begun; sleep 45; : >"$2"`, "sh", dir + "/1", dir + "/2"},
					Stdout: writerFunc(func(p []byte) (int, error) {
						close(begun)
						cancel()
						return len(p), nil
					}),
				})
				<-begun
				if _, notStarted := errors.AsType[*host.NotStartedError](err); !errors.Is(err, context.Canceled) || notStarted {
					t.Errorf("error %v, want context.Canceled and no *host.NotStartedError", err)
				}
				remotetest.WaitGone(t, dir)
				if left, err := filepath.Glob(dir + "/*"); err != nil || len(left) > 0 {
					t.Errorf("not all processes were killed: %q (error %v)", left, err)
				}
			})
		}
	}
}

// exited starts a command that has exited while a part of its standard output is in transit.
type exited struct {
	remotetest.Fake
	output *io.PipeReader // output after the start of the command; nil: the output does not end
	reply  time.Duration  // time until the host replies to a ping
}

func (e *exited) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := e.Fake.Start(ctx, line)
	return &exitedProcess{p, e, false}, err
}

type exitedProcess struct {
	remote.Process
	*exited
	begun bool
}

func (*exitedProcess) Wait() (remote.Exit, error) { return remote.Exit{}, nil }
func (p *exitedProcess) Stdout() io.Reader        { return p }

func (p *exitedProcess) Close() error {
	if p.output != nil {
		_ = p.output.Close() // ends the reader and the writer
	}
	return p.Process.Close()
}

func (p *exitedProcess) Ping() error {
	time.Sleep(p.reply)
	return nil
}

func (p *exitedProcess) Read(b []byte) (int, error) {
	if p.begun && p.output != nil {
		return p.output.Read(b)
	}
	p.begun = true
	return p.Process.Stdout().Read(b)
}

// TestOutputAfterExit checks that the part of the output that arrives after the exit status is not
// lost without an error.
func TestOutputAfterExit(t *testing.T) {
	t.Parallel()
	const stall = 20 * time.Second
	lost := remote.Lost("the connection was lost")
	for name, tt := range map[string]struct {
		rest func(write func(string) error) error // writes the rest of the output
		err  error
	}{
		"lost":    {func(func(string) error) error { return lost }, lost},
		"stalled": {func(write func(string) error) error { time.Sleep(stall); return write(" the rest") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				go func() {
					write := func(s string) error { _, err := io.WriteString(w, s); return err }
					w.CloseWithError(errors.Join(write("output"), tt.rest(write)))
				}()
				var out bytes.Buffer
				runner := &command.Runner{Host: "web1", Starter: &exited{output: r, reply: stall}}
				_, err := runner.Run(t.Context(), host.Command{Args: []string{"true"}, Stdout: &out})
				if !errors.Is(err, tt.err) || err == nil && out.String() != "output the rest" {
					t.Errorf("output %q, error %v, want error %v, and output %q if that is nil", out.String(), err, tt.err, "output the rest")
				}
			})
		})
	}
	t.Run("held by another process", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := (&command.Runner{Host: "web1", Starter: &exited{}}).Run(t.Context(), host.Command{Args: []string{"true"}})
			if took := time.Since(begun); err != nil || took > 3*time.Second {
				t.Errorf("error %v after %s, want none within 3s", err, took)
			}
		})
	})
}
