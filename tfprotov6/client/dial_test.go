package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

// program returns the configuration to start the program with this name in the map programs.
func program(tb testing.TB, name string) client.DialConfig {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, testsOnly+"=") })
	return client.DialConfig{Path: self, Env: append(env, role+"="+name), StartTimeout: maxWait}
}

// maxWait is a timeout that is long enough for slow hosts.
const maxWait = 2 * time.Minute

func dial(tb testing.TB, config client.DialConfig) *client.Remote {
	tb.Helper()
	remote, err := client.Dial(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := remote.Close(); err != nil {
			tb.Error(err)
		}
	})
	return remote
}

// lines collects the output of a program.
type lines struct {
	mu   sync.Mutex
	text strings.Builder

	// then is called when a line contains await.
	await string
	then  func()
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.HasSuffix(string(p), "\n") {
		return 0, errors.New("not a line")
	}
	if l.then != nil && strings.Contains(string(p), l.await) {
		l.then()
	}
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// respondingProcess returns the report of the provider about its process.
func respondingProcess(p provider.Interface) string {
	config := cty.NullVal(p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).Provider.Body.ImpliedType())
	return p.ValidateProviderConfig(context.Background(), provider.ValidateProviderConfigRequest{Config: config}).Diagnostics.Error()
}

func pid(tb testing.TB, report string) int {
	tb.Helper()
	var id int
	_, after, _ := strings.Cut(report, "pid ")
	if _, err := fmt.Sscanf(after, "%d", &id); err != nil {
		tb.Fatalf("no process ID in %q: %s", report, err)
	}
	return id
}

// ended reports whether a process has ended and was waited for.
func ended(id int) bool {
	process, err := os.FindProcess(id)
	return err != nil || errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// eventually waits until ok returns true, and fails the test with failure after maxWait.
func eventually(tb testing.TB, failure string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(maxWait); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal(failure)
		}
	}
}

// TestDial checks that Dial starts programs of both protocols, that their connections are
// authenticated, and that Close ends the programs.
func TestDial(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]int{"v6": 6, "v5": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := program(t, name)
			output := &lines{}
			config.Output = output
			remote := dial(t, config)
			if remote.ProtocolVersion() != version {
				t.Errorf("got protocol version %d, want %d", remote.ProtocolVersion(), version)
			}
			answer := respondingProcess(remote)
			if !strings.Contains(answer, "mutual TLS") || strings.Contains(answer, "environment") {
				t.Errorf("got report %q, want mutual TLS and not the environment of the client", answer)
			}
			id := pid(t, answer)
			if id == os.Getpid() || ended(id) {
				t.Errorf("got process ID %d, want the ID of another running process", id)
			}
			if err := remote.Stop(t.Context()); err != nil {
				t.Errorf("stop: %s", err)
			}
			if _, err := remote.Server().GetProviderSchema(t.Context(), nil); err != nil {
				t.Errorf("GetProviderSchema of Server: %s", err)
			}
			if version == 6 {
				eventually(t, "the output of the provider is missing", func() bool { return strings.Contains(output.String(), "validate called") })
			}
			for range 2 {
				if err := remote.Close(); err != nil {
					t.Errorf("close: %s", err)
				}
			}
			if !ended(id) {
				t.Error("the provider's process is still running after Close")
			}
			if answer := respondingProcess(remote); !strings.Contains(answer, "closed") {
				t.Errorf("after Close: got response %q, want an error about the closed connection", answer)
			}
		})
	}
}

// TestDialProtocol5 checks that requests that protocol 5 does not have get the
// response of an old provider.
func TestDialProtocol5(t *testing.T) {
	t.Parallel()
	remote := dial(t, program(t, "v5"))
	types := remote.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes
	if len(types) != 1 || types["five_thing"].Version != 5 {
		t.Errorf("got types %v, want five_thing with version 5", types)
	}
	got := remote.LockState(t.Context(), provider.LockStateRequest{TypeName: "five_store"})
	if !got.Diagnostics.HasErrors() {
		t.Error("LockState: got no error, want one")
	}
}

