//go:build linux

package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

func localHost(t *testing.T) host.Host {
	t.Helper()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// held returns a program that adds a line to the file "runs" in dir, creates the file "started", and
// ends with exit code 3 once the file "go" exists.
func held(dir string) Call {
	return Call{Args: []string{"sh", "-c", `echo run >>"$1/runs"; >"$1/started"; until [ -e "$1/go" ]; do sleep 0.02; done; echo out; echo error >&2; exit 3`, "sh", dir}}
}

// await waits until a file exists.
func await(t *testing.T, path string) {
	t.Helper()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if t.Context().Err() != nil {
			t.FailNow()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func create(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantRuns(t *testing.T, dir, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(got) != want {
		t.Errorf("the programs that ran are %q, %v; want %q", got, err, want)
	}
}

// TestDetachedLikeAttached checks that a detached program has the same arguments, environment,
// outputs and exit code as one that is not detached.
func TestDetachedLikeAttached(t *testing.T) {
	t.Parallel()
	h, dir := localHost(t), filepath.Join(t.TempDir(), "runs")
	for name, c := range map[string]Call{
		"arguments": {Args: []string{"printf", "<%s>", "", " ", `'"$(exit 3)\`, "-n", "*", "line\nline", "$1"}},
		"outputs":   {Args: []string{"sh", "-c", "echo out; echo error >&2; pwd; umask; echo $LC_ALL $PATH"}, Dir: "/"},
		"signals":   {Args: []string{"sh", "-c", `kill -INT $$; echo ignored`}},
		"exit code": {Args: []string{"sh", "-c", "echo bad >&2; exit 4"}},
		"answer":    {Args: []string{"sh", "-c", "exit 4"}, Answers: []int{4}},
		"missing":   {Args: []string{"no-such-program"}},
		"script":    Shell("no-such-program"),
		"stdin":     {Args: []string{"cat"}},
	} {
		want, wantErr := c.Run(t.Context(), h)
		got, err := c.runDetached(t.Context(), h, dir)
		if name == "signals" {
			want.ExitCode, wantErr = got.ExitCode, err // a shell reports signals as exit codes
		}
		if name == "missing" {
			want.Stderr, got.Stderr = "", ""
		}
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) || IsMissing(err) != IsMissing(wantErr) {
			t.Errorf("%s: detached %+v, %v; otherwise %+v, %v", name, got, err, want, wantErr)
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "lock"): 0o600} {
		if info, err := os.Stat(path); err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", path, got, want)
		}
	}
}

// TestDetachedSurvives kills the process that started a program, and checks that the program
// continues, and that the next program waits for its end.
func TestDetachedSurvives(t *testing.T) {
	t.Parallel()
	h, dir := localHost(t), t.TempDir()
	runs := filepath.Join(dir, "detached")
	args := detachedCall(runs, "killed", time.Minute, held(dir)).Args
	client := exec.CommandContext(t.Context(), args[0], args[1:]...)
	output, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, filepath.Join(dir, "started"))
	if err := errors.Join(client.Process.Kill(), output.Close()); err != nil {
		t.Fatal(err)
	}
	_ = client.Wait() // it was killed
	err = awaitDetached(t.Context(), h, runs, 0)
	if want := "cannot wait for programs that an earlier run left running on host local: another program still runs after 0 seconds: sh -c echo run"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the wait ended with %v, want %q", err, want)
	}
	next := make(chan error, 1)
	go func() {
		_, err := Call{Args: []string{"sh", "-c", `echo next >>"$1/runs"`, "sh", dir}}.runDetached(t.Context(), h, runs)
		next <- err
	}()
	wantRuns(t, dir, "run\n")
	create(t, filepath.Join(dir, "go"))
	if err := <-next; err != nil {
		t.Error(err)
	}
	wantRuns(t, dir, "run\nnext\n")
	if err := awaitDetached(t.Context(), h, runs, 0); err != nil {
		t.Errorf("the wait after the end of the program: %v, want no error", err)
	}
}

// breaking is a host whose connection breaks during the first command.
type breaking struct {
	host.Host
	broken  bool
	started string // file that exists once the connection may break
	after   func() // called before each later command
}

func (b *breaking) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if b.broken {
		b.after()
		return b.Host.Run(ctx, cmd)
	}
	b.broken = true
	ctx, lose := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(b.started); err == nil {
				lose()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := b.Host.Run(ctx, cmd); err == nil {
		return host.Result{}, errors.New("the program ended too early")
	}
	return host.Result{}, &host.Error{Op: "run", Host: b.Name(), Err: host.ErrLost}
}

// TestDetachedResumes checks that the result of a program is returned if the connection breaks
// while the program runs, and that the program runs once.
func TestDetachedResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &breaking{Host: localHost(t), started: filepath.Join(dir, "started"), after: func() { create(t, filepath.Join(dir, "go")) }}
	r, err := held(dir).runDetached(t.Context(), h, filepath.Join(dir, "detached"))
	if failed, is := errors.AsType[*Failed](err); !is || failed.Args[0] != "sh" || r != (Result{Stdout: "out\n", Stderr: "error\n", ExitCode: 3}) {
		t.Errorf("the result is %+v, %v; want exit code 3, and both outputs of the program", r, err)
	}
	wantRuns(t, dir, "run\n")
}

// TestDetachedUnreachable checks how many times a lost connection is opened again, and that there is no
// further attempt if the program was not started or the host hangs.
func TestDetachedUnreachable(t *testing.T) {
	t.Parallel()
	lost := &host.Error{Op: "run", Host: "web", Err: host.ErrLost}
	unstarted := &host.Error{Op: "run", Host: "web", Err: &host.NotStartedError{Err: host.ErrUnreachable}}
	silent := &host.Error{Op: "run", Host: "web", Err: fmt.Errorf("%w: %w", host.ErrSilent, host.ErrLost)}
	refused := &host.Error{Op: "run", Host: "web", Err: &host.NotStartedError{Err: host.ErrRefused}}
	for name, tt := range map[string]struct {
		errs  []error // the last one is repeated
		calls int
		want  string
	}{
		"not started": {[]error{unstarted}, 1, "not reachable"},
		"unreachable": {[]error{lost, unstarted}, maxResumes + 1, "apt-get may still run on host web: the next apply waits for its end"},
		"refused":     {[]error{lost, unstarted, refused}, 3, "refused"},
		"silent":      {[]error{silent}, 1, "apt-get may still run on host web: the next apply waits for its end"},
		"later":       {[]error{lost, unstarted, silent}, 3, "apt-get may still run on host web: the next apply waits for its end"},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls, once := 0, 0
			h := memory.New(memory.Config{Name: "web", Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
				if got := strings.Join(Program(cmd), " "); got != "env LANG=C apt-get install x" {
					t.Errorf("%s: the program is %q, want the arguments of the call", name, got)
				}
				if host.ConnectsOnce(ctx) {
					once++
				}
				calls++
				return host.Result{}, tt.errs[min(calls, len(tt.errs))-1]
			}})
			_, err := Call{Args: []string{"env", "LANG=C", "apt-get", "install", "x"}}.RunDetached(t.Context(), h)
			if calls != tt.calls || once != calls-1 || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %d calls, %d of them without retries: %v; want %d calls, all but one without retries, and %q", name, calls, once, err, tt.calls, tt.want)
			}
		})
	}
}

// TestDetachedCanceled checks the error if the context ends during the pause before a new connection.
func TestDetachedCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), resumePause/2)
		defer cancel()
		h := memory.New(memory.Config{Name: "web", Run: func(context.Context, host.Command) (host.Result, error) {
			return host.Result{}, &host.Error{Op: "run", Host: "web", Err: host.ErrLost}
		}})
		_, err := Call{Args: []string{"apk", "add", "x"}}.RunDetached(ctx, h)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "apk may still run on host web: the next apply waits for its end") {
			t.Errorf("the error is %v, want the end of the context, and that apk may still run", err)
		}
	})
}

// TestProgramName checks that messages name the program that env starts, and not the shell of a script.
func TestProgramName(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Call{
		"apk":      {Args: []string{"apk", "add", "x"}},
		"apt-get":  {Args: []string{"env", "LANG=C", "apt-get", "install", "x"}},
		"a script": Shell("apk add -- \"$@\"", "x"),
	} {
		if got := c.name(); got != want {
			t.Errorf("%q is named %s, want %s", c.Args, got, want)
		}
	}
}

// TestDetachedScript checks that the lock file does not contain the text of a script, because messages show the content
// of the lock file.
func TestDetachedScript(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs")
	if r, err := Shell("cat \"$1/lock\"", dir).runDetached(t.Context(), localHost(t), dir); err != nil || r.Stdout != aScript+"\n" {
		t.Errorf("the lock has %q, %v; want %q", r.Stdout, err, aScript)
	}
}

// TestDetachedOutput checks that the error about too much output names the program, and does not claim that it was
// killed.
func TestDetachedOutput(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web", Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		_, err := cmd.Stdout.Write(make([]byte, maxOutput+1))
		return host.Result{}, err
	}})
	_, err := Call{Args: []string{"apk", "add", "x"}}.RunDetached(t.Context(), h)
	if want := "apk on host web ended, but its output exceeded 32 MiB"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestDetachedDaemon checks that a process that a program leaves running does not hold the lock.
func TestDetachedDaemon(t *testing.T) {
	t.Parallel()
	h, dir := localHost(t), t.TempDir()
	runs := filepath.Join(dir, "detached")
	c := Call{Args: []string{"sh", "-c", `(until [ -e "$1/go" ] || ! [ -d "$1" ]; do sleep 0.02; done) & echo done`, "sh", dir}}
	if r, err := c.runDetached(t.Context(), h, runs); err != nil || r.Stdout != "done\n" {
		t.Errorf("the result is %+v, %v; want the output done", r, err)
	}
	if err := awaitDetached(t.Context(), h, runs, 0); err != nil {
		t.Error(err)
	}
	create(t, filepath.Join(dir, "go"))
}

// TestDetachedUnsafe checks that runDetached rejects a symbolic link as the directory, and a directory
// whose parent does not exist. awaitDetached needs no directory.
func TestDetachedUnsafe(t *testing.T) {
	t.Parallel()
	h, dir := localHost(t), t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		link:                         "cannot run true on host local: Permission denied: " + link + " is not a directory of user",
		filepath.Join(dir, "a", "b"): "No such file or directory",
		"/proc/self":                 "is not a directory of user",
	} {
		if _, err := (Call{Args: []string{"true"}}).runDetached(t.Context(), h, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", path, err, want)
		}
	}
	if err := awaitDetached(t.Context(), h, filepath.Join(dir, "a", "b"), 0); err != nil {
		t.Errorf("a wait on a host without detached programs: %v, want no error", err)
	}
}

func TestDetachedProgram(t *testing.T) {
	t.Parallel()
	var seen []host.Command
	h := memory.New(memory.Config{Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		seen = append(seen, cmd)
		return host.Result{}, nil
	}})
	_, err := Call{Args: []string{"apk", "del", "x"}}.RunDetached(t.Context(), h)
	if err = errors.Join(err, AwaitDetached(t.Context(), h)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Program(seen[0]), " "); got != "apk del x" || IsDetachedWait(seen[0]) || !IsDetachedWait(seen[1]) {
		t.Errorf("the program is %q; waits: %t and %t, want apk del x, false and true", got, IsDetachedWait(seen[0]), IsDetachedWait(seen[1]))
	}
}
