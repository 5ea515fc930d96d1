package serve_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// pipesDir is the environment variable with the directory of the named pipes of a test.
const pipesDir = "SERVE_TEST_PIPES"

// Run is an action that runs a command until the action is interrupted. It then runs a second
// command and writes "undone" to a named pipe.
type Run struct{}

func (*Run) Invoke(ctx context.Context, _ runtime.NoConfig, _ func(string)) error {
	dir := os.Getenv(pipesDir)
	h, err := local.New()
	if err != nil {
		return err
	}
	pipe, err := os.OpenFile(filepath.Join(dir, "provider"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	runPipe = pipe
	_, err = h.Run(ctx, host.Command{
		Args: []string{"sh", "-c", `exec 3> "$0"; echo started >&3; sleep 3600`, filepath.Join(dir, "command")},
	})
	ctx, cancel := host.WithoutCancel(ctx, maxWait)
	defer cancel()
	_, undone := h.Run(ctx, host.Command{Args: []string{"sleep", "0.1"}})
	_, written := pipe.WriteString("undone\n")
	return errors.Join(err, undone, written)
}

// runPipe keeps the pipe of Run open until the process ends: the garbage collector closes a file without
// references.
var runPipe *os.File

// serveRun is the program of a provider with the action Run.
func serveRun() {
	serve.Main(serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
		return runtime.New(runtime.Definition{
			Name:    "tiny",
			Actions: map[string]runtime.ActionRegistration{"run": runtime.MakeAction[Run, runtime.NoConfig]()},
		})
	}})
}

// invokeRun is the program of a client that invokes the action Run.
func invokeRun() {
	ctx := context.Background()
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	remote, err := client.Dial(ctx, client.DialConfig{Path: self, Env: append(os.Environ(), role+"=run"), StartTimeout: maxWait})
	if err != nil {
		panic(err)
	}
	resp := remote.InvokeAction(ctx, provider.InvokeActionRequest{ActionType: "tiny_run", Config: cty.EmptyObjectVal})
	for e := range resp.Events {
		panic(e)
	}
	panic(resp.Diagnostics.Error())
}

// serveOrphan is the program of a provider that is built after its client has ended.
func serveOrphan() {
	starter := os.Getppid()
	pipe, err := os.OpenFile(filepath.Join(os.Getenv(pipesDir), "provider"), os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	defer pipe.Close()
	serve.Main(serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
		if _, err := pipe.WriteString("building\n"); err != nil {
			return nil, err
		}
		for os.Getppid() == starter {
			time.Sleep(10 * time.Millisecond)
		}
		return build()
	}})
}

// startOrphan is the program of a client that starts serveOrphan.
func startOrphan() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(context.Background(), self)
	cmd.Env = append(os.Environ(), role+"=orphan", magicCookie)
	panic(cmd.Run())
}

// pipeEnd is the result of reading a named pipe to its end.
type pipeEnd struct {
	output string
	err    error
}

// readPipe creates a named pipe, reads it until all processes that write to it have closed it, and
// sends the result. It calls began after the first byte, or at the end if there is none.
func readPipe(t *testing.T, path string, began func()) <-chan pipeEnd {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "mkfifo", path).Run(); err != nil {
		t.Fatal(err)
	}
	end := make(chan pipeEnd, 1)
	go func() {
		pipe, err := os.Open(path)
		if err != nil {
			end <- pipeEnd{err: err}
			return
		}
		defer pipe.Close()
		reader := bufio.NewReader(pipe)
		_, _ = reader.Peek(1)
		began()
		output, err := io.ReadAll(reader)
		end <- pipeEnd{string(output), err}
	}()
	return end
}

// magicCookie is the environment variable by which a provider recognises a client.
const magicCookie = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"

// TestClientHasEnded checks that a provider ends if its client was killed before the provider got
// the ID of its parent. Then only the closed pipe shows that the client has ended.
func TestClientHasEnded(t *testing.T) {
	t.Parallel()
	config := program(t, "tiny")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, config.Path)
	cmd.Env = append(slices.Clip(config.Env), magicCookie)
	cmd.Stdout, cmd.Stderr = writer, t.Output()
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// TestClientIsKilledEarly checks that a provider ends if its client was killed before the provider
// was built.
func TestClientIsKilledEarly(t *testing.T) {
	t.Parallel()
	config := program(t, "early")
	pipes := t.TempDir()
	building := make(chan struct{})
	served := readPipe(t, filepath.Join(pipes, "provider"), func() { close(building) })
	cmd := exec.CommandContext(t.Context(), config.Path)
	cmd.Env = append(slices.Clip(config.Env), pipesDir+"="+pipes)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-building:
	case <-time.After(maxWait):
		t.Error("the provider was not started")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
	select {
	case got := <-served:
		if got.err != nil {
			t.Error(got.err)
		}
	case <-time.After(maxWait):
		t.Error("the provider has not ended")
	}
}

// TestClientIsKilled checks that a provider and its commands end if its client is killed
// during an operation, that the operation undoes what it did, and that no socket is left.
func TestClientIsKilled(t *testing.T) {
	t.Parallel()
	for name, log := range map[string]string{"without a log": "", "with a log that nobody reads": "trace"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := program(t, "client")
			pipes := t.TempDir()
			started := make(chan struct{})
			command := readPipe(t, filepath.Join(pipes, "command"), func() { close(started) })
			served := readPipe(t, filepath.Join(pipes, "provider"), func() {})

			cmd := exec.CommandContext(t.Context(), config.Path)
			cmd.Env = slices.Concat(config.Env, []string{pipesDir + "=" + pipes, "TF_LOG=" + log, "PATH=" + os.Getenv("PATH")})
			cmd.Stderr = t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-started:
			case <-time.After(maxWait):
				t.Error("the command was not started")
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // killed
			for what, tt := range map[string]struct {
				end  <-chan pipeEnd
				want string
			}{"command": {command, "started\n"}, "provider": {served, "undone\n"}} {
				select {
				case got := <-tt.end:
					if got.output != tt.want || got.err != nil {
						t.Errorf("%s: got %q, %v, want %q", what, got.output, got.err, tt.want)
					}
				case <-time.After(maxWait):
					t.Errorf("the %s has not ended", what)
				}
			}
			if left := sockets(t, tempDir(config)); len(left) > 0 {
				t.Errorf("got the sockets %q after the end of the provider, want none", left)
			}
		})
	}
}

// tempDir returns the directory for temporary files of a program.
func tempDir(config client.DialConfig) (dir string) {
	for _, kv := range config.Env {
		if value, ok := strings.CutPrefix(kv, "TMPDIR="); ok {
			dir = value
		}
	}
	return dir
}

// sockets returns the sockets in a directory and in those below it.
func sockets(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type() == fs.ModeSocket {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
