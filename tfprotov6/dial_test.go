package tfprotov6_test

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

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// program is how one of the programs in main_test.go is started.
func program(tb testing.TB, name string) tfprotov6.DialConfig {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, ours+"=") })
	return tfprotov6.DialConfig{Path: self, Env: append(env, role+"="+name), StartTimeout: patience}
}

// patience is for what is certain to happen on a machine however slow.
const patience = 2 * time.Minute

func dial(tb testing.TB, config tfprotov6.DialConfig) *tfprotov6.Remote {
	tb.Helper()
	remote, err := tfprotov6.Dial(tb.Context(), config)
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

// lines is output that a test looks at.
type lines struct {
	mu   sync.Mutex
	text strings.Builder

	// then is called when a line has await in it.
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

// whoAnswers is a question that every program answers with its process.
func whoAnswers(p provider.Interface) string {
	config := cty.NullVal(p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).Provider.Body.ImpliedType())
	return p.ValidateProviderConfig(context.Background(), provider.ValidateProviderConfigRequest{Config: config}).Diagnostics.Error()
}

func pid(tb testing.TB, answer string) int {
	tb.Helper()
	var id int
	_, after, _ := strings.Cut(answer, "pid ")
	if _, err := fmt.Sscanf(after, "%d", &id); err != nil {
		tb.Fatalf("no process in %q: %s", answer, err)
	}
	return id
}

// gone is true for a process that has ended and was waited for.
func gone(id int) bool {
	process, err := os.FindProcess(id)
	return err != nil || errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// eventually waits for what takes a moment.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal(what)
		}
	}
}

// A program of either protocol is a provider, over connections that only the two
// can make, and ends with Close.
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
				t.Errorf("the protocol is %d", remote.ProtocolVersion())
			}
			answer := whoAnswers(remote)
			if !strings.Contains(answer, "mutual TLS") || strings.Contains(answer, "environment") {
				t.Errorf("the provider saw %q", answer)
			}
			id := pid(t, answer)
			if id == os.Getpid() || gone(id) {
				t.Errorf("the process is %d", id)
			}
			if err := remote.Stop(t.Context()); err != nil {
				t.Errorf("stop: %s", err)
			}
			if _, err := remote.Server().GetProviderSchema(t.Context(), nil); err != nil {
				t.Errorf("in the protocol's words: %s", err)
			}
			if version == 6 {
				eventually(t, "what the provider wrote is nowhere", func() bool { return strings.Contains(output.String(), "I was asked") })
			}
			for range 2 {
				if err := remote.Close(); err != nil {
					t.Errorf("close: %s", err)
				}
			}
			if !gone(id) {
				t.Error("the process is still there")
			}
			if answer := whoAnswers(remote); !strings.Contains(answer, "closed") {
				t.Errorf("after the end the provider says %q", answer)
			}
		})
	}
}

// What is not there in protocol 5 is answered as by an old provider.
func TestDialProtocol5(t *testing.T) {
	t.Parallel()
	remote := dial(t, program(t, "v5"))
	types := remote.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes
	if len(types) != 1 || types["five_thing"].Version != 5 {
		t.Errorf("the types are %v", types)
	}
	got := remote.LockState(t.Context(), provider.LockStateRequest{TypeName: "five_store"})
	if !got.Diagnostics.HasErrors() {
		t.Error("protocol 5 has state stores")
	}
}

// Each way not to be a provider has its own words, with what the program wrote.
func TestDialFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	attach := map[string]string{
		"nowhere": `{"a":{"Protocol":"grpc","ProtocolVersion":6,"Test":true,"Addr":{"Network":"unix","String":"` + missing + `"}}}`,
		"netrpc":  `{"a":{"Protocol":"netrpc","ProtocolVersion":6,"Addr":{"Network":"unix","String":"/x"}}}`,
		"seven":   `{"a":{"Protocol":"grpc","ProtocolVersion":7,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}}`,
	}
	for name, tt := range map[string]struct {
		config tfprotov6.DialConfig
		want   []string
	}{
		"nothing":          {tfprotov6.DialConfig{}, []string{"neither a program to start nor one that runs"}},
		"a missing file":   {tfprotov6.DialConfig{Path: missing}, []string{missing, "no such file"}},
		"no program":       {tfprotov6.DialConfig{Path: text}, []string{text, "exec format error"}},
		"a folder":         {tfprotov6.DialConfig{Path: dir}, []string{dir, "permission denied"}},
		"no plugin":        {program(t, "no plugin"), []string{"it is no provider", `"Hello! How can I help you?"`}},
		"one that exits":   {program(t, "exit"), []string{"exit status 3", "no licence found, giving up"}},
		"an old protocol":  {program(t, "protocol 4"), []string{"protocol 4", "5 and 6"}},
		"no gRPC":          {program(t, "netrpc"), []string{"does not speak gRPC"}},
		"a deaf one":       {program(t, "deaf"), []string{"dial the provider", "get provider schema", "no connection", "/nowhere"}},
		"attached nowhere": {running(t, attach["nowhere"]), []string{"dial the provider " + missing, "get provider schema", missing}},
		"attached, netrpc": {running(t, attach["netrpc"]), []string{"/x", `"netrpc"`}},
		"attached, 7":      {running(t, attach["seven"]), []string{"protocol 7", "5 and 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			remote, err := tfprotov6.Dial(t.Context(), tt.config)
			if err == nil {
				remote.Close()
				t.Fatal("it is a provider")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, want %q", err, want)
				}
			}
		})
	}
	both := running(t, attach["nowhere"])
	both.Path = missing
	if _, err := tfprotov6.Dial(t.Context(), both); err == nil || !strings.Contains(err.Error(), "only one") {
		t.Errorf("two providers: %v", err)
	}
	if _, err := tfprotov6.Dial(t.Context(), tfprotov6.DialConfig{Path: missing}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not %v", err, os.ErrNotExist)
	}
}