// TestDialFails checks that each kind of invalid configuration, program and running provider has
// its own error.
func TestDialFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	syscall.ForkLock.RLock() // the kernel does not execute a file that a forked process has open for writing
	err := os.WriteFile(text, []byte("not a program"), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	attach := map[string]string{
		"nowhere": `{"a":{"Protocol":"grpc","ProtocolVersion":6,"Test":true,"Addr":{"Network":"unix","String":"` + missing + `"}}}`,
		"netrpc":  `{"a":{"Protocol":"netrpc","ProtocolVersion":6,"Addr":{"Network":"unix","String":"/x"}}}`,
		"seven":   `{"a":{"Protocol":"grpc","ProtocolVersion":7,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}}`,
	}
	for name, tt := range map[string]struct {
		config client.DialConfig
		want   []string
	}{
		"empty configuration":        {client.DialConfig{}, []string{"neither Path nor Reattach is set"}},
		"missing file":               {client.DialConfig{Path: missing}, []string{missing, "no such file"}},
		"not executable format":      {client.DialConfig{Path: text}, []string{text, "exec format error"}},
		"directory":                  {client.DialConfig{Path: dir}, []string{dir, "permission denied"}},
		"not a provider":             {program(t, "no plugin"), []string{"not a provider", `"usage: program [flags]"`}},
		"program that exits":         {program(t, "exit"), []string{"exit status 3", "no licence found"}},
		"old protocol":               {program(t, "protocol 4"), []string{"protocol 4", "5 or 6"}},
		"net/rpc":                    {program(t, "netrpc"), []string{"expected gRPC"}},
		"not listening":              {program(t, "not listening"), []string{"dial the provider", "get provider schema", "no connection", "/nowhere"}},
		"attach to a missing socket": {running(t, attach["nowhere"]), []string{"dial the provider " + missing, "get provider schema", missing}},
		"attach over net/rpc":        {running(t, attach["netrpc"]), []string{"/x", `"netrpc"`}},
		"attach with protocol 7":     {running(t, attach["seven"]), []string{"protocol 7", "5 or 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			remote, err := client.Dial(t.Context(), tt.config)
			if err == nil {
				remote.Close()
				t.Fatalf("got no error, want an error with %q", tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got error %q, want %q", err, want)
				}
			}
		})
	}
	both := running(t, attach["nowhere"])
	both.Path = missing
	if _, err := client.Dial(t.Context(), both); err == nil || !strings.Contains(err.Error(), "both set") {
		t.Errorf("Path and Reattach: got error %v, want one about both being set", err)
	}
	if _, err := client.Dial(t.Context(), client.DialConfig{Path: missing}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: got error %v, want %v", err, os.ErrNotExist)
	}
}

// TestDialTimeout checks that a program that does not serve in time causes an error
// with its output. The timeout grows until the program has enough time to write something.
func TestDialTimeout(t *testing.T) {
	t.Parallel()
	config := program(t, "silent")
	for config.StartTimeout = 100 * time.Millisecond; ; config.StartTimeout *= 2 {
		_, err := client.Dial(t.Context(), config)
		if want := fmt.Sprintf("did not print its address within %s", config.StartTimeout); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("got error %v, want %q", err, want)
		}
		if strings.Contains(err.Error(), "still starting") {
			return
		}
		if config.StartTimeout > maxWait {
			t.Fatalf("got error %v, want an error with the output of the program", err)
		}
	}
}

// TestDialCanceled checks that a canceled Dial returns without waiting for the
// program.
func TestDialCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	config := program(t, "silent")
	config.StartTimeout = time.Hour
	config.Output = &lines{await: "still starting", then: cancel}
	_, err := client.Dial(ctx, config)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "still starting") {
		t.Errorf("got error %v, want context.Canceled and the output of the program", err)
	}
}

// TestCrash checks that the error of an RPC during or after a crash has the exit status and
// the panic, and no output from before the panic.
func TestCrash(t *testing.T) {
	t.Parallel()
	remote := dial(t, program(t, "crash"))
	for range 2 {
		diags := remote.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: typeName}).Diagnostics
		if diags.Crash() != diag.ProcessEnded {
			t.Errorf("got crash %d in %v, want %d", diags.Crash(), diags, diag.ProcessEnded)
		}
		got := diags.Error()
		for _, want := range []string{"ReadResource of " + typeName, "the provider's process ended: exit status 2", "panic: test crash"} {
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if strings.Contains(got, "log line") || strings.HasSuffix(got, "\n.") {
			t.Errorf("got %q, want no output from before the panic and no line with only a full stop", got)
		}
	}
}

// TestCrashInStream checks that the last element of a stream has the error of the crash.
func TestCrashInStream(t *testing.T) {
	t.Parallel()
	for rpc, last := range map[string]func(ctx context.Context, p provider.Interface) diag.Diagnostics{
		"ListResource": func(ctx context.Context, p provider.Interface) (diags diag.Diagnostics) {
			for result := range p.ListResource(ctx, provider.ListResourceRequest{TypeName: typeName}).Results {
				diags = result.Diagnostics
			}
			return diags
		},
		"InvokeAction": func(ctx context.Context, p provider.Interface) (diags diag.Diagnostics) {
			for event := range p.InvokeAction(ctx, provider.InvokeActionRequest{ActionType: typeName}).Events {
				if completed, ok := event.(provider.ActionCompleted); ok {
					diags = completed.Diagnostics
				}
			}
			return diags
		},
		"ReadStateBytes": func(ctx context.Context, p provider.Interface) (diags diag.Diagnostics) {
			for chunk := range p.ReadStateBytes(ctx, provider.ReadStateBytesRequest{TypeName: typeName}).Chunks {
				diags = chunk.Diagnostics
			}
			return diags
		},
	} {
		t.Run(rpc, func(t *testing.T) {
			t.Parallel()
			got := last(t.Context(), dial(t, program(t, "crash")))
			if want := rpc + " of " + typeName + " failed: the provider's process ended: exit status 4"; got.Crash() != diag.ProcessEnded || !strings.Contains(got.Error(), want) {
				t.Errorf("got %q and crash %d, want %q", got, got.Crash(), want)
			}
		})
	}
}

