package hosttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// shell returns the arguments of a command that runs a script with arguments.
func shell(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh"}, args...)
}

func testCommands(t *testing.T, s suite) {
	run := func(name string, test func(e env)) {
		run(t, s, name, func(e env) {
			if _, err := e.Run(e.ctx(), host.Command{Args: []string{"true"}}); errors.Is(err, errors.ErrUnsupported) {
				e.Skip("this host does not run commands")
			}
			test(e)
		})
	}
	tests := []struct {
		name           string
		cmd            host.Command
		stdin          string
		stdout, stderr string
		result         host.Result
	}{
		{name: "success", cmd: host.Command{Args: []string{"true"}}},
		{name: "failure", cmd: host.Command{Args: []string{"false"}}, result: host.Result{ExitCode: 1}},
		{name: "exit code", cmd: host.Command{Args: shell("exit 42")}, result: host.Result{ExitCode: 42}},
		{name: "highest exit code", cmd: host.Command{Args: shell("exit 255")}, result: host.Result{ExitCode: 255}},
		{name: "output", cmd: host.Command{Args: shell("printf out; printf err >&2")}, stdout: "out", stderr: "err"},
		{name: "input", cmd: host.Command{Args: []string{"cat"}}, stdin: pattern(300_000), stdout: pattern(300_000)},
		{name: "no input", cmd: host.Command{Args: []string{"cat"}}},
		{name: "unread input", cmd: host.Command{Args: []string{"true"}}, stdin: pattern(300_000)},
		{
			name: "odd arguments", cmd: host.Command{Args: shell(`for a do printf '<%s>' "$a"; done`,
				"", " ", "a b", "$HOME", "$(echo x)", "`echo x`", "'", `"`, `\`, "\n", "*", "~", "-n", "--", ";", "é", "\xff\xfe", "%s")},
			stdout: "<>< ><a b><$HOME><$(echo x)><`echo x`><'><\"><\\><\n><*><~><-n><--><;><é><\xff\xfe><%s>",
		},
		{
			name: "a long argument", cmd: host.Command{Args: shell(`printf '%s' "$1"`, strings.Repeat("x", 100_000))},
			stdout: strings.Repeat("x", 100_000),
		},
		{name: "environment", cmd: host.Command{
			Args: shell(`printf '%s|' "$A" "$b_1" "$EMPTY" "${EMPTY+set}"`),
			Env:  map[string]string{"A": "a b\n'\"$x", "b_1": "\xff", "EMPTY": ""},
		}, stdout: "a b\n'\"$x|\xff||set|"},
		{name: "the host's environment", cmd: host.Command{Args: shell(`printf '%s' "${PATH:+set}"`)}, stdout: "set"},
		{name: "signal", cmd: host.Command{Args: shell("kill -TERM $$")}, result: host.Result{ExitCode: 143, Signal: "TERM"}},
		{name: "another signal", cmd: host.Command{Args: shell("kill -KILL $$")}, result: host.Result{ExitCode: 137, Signal: "KILL"}},
	}
	for _, tt := range tests {
		run(tt.name, func(e env) {
			var stdout, stderr bytes.Buffer
			cmd := tt.cmd
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if tt.stdin != "" {
				cmd.Stdin = strings.NewReader(tt.stdin)
			}
			result, err := e.Run(e.ctx(), cmd)
			e.must(err)
			if result != tt.result {
				e.Errorf("%+v, want %+v; stderr %q", result, tt.result, stderr.String())
			}
			if stdout.String() != tt.stdout || stderr.String() != tt.stderr {
				e.Errorf("stdout %s, stderr %s; want %s, %s",
					brief(stdout.String()), brief(stderr.String()), brief(tt.stdout), brief(tt.stderr))
			}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, nil, nil
			if result, err = e.Run(e.ctx(), cmd); err != nil || result != tt.result {
				e.Errorf("without writers for the output: %+v (error %v), want %+v", result, err, tt.result)
			}
		})
	}
	run("directory", func(e env) {
		e.mkdir("a b'$x")
		var out bytes.Buffer
		e.must(errOf(e.Run(e.ctx(), host.Command{Args: shell("touch here; pwd -P"), Dir: e.path("a b'$x"), Stdout: &out})))
		e.wantNames(e.path("a b'$x"), "here")
		if !strings.HasSuffix(out.String(), "/a b'$x\n") {
			e.Errorf("the command ran in %q, want a path that ends with a b'$x", out.String())
		}
	})
	run("no directory", func(e env) {
		e.wantError(errOf(e.Run(e.ctx(), host.Command{Args: []string{"true"}, Dir: e.path("absent")})), e.path("absent"), fs.ErrNotExist)
		e.wantError(errOf(e.Run(e.ctx(), host.Command{Args: []string{"true"}, Dir: e.put("file", "")})), e.path("file"), host.ErrNotDirectory)
		e.wantError(errOf(e.Run(e.ctx(), host.Command{Args: []string{"true"}, Dir: "relative"})), "relative", host.ErrInvalidPath)
	})
	run("not found or not executable", func(e env) {
		for name, code := range map[string]int{
			"no-such-command-here": 127, e.path("absent"): 127, e.path("absent/absent"): 127,
			e.put("file", "#!/bin/sh\n"): 126, e.dir: 126,
		} {
			var stderr bytes.Buffer
			result, err := e.Run(e.ctx(), host.Command{Args: []string{name}, Stderr: &stderr})
			e.must(err)
			if result.ExitCode != code || stderr.Len() == 0 {
				e.Errorf("%s: %+v, stderr %q, want exit code %d and a reason on stderr", name, result, stderr.String(), code)
			}
		}
	})
	run("invalid commands", func(e env) {
		for _, cmd := range []host.Command{
			{},
			{Args: []string{""}},
			{Args: []string{"printf", "a\x00b"}},
			{Args: []string{"tr\x00ue"}},
			{Args: []string{"true"}, Env: map[string]string{"": "x"}},
			{Args: []string{"true"}, Env: map[string]string{"A=B": "x"}},
			{Args: []string{"true"}, Env: map[string]string{"A\x00": "x"}},
			{Args: []string{"true"}, Env: map[string]string{"A": "x\x00"}},
		} {
			_, err := e.Run(e.ctx(), cmd)
			e.wantError(err, "")
			if _, ok := errors.AsType[*host.NotStartedError](err); !ok {
				e.Errorf("%q: the error does not match NotStartedError: %v", cmd.Args, err)
			}
		}
	})
	run("errors do not contain arguments or variables", func(e env) {
		_, err := e.Run(e.ctx(), host.Command{Args: []string{"true", "planted\x00"}, Env: map[string]string{"A": "planted\x00"}})
		if err == nil || strings.Contains(err.Error(), "planted") {
			e.Errorf("error %v, want an error without the argument and the variable", err)
		}
	})
	run("timeout kills the command and its children", func(e env) {
		var start time.Time
		tooSlow := func(timeout time.Duration) (begun bool) {
			ctx, cancel := context.WithTimeout(e.ctx(), timeout)
			defer cancel()
			start = time.Now()
			_, err := e.Run(ctx, host.Command{Args: shell(`(while echo >>"$1"; do sleep 0.1 || sleep 1; done) & wait`, e.path("ticks"))})
			e.wantError(err, "", context.DeadlineExceeded)
			_, not := errors.AsType[*host.NotStartedError](err)
			return !not
		}
		timeout := 300 * time.Millisecond
		for !tooSlow(timeout) { // the start can be delayed on a busy host
			if timeout *= 2; timeout > time.Minute {
				e.Fatal("the command never started")
			}
		}
		if took := time.Since(start); took > timeout+20*time.Second {
			e.Errorf("Run returned after %s, want at most %s", took, timeout+20*time.Second)
		}
		// The child processes of the command were killed too, and write no more.
		size := func() int64 {
			info, err := e.Lstat(e.ctx(), e.path("ticks"))
			if !errors.Is(err, fs.ErrNotExist) {
				e.must(err)
			}
			return info.Size
		}
		for before := int64(-1); ; {
			now := size()
			if now == before {
				return
			}
			if before = now; time.Since(start) > time.Minute {
				e.Fatal("a child process of the command is still running")
			}
			time.Sleep(500 * time.Millisecond)
		}
	})
	run("Run does not wait for background processes", func(e env) {
		var out bytes.Buffer
		start := time.Now()
		result, err := e.Run(e.ctx(), host.Command{Args: shell("sleep 60 & echo $!"), Stdout: &out})
		e.must(err)
		if took := time.Since(start); took > 30*time.Second || result.ExitCode != 0 {
			e.Errorf("Run returned %+v after %s, want exit code 0 within 30s", result, took)
		}
		e.must(errOf(e.Run(e.ctx(), host.Command{Args: []string{"kill", strings.TrimSpace(out.String())}})))
	})
	run("many at once", func(e env) {
		e.must(errors.Join(together(20, 1, func(i int) error {
			var out bytes.Buffer
			_, err := e.Run(e.ctx(), host.Command{Args: []string{"cat"}, Stdin: strings.NewReader(pattern(i * 1000)), Stdout: &out})
			if err == nil && out.String() != pattern(i*1000) {
				err = errors.New("stdout " + brief(out.String()) + ", want " + brief(pattern(i*1000)))
			}
			return err
		})...))
	})
	run("failing writer", func(e env) {
		e.wantError(errOf(e.Run(e.ctx(), host.Command{Args: []string{"echo", "x"}, Stdout: writerFunc(func([]byte) (int, error) { return 0, errTest })})), "", errTest)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// copyAll is io.Copy without the ReadFrom and WriteTo shortcuts.
func copyAll(w io.Writer, r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{r})
}