// A program that does not serve in time is an error with what it wrote. How long
// it takes to write anything is the machine's affair: it is given ever more time.
func TestDialTimeout(t *testing.T) {
	t.Parallel()
	config := program(t, "silent")
	for config.StartTimeout = 100 * time.Millisecond; ; config.StartTimeout *= 2 {
		_, err := tfprotov6.Dial(t.Context(), config)
		if want := fmt.Sprintf("did not say within %s where it serves", config.StartTimeout); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("the error is %v, want %q", err, want)
		}
		if strings.Contains(err.Error(), "thinking about it") {
			return
		}
		if config.StartTimeout > patience {
			t.Fatalf("the error is %v, without what the program wrote", err)
		}
	}
}

// Who does not wait for a start is left with nothing. The program would be given
// more time than any test has.
func TestDialCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	config := program(t, "silent")
	config.StartTimeout = time.Hour
	config.Output = &lines{await: "thinking about it", then: cancel}
	_, err := tfprotov6.Dial(ctx, config)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "thinking about it") {
		t.Errorf("the error is %v", err)
	}
}

// A crash is told by the call that had no answer: how the process ended and why,
// which is the beginning of the panic and no line before it.
func TestCrash(t *testing.T) {
	t.Parallel()
	remote := dial(t, program(t, "crash"))
	for range 2 {
		got := remote.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: thing}).Diagnostics.Error()
		for _, want := range []string{"ReadResource of " + thing, "the provider's process ended: exit status 2", "panic: out of cheese"} {
			if !strings.Contains(got, want) {
				t.Errorf("said %q, want %q", got, want)
			}
		}
		if strings.Contains(got, "just a line") || strings.HasSuffix(got, "\n.") {
			t.Errorf("said %q", got)
		}
	}
}

// A call ends with its context, in the provider too, and the provider goes on.
func TestCallCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	config := program(t, "v6")
	output := &lines{await: "I am reading", then: cancel}
	config.Output = output
	remote := dial(t, config)
	got := remote.ReadResource(ctx, provider.ReadResourceRequest{TypeName: thing})
	if !strings.Contains(got.Diagnostics.Error(), "did not wait for the answer: context canceled") {
		t.Errorf("said %q", got.Diagnostics)
	}
	eventually(t, "the provider did not notice", func() bool { return strings.Contains(output.String(), "let go") })
	if answer := whoAnswers(remote); !strings.Contains(answer, "pid") {
		t.Errorf("after that the provider says %q", answer)
	}
}

// A program that does not end is killed, and what it leaves behind keeps nobody:
// it is still there, with the program's output open, when Close is done.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stubborn", "parent"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := program(t, name)
			output := &lines{}
			config.Output = output
			remote := dial(t, config)
			id := pid(t, whoAnswers(remote))
			child := 0
			if name == "parent" {
				eventually(t, "the program has no child", func() bool { return strings.Contains(output.String(), "my child is pid") })
				child = pid(t, output.String())
				defer func() {
					process, err := os.FindProcess(child)
					if err == nil {
						err = process.Kill()
					}
					if err != nil {
						t.Errorf("the child had ended: Close may have waited for that (%s)", err)
					}
				}()
			}
			if err := remote.Close(); err != nil {
				t.Error(err)
			}
			if !gone(id) {
				t.Error("the process is still there")
			}
		})
	}
}

// Nothing is left: no goroutine, no process, no file, open or not. This is the one
// test here that does not run beside others.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	attempt := func(name string) {
		config := program(t, name)
		if name == "silent" {
			config.StartTimeout = time.Second
		}
		remote, err := tfprotov6.Dial(t.Context(), config)
		if err != nil {
			return
		}
		whoAnswers(remote)
		remote.ReadResource(func() context.Context { ctx, cancel := context.WithCancel(t.Context()); cancel(); return ctx }(),
			provider.ReadResourceRequest{TypeName: thing})
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
	}
	attempt("v6") // what is made once for the whole process
	goroutines, files := goruntime.NumGoroutine(), open()
	for _, name := range []string{"v6", "v5", "crash", "exit", "no plugin", "protocol 4", "silent", "deaf"} {
		attempt(name)
	}
	_, err := tfprotov6.Dial(t.Context(), tfprotov6.DialConfig{Path: filepath.Join(dir, "missing")})
	if err == nil {
		t.Error("nothing is a provider")
	}
	for end := time.Now().Add(patience); goruntime.NumGoroutine() > goroutines; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, were %d:\n%s", goruntime.NumGoroutine(), goroutines, stacks[:goruntime.Stack(stacks, true)])
		}
	}
	if now := open(); len(now) > len(files) {
		t.Errorf("open files (were %v): %v", files, now)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		if ids, err := os.ReadFile(file); err == nil && len(strings.TrimSpace(string(ids))) > 0 {
			t.Errorf("children: %s", ids)
		}
	}
}

// open are the open files, where the system tells.
func open() []string {
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