// TestCallCanceled checks that canceling a request also cancels it in the provider,
// which keeps running.
func TestCallCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	config := program(t, "v6")
	output := &lines{await: "read called", then: cancel}
	config.Output = output
	remote := dial(t, config)
	got := remote.ReadResource(ctx, provider.ReadResourceRequest{TypeName: typeName})
	if got.Diagnostics.Crash() != diag.NoCrash || !strings.Contains(got.Diagnostics.Error(), "the request was canceled: context canceled") {
		t.Errorf("got %q, want a canceled request", got.Diagnostics)
	}
	eventually(t, "the request of the provider was not canceled", func() bool { return strings.Contains(output.String(), "read canceled") })
	if answer := respondingProcess(remote); !strings.Contains(answer, "pid") {
		t.Errorf("after the canceled request: got response %q, want the process ID of the provider", answer)
	}
}

// TestClose checks that Close kills a program that does not end, and does not wait for
// child processes that keep the output of the program open.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ignores signals", "parent"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := program(t, name)
			output := &lines{}
			config.Output = output
			remote := dial(t, config)
			id := pid(t, respondingProcess(remote))
			child := 0
			if name == "parent" {
				eventually(t, "the program has no child process", func() bool { return strings.Contains(output.String(), "my child is pid") })
				child = pid(t, output.String())
				defer func() {
					process, err := os.FindProcess(child)
					if err == nil {
						err = process.Kill()
					}
					if err != nil {
						t.Errorf("the child process ended: Close may have waited for it (%s)", err)
					}
				}()
			}
			if err := remote.Close(); err != nil {
				t.Error(err)
			}
			if !ended(id) {
				t.Error("the provider's process is still running after Close")
			}
		})
	}
}

// TestCloseReleasesEverything checks that Close leaves no goroutine, process, file or
// open file descriptor. It does not run in parallel with other tests.
func TestCloseReleasesEverything(t *testing.T) {
	dir, err := os.MkdirTemp("", "c") //nolint:usetesting // the path of t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	attempt := func(name string, serves bool) {
		config := program(t, name)
		if name == "silent" {
			config.StartTimeout = time.Second
		}
		remote, err := client.Dial(t.Context(), config)
		if (err == nil) != serves {
			t.Errorf("%s: got error %v, want an error: %t", name, err, !serves)
		}
		if err != nil {
			return
		}
		respondingProcess(remote)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if name != "crash" { // a canceled request does not reach the program
			cancel()
		}
		remote.ReadResource(ctx, provider.ReadResourceRequest{TypeName: typeName})
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
	}
	attempt("v6", true) // initialises global objects
	goroutines, files := goruntime.NumGoroutine(), openFiles()
	for _, name := range []string{"v6", "v5", "crash"} {
		attempt(name, true)
	}
	for _, name := range []string{"exit", "no plugin", "protocol 4", "silent", "not listening"} {
		attempt(name, false)
	}
	_, err = client.Dial(t.Context(), client.DialConfig{Path: filepath.Join(dir, "missing")})
	if err == nil {
		t.Error("missing file: got no error, want one")
	}
	for end := time.Now().Add(maxWait); goruntime.NumGoroutine() > goroutines; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("got %d goroutines, want at most %d:\n%s", goruntime.NumGoroutine(), goroutines, stacks[:goruntime.Stack(stacks, true)])
		}
	}
	if now := openFiles(); len(now) > len(files) {
		t.Errorf("the open files were %v before the test and are %v now, want no more files", files, now)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files left in the directory for temporary files: %v, %v", left, err)
	}
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		if ids, err := os.ReadFile(file); err == nil && len(strings.TrimSpace(string(ids))) > 0 {
			t.Errorf("child processes are still running: %s", ids)
		}
	}
}

// openFiles returns the open files of this process, or nil if /proc does not list them.
func openFiles() []string {
	var files []string
	entries, _ := filepath.Glob("/proc/self/fd/*")
	for _, e := range entries {
		if to, err := os.Readlink(e); err == nil {
			files = append(files, to)
		}
	}
	slices.Sort(files)
	return files
}
